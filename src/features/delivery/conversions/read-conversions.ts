import { hash } from 'node:crypto';
import { amountMax } from '../../../base/exchange-rates.ts';
import { instantMs, parseInstant } from '../../../base/instants.ts';
import { isObject } from '../../../base/objects.ts';
import { type Field, integer, isErrorDetail, type RawValue, text } from '../../../contract/declare/fields.ts';
import type { ErrorDetail, ProblemName } from '../../../contract/problems/problems.ts';
import type { IdentifierKind } from '../../../contract/store/audiences.ts';
import { CLICK_ID_MAX, CLICK_ID_TTL_S } from './click-id.ts';

/** Maximum number of conversions in a call. @source decision 993 */
export const CONVERSIONS_MAX = 500;
/** Tolerated clock skew of websites. */
const AHEAD_MAX_S = 300;
/** Maximum number of listed errors; the others are only counted. */
const ERRORS_MAX = 100;

/** A conversion as reported. */
export interface Conversion {
  /** Its path in the call, for errors. */
  readonly place: string;
  /** UTC text. */
  readonly converted_at: string;
  /** The web event tag. */
  readonly event_id: string;
  readonly identifiers: Identifiers;
  /** Unique per tag; conversions without one are never duplicates. */
  readonly conversion_id: string | undefined;
  readonly number_items: number;
  readonly value_micro: number;
  /** ISO 4217; the currency of the ad if undefined. */
  readonly currency: string | undefined;
}

/** The context of parsing conversions. */
interface ReadingRules {
  /** UTC text of the current second. */
  readonly now: string;
  /** The website tag, with which event ids may be prefixed. */
  readonly website_tag_id: string;
  /** Whether a conversion may lack identifiers. */
  readonly mayBeAnonymous?: boolean;
}

/** The problems of single conversions. */
export const CONVERSION_PROBLEMS: readonly ProblemName[] = [
  'MISSING_PARAMETER',
  'NOT_A_LIST',
  'TOO_MANY_ITEMS',
  'NOT_AN_OBJECT',
  'NOT_TEXT',
  'TEXT_TOO_LONG',
  'ILLEGAL_CHARACTERS',
  'NOT_TIME',
  'NOT_LONG',
  'OUT_OF_RANGE',
  'NOT_A_HASH',
  'HASH_OF_NOTHING',
  'CONVERSION_UNIDENTIFIED',
  'CONVERSION_EVENT_UNKNOWN',
  'CONVERSION_TIME_BEYOND',
  'CONVERSION_VALUE',
  'CONVERSION_CURRENCY',
  'FURTHER_FAULTS',
];

/** Parses the conversions of a call; returns all errors if there are any. @source decision 993 */
export function readConversions(
  body: unknown,
  rules: ReadingRules,
): { readonly conversions: readonly Conversion[] } | { readonly errors: readonly ErrorDetail[] } {
  const parameter = 'conversions';
  const list = isObject(body) ? body.conversions : undefined;
  if (list === undefined || list === null) return { errors: [{ problem: 'MISSING_PARAMETER', parameter }] };
  if (!Array.isArray(list)) return { errors: [{ problem: 'NOT_A_LIST', parameter }] };
  if (list.length === 0) return { errors: [{ problem: 'MISSING_PARAMETER', parameter }] };
  if (list.length > CONVERSIONS_MAX) {
    return { errors: [{ problem: 'TOO_MANY_CONVERSIONS', parameter, words: { max: CONVERSIONS_MAX } }] };
  }
  const errors: ErrorDetail[] = [];
  const conversions = list.map((each, index) =>
    readConversion(each, `conversions[${index}]`, rules, (error) => errors.push(error)),
  );
  if (errors.length === 0) return { conversions: conversions as Conversion[] };
  const words = { count: errors.length - ERRORS_MAX };
  const rest: ErrorDetail[] = words.count > 0 ? [{ problem: 'FURTHER_FAULTS', parameter, words }] : [];
  return { errors: [...errors.slice(0, ERRORS_MAX), ...rest] };
}

/** Parses the conversion at a path of the call; the result is only valid if no errors are added. */
export function readConversion(
  value: unknown,
  place: string,
  rules: ReadingRules,
  add: AddError,
): Conversion | undefined {
  if (!isObject(value)) {
    add({ problem: 'NOT_AN_OBJECT', parameter: place });
    return undefined;
  }
  const at = (name: string): string => memberOf(place, name);
  const optional = (name: string, max: number): string | undefined =>
    readOptional(value[name], at(name), text({ max }), add);
  const isNobody = rules.mayBeAnonymous === true && isAbsent(value.identifiers);
  const event = required(value, 'event_id', place, add) ? optional('event_id', 200) : undefined;
  const currency = readCurrency(value.price_currency, at('price_currency'), add);
  const read = {
    place,
    converted_at: readTime(value, place, rules, add) ?? rules.now,
    event_id: event === undefined ? '' : eventIdOf(event, rules.website_tag_id),
    identifiers: isNobody ? { click_ids: [], hashes: [] } : readIdentifiers(value.identifiers, at('identifiers'), add),
    conversion_id: optional('conversion_id', 256),
    number_items: readItems(value.number_items, at('number_items'), add),
    value_micro: readValue(value.value, at('value'), currency, add),
    currency,
  };
  optional('description', 1000);
  optional('event_source_url', 2048);
  checkContents(value.contents, at('contents'), currency, add);
  return read;
}

function readTime(value: Members, place: string, { now }: ReadingRules, add: AddError): string | undefined {
  if (!required(value, 'conversion_time', place, add)) return undefined;
  const parameter = memberOf(place, 'conversion_time');
  const raw = value.conversion_time;
  const read = typeof raw === 'string' ? parseInstant(raw) : undefined;
  const shown = typeof raw === 'string' ? raw.slice(0, 40) : JSON.stringify(raw).slice(0, 40);
  if (read === undefined) {
    add({ problem: 'NOT_TIME', parameter, words: { raw: shown }, details: 'invalid date' });
    return undefined;
  }
  const age_s = (instantMs(now) - instantMs(read)) / 1000;
  if (age_s <= CLICK_ID_TTL_S && age_s >= -AHEAD_MAX_S) return read;
  add({ problem: 'CONVERSION_TIME_BEYOND', parameter, words: { raw: shown, max: CLICK_ID_TTL_S / 86_400 } });
  return undefined;
}

/** Returns the path of a member of the conversion at a path. */
export function memberOf(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

/** Removes the website tag with which some clients prefix event ids. @source decision 993 */
function eventIdOf(text: string, website_tag_id: string): string {
  const [, website, event] = /^(?:[a-z]{1,8}-)?([0-9a-z]+)-([0-9a-z]+)$/.exec(text) ?? [];
  return website === website_tag_id ? event! : text;
}

/** Whether a required member is present; adds an error otherwise. */
function required(value: Members, name: string, place: string, add: AddError): boolean {
  if (!isAbsent(value[name])) return true;
  add({ problem: 'MISSING_PARAMETER', parameter: memberOf(place, name) });
  return false;
}

/** Maximum quantity. */
const ITEMS_MAX = 1_000_000_000;
/** Maximum amount in a currency like the US dollar. */
const VALUE_MAX = 9_000_000_000;
/** Maximum amount in any currency; its millionths are less than `HOUR_MAX`. */
const VALUE_MAX_ANY = 9_000_000_000_000;
/** Maximum number of items in `contents`. */
const CONTENTS_MAX = 100;
const CONTENT_TEXTS = ['content_id', 'content_name', 'content_type', 'content_group_id'] as const;

/** Parses the number of items; 0 by default. */
function readItems(value: unknown, parameter: string, add: AddError): number {
  return readOptional(value, parameter, integer({ min: 1, max: ITEMS_MAX }), add) ?? 0;
}

/**
 * Parses an amount, a number or decimal text, into millionths; 0 if absent. The maximum is higher in currencies with
 * small units.
 * @source decision 1072
 */
function readValue(value: unknown, parameter: string, currency: string | undefined, add: AddError): number {
  if (isAbsent(value)) return 0;
  const isDecimal = typeof value === 'number' || (typeof value === 'string' && /^\d{1,13}(\.\d{1,12})?$/.test(value));
  const amount = isDecimal ? Number(value) : Number.NaN;
  const max = currency === undefined ? VALUE_MAX : Math.min(VALUE_MAX_ANY, amountMax(VALUE_MAX, currency));
  if (amount >= 0 && amount <= max) return Math.round(amount * 1_000_000);
  add({ problem: 'CONVERSION_VALUE', parameter, words: { max } });
  return 0;
}

/** Parses a currency code; undefined if absent. */
function readCurrency(value: unknown, parameter: string, add: AddError): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  add({ problem: 'CONVERSION_CURRENCY', parameter });
  return undefined;
}

/** Checks `contents`, which is not stored. */
function checkContents(value: unknown, parameter: string, currency: string | undefined, add: AddError): void {
  if (isAbsent(value)) return;
  const list = Array.isArray(value) ? value : [];
  if (!Array.isArray(value)) add({ problem: 'NOT_A_LIST', parameter });
  if (list.length > CONTENTS_MAX) add({ problem: 'TOO_MANY_ITEMS', parameter, words: { max: CONTENTS_MAX } });
  for (const [index, each] of list.slice(0, CONTENTS_MAX).entries()) {
    const at = `${parameter}[${index}]`;
    if (!isObject(each)) {
      add({ problem: 'NOT_AN_OBJECT', parameter: at });
      continue;
    }
    for (const name of CONTENT_TEXTS) readOptional(each[name], `${at}.${name}`, text({ max: 1000 }), add);
    readValue(each.content_price, `${at}.content_price`, currency, add);
    readItems(each.num_items, `${at}.num_items`, add);
  }
}

/** Identifies the person who converted. */
export interface Identifiers {
  readonly click_ids: readonly string[];
  /** SHA-256 of identifiers, as 64 lower-case hexadecimal digits. */
  readonly hashes: readonly { readonly kind: IdentifierKind; readonly digits: string }[];
}

/** The hashed members, and the kind of identifier each one holds. */
const HASHED = { hashed_email: 'email', hashed_phone_number: 'phone_number' } as const satisfies Record<
  string,
  IdentifierKind
>;

const HASH = /^[0-9a-f]{64}$/i;
const HASH_OF_NOTHING = hash('sha256', '');

/**
 * Parses the identifiers of a conversion. One strong identifier suffices; IP address and user agent count only as a
 * pair, and are not stored.
 * @source decision 993
 */
function readIdentifiers(value: unknown, place: string, add: AddError): Identifiers {
  const click_ids: string[] = [];
  const hashes: { kind: IdentifierKind; digits: string }[] = [];
  if (!Array.isArray(value)) {
    add({ problem: isAbsent(value) ? 'CONVERSION_UNIDENTIFIED' : 'NOT_A_LIST', parameter: place });
    return { click_ids, hashes };
  }
  let count = 0;
  const weak = new Set<string>();
  for (const [index, each] of value.entries()) {
    const at = `${place}[${index}]`;
    if (!isObject(each)) {
      add({ problem: 'NOT_AN_OBJECT', parameter: at });
      count += 1;
      continue;
    }
    const click_id = readOptional(each.click_id, `${at}.click_id`, text({ max: CLICK_ID_MAX }), add);
    if (click_id !== undefined) click_ids.push(click_id);
    count += isAbsent(each.click_id) ? 0 : 1;
    for (const [name, kind] of Object.entries(HASHED)) {
      if (isAbsent(each[name])) continue;
      count += 1;
      const digits = readHash(each[name], `${at}.${name}`, add);
      if (digits !== undefined) hashes.push({ kind, digits });
    }
    for (const name of ['ip_address', 'user_agent']) {
      if (readOptional(each[name], `${at}.${name}`, text({ max: 1000 }), add) !== undefined) weak.add(name);
    }
  }
  if (count === 0 && weak.size < 2) add({ problem: 'CONVERSION_UNIDENTIFIED', parameter: place });
  return { click_ids, hashes };
}

/** The hash in lower case; undefined if invalid. Errors never quote values, which may be personal data. */
function readHash(value: unknown, parameter: string, add: AddError): string | undefined {
  if (typeof value !== 'string' || !HASH.test(value)) {
    add({ problem: 'NOT_A_HASH', parameter });
    return undefined;
  }
  const digits = value.toLowerCase();
  if (digits !== HASH_OF_NOTHING) return digits;
  add({ problem: 'HASH_OF_NOTHING', parameter });
  return undefined;
}

/** The members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** Collects an error. */
export type AddError = (error: ErrorDetail) => void;

/** Whether a member is missing, null or empty. */
export function isAbsent(value: unknown): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

/** Parses an optional member as a field; undefined if absent or invalid. */
export function readOptional<T extends string | number>(
  value: unknown,
  parameter: string,
  { kind }: Field<T>,
  add: AddError,
): T | undefined {
  if (isAbsent(value)) return undefined;
  const read = kind.read(value as RawValue, parameter);
  if (!isErrorDetail(read)) return read;
  add(read);
  return undefined;
}
