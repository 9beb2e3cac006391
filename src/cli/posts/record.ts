import { instantMs, parseInstant } from '../../base/instants.ts';
import { lengthOf } from '../../base/text.ts';
import { isLongId } from '../../contract/declare/long-ids.ts';
import { countryMeant } from '../people/look-ups.ts';
import type { PostSaid } from './take-in.ts';

/** The members that a post in a file may have; the first three it must. */
const MEMBERS = ['id', 'text', 'created_at', 'country', 'language', 'user'];
const known = new Set(MEMBERS);

const TEXT_MAX = 10_000;
const ID_MAX = 64;
const countries = new Map<string, string | undefined>();

/** Reads a line of a file: a post, or what is wrong with it. @param now in whole seconds since 1970: no post is made later */
export function readPost(line: string, now: number): PostSaid {
  let record: Readonly<Record<string, unknown>>;
  try {
    record = JSON.parse(line);
  } catch {
    return ['is not JSON'];
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return ['is no object'];
  const wrong: string[] = [];
  for (const name in record) {
    if (!known.has(name)) wrong.push(`${JSON.stringify(name)} is not known; known are ${MEMBERS.join(', ')}`);
  }
  const expect = (name: string, expected: string): void => {
    const isGiven = record[name] !== undefined && record[name] !== null;
    wrong.push(isGiven ? `${name}: expected ${expected}, got ${shown(record[name])}` : `${name}: is required`);
  };
  const id = typeof record.id === 'number' && Number.isSafeInteger(record.id) ? String(record.id) : record.id;
  if (typeof id !== 'string' || !isId(id)) expect('id', `up to ${ID_MAX} characters without blanks, as text`);
  const { text } = record;
  if (typeof text !== 'string' || !isText(text)) expect('text', `text of up to ${TEXT_MAX} characters`);
  const at = typeof record.created_at === 'string' ? parseInstant(record.created_at) : undefined;
  const created_at = at === undefined ? Number.NaN : instantMs(at) / 1000;
  if (!(created_at >= 0 && created_at <= now))
    expect('created_at', 'a time like 2026-03-02T17:04:55Z that is not to come');
  const country = record.country == null ? null : countryOf(record.country);
  if (country === undefined) expect('country', 'the code or name of a country');
  const language = record.language == null ? 'und' : languageOf(record.language);
  if (language === undefined) expect('language', 'a code like en');
  const user_id = record.user == null ? null : userOf(record.user);
  if (user_id === undefined) expect('user', 'the decimal id of a user');
  if (wrong.length > 0) return wrong;
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
  return text.length <= TEXT_MAX || (text.length <= TEXT_MAX * 2 && lengthOf(text) <= TEXT_MAX);
}

function countryOf(input: unknown): string | undefined {
  if (typeof input !== 'string') return undefined;
  if (!countries.has(input)) {
    const country = countryMeant(input);
    // What files say wrongly is not remembered: there is no end to it.
    if (country === undefined) return undefined;
    countries.set(input, country);
  }
  return countries.get(input);
}

function languageOf(input: unknown): string | undefined {
  return typeof input === 'string' ? /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/.exec(input.toLowerCase())?.[1] : undefined;
}

function userOf(input: unknown): string | undefined {
  const text = typeof input === 'number' && Number.isSafeInteger(input) ? String(input) : input;
  return typeof text === 'string' && isLongId(text) ? text.replace(/^0+(?=\d)/, '') : undefined;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
