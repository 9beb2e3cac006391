import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CorpusPage, CorpusPost } from '../../contract/store/corpus.ts';
import { hashText, lastHash } from './text-hash.ts';

/** The length of a day in seconds. */
export const DAY_S = 86_400;
/** The length of an hour in seconds. */
export const HOUR_S = 3600;

/** The posts of a page, as columns. */
interface PagePosts {
  readonly createdAt: Uint32Array;
  /** See `countryNumber`. */
  readonly countries: Uint16Array;
  /** See `languageNumber`. */
  readonly languages: Uint16Array;
  readonly ids: readonly string[];
  /** Decimal text; empty when unknown. */
  readonly users: readonly string[];
  readonly texts: readonly string[];
}

/** Separates texts, which never contain it. */
const SEPARATOR = '\0';
/** The fastest level, which halves the size. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Encodes a country code as a number from 1; 0 if unknown. */
export function countryNumber(code: string | null | undefined): number {
  return code == null ? 0 : (code.charCodeAt(0) - 65) * 26 + code.charCodeAt(1) - 64;
}

/** Encodes a two-letter language code as a number from 1; 0 for all others. */
export function languageNumber(code: string): number {
  return /^[a-z]{2}$/.test(code) ? (code.charCodeAt(0) - 97) * 26 + code.charCodeAt(1) - 96 : 0;
}

/** The inverse of `languageNumber`. */
export function languageCode(number: number): string {
  return String.fromCharCode(97 + Math.floor((number - 1) / 26), 97 + ((number - 1) % 26));
}

/**
 * Packs the posts of one day: their count, times (32 bits each) and countries (16 bits each), then all ids, users,
 * languages and texts, compressed together.
 */
export function packPage(day: number, posts: readonly CorpusPost[]): CorpusPage {
  const count = posts.length;
  const numbers = Buffer.alloc(4 + count * 6);
  const ids = Buffer.alloc(count * 8);
  numbers.writeUInt32LE(count, 0);
  for (const [index, { created_at, country, id }] of posts.entries()) {
    numbers.writeUInt32LE(created_at, 4 + index * 4);
    numbers.writeUInt16LE(countryNumber(country), 4 + count * 4 + index * 2);
    hashText(id);
    ids.writeUInt32LE(lastHash.low, index * 8);
    ids.writeUInt32LE(lastHash.high, index * 8 + 4);
  }
  const texts = [
    ...posts.map(({ id }) => id),
    ...posts.map(({ user_id }) => user_id ?? ''),
    ...posts.map(({ language }) => language),
    ...posts.map(({ text }) => text),
  ];
  const payload = zstdCompressSync(Buffer.concat([numbers, Buffer.from(texts.join(SEPARATOR))]), COMPRESSION);
  return { day, posts: count, ids, payload };
}

/** The inverse of `packPage`. @throws when the payload is invalid */
export function unpackPage(payload: Uint8Array): PagePosts {
  const bytes = zstdDecompressSync(payload);
  const count = bytes.readUInt32LE(0);
  const createdAt = new Uint32Array(count);
  const countries = new Uint16Array(count);
  const languages = new Uint16Array(count);
  for (let index = 0; index < count; index++) {
    createdAt[index] = bytes.readUInt32LE(4 + index * 4);
    countries[index] = bytes.readUInt16LE(4 + count * 4 + index * 2);
  }
  const texts = bytes.toString('utf8', 4 + count * 6).split(SEPARATOR);
  if (texts.length !== count * 4) throw new Error('invalid page of posts');
  const numbers = new Map<string, number>();
  for (let index = 0; index < count; index++) {
    const code = texts[count * 2 + index]!;
    let number = numbers.get(code);
    if (number === undefined) {
      number = languageNumber(code);
      numbers.set(code, number);
    }
    languages[index] = number;
  }
  return {
    createdAt,
    countries,
    languages,
    ids: texts.slice(0, count),
    users: texts.slice(count, count * 2),
    texts: texts.slice(count * 3),
  };
}
