import { InputError } from '../../../base/input-error.ts';
import { instantMs, parseInstant } from '../../../base/instants.ts';
import { type Line, readFileLines } from '../../../base/lines.ts';
import { isObject } from '../../../base/objects.ts';
import { codePointLength } from '../../../base/text.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import { lookUpCountry } from '../../ads/reference/by-name.ts';
import type { PostOrErrors } from './import-posts.ts';

/** Bytes per chunk. */
const CHUNK_BYTES = 1_048_576;

/** Streams the posts of an .ndjson or .jsonl file, a chunk at a time. @throws InputError for other file names */
export function readPostsFile(path: string, now: number): AsyncGenerator<readonly PostOrErrors[]> {
  if (/\.(ndjson|jsonl)$/i.test(path)) return readNdjson(path, now);
  throw new InputError(`${path}: expected a file that ends in .ndjson or .jsonl`);
}

async function* readNdjson(path: string, now: number): AsyncGenerator<readonly PostOrErrors[]> {
  const parse = (line: Line): PostOrErrors => ('error' in line ? [line.error] : parsePost(line.text, now));
  for await (const lines of readFileLines(path, CHUNK_BYTES)) {
    yield lines.filter((line) => 'error' in line || (line.text !== '' && line.text.trim() !== '')).map(parse);
  }
}

/** The members of a post in a file; the first three are required. */
const MEMBERS = ['id', 'text', 'created_at', 'country', 'language', 'user'];
const known = new Set(MEMBERS);

const TEXT_MAX = 10_000;
const ID_MAX = 64;
const countries = new Map<string, string | undefined>();

/** Parses a line of a file: a post, or its errors. @param now in whole seconds since 1970; later posts are rejected */
function parsePost(line: string, now: number): PostOrErrors {
  let record: Readonly<Record<string, unknown>>;
  try {
    record = JSON.parse(line);
  } catch {
    return ['is not JSON'];
  }
  if (!isObject(record)) return ['is not a JSON object'];
  const errors: string[] = [];
  for (const name in record) {
    if (!known.has(name)) errors.push(`unknown member ${JSON.stringify(name)}; expected one of ${MEMBERS.join(', ')}`);
  }
  const expect = (name: string, expected: string): void => {
    const isGiven = record[name] !== undefined && record[name] !== null;
    errors.push(isGiven ? `${name}: expected ${expected}, got ${quoted(record[name])}` : `${name}: is required`);
  };
  const id = typeof record.id === 'number' && Number.isSafeInteger(record.id) ? String(record.id) : record.id;
  if (typeof id !== 'string' || !isId(id)) expect('id', `a string of up to ${ID_MAX} characters without white space`);
  const { text } = record;
  if (typeof text !== 'string' || !isText(text)) expect('text', `a string of up to ${TEXT_MAX} characters`);
  const at = typeof record.created_at === 'string' ? parseInstant(record.created_at) : undefined;
  const created_at = at === undefined ? Number.NaN : instantMs(at) / 1000;
  if (!(created_at >= 0 && created_at <= now))
    expect('created_at', 'a time such as 2026-03-02T17:04:55Z that is not in the future');
  const country = record.country == null ? null : countryOf(record.country);
  if (country === undefined) expect('country', 'the code or name of a country');
  const language = record.language == null ? 'und' : languageOf(record.language);
  if (language === undefined) expect('language', 'a language code such as en');
  const user_id = record.user == null ? null : userOf(record.user);
  if (user_id === undefined) expect('user', 'the decimal id of a user');
  if (errors.length > 0) return errors;
  return {
    id: id as string,
    text: text as string,
    created_at,
    country: country!,
    language: language!,
    user_id: user_id!,
  };
}

function isId(id: string): boolean {
  return id.length > 0 && id.length <= ID_MAX && id.isWellFormed() && !/[\s\p{Cc}]/u.test(id);
}

function isText(text: string): boolean {
  if (text === '' || text.includes('\0') || !text.isWellFormed()) return false;
  return text.length <= TEXT_MAX || (text.length <= TEXT_MAX * 2 && codePointLength(text) <= TEXT_MAX);
}

function countryOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (!countries.has(value)) {
    const country = lookUpCountry(value);
    // Only valid names are cached, because invalid ones are unlimited.
    if (country === undefined) return undefined;
    countries.set(value, country);
  }
  return countries.get(value);
}

function languageOf(value: unknown): string | undefined {
  return typeof value === 'string' ? /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/.exec(value.toLowerCase())?.[1] : undefined;
}

function userOf(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && isLongId(text) ? text.replace(/^0+(?=\d)/, '') : undefined;
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
