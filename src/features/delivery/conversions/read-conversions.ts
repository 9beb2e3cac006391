import { amountMax } from '../../../base/exchange-rates.ts';
import { instantMs, parseInstant } from '../../../base/instants.ts';
import { integer, text } from '../../../contract/declare/fields.ts';
import type { ErrorDetail, ProblemName } from '../../../contract/problems/problems.ts';
import { CLICK_ID_TTL_S } from './click-id.ts';
import { type AddError, isAbsent, isObject, type Members, readOptional } from './json-members.ts';
import { type Identifiers, readIdentifiers } from './read-identifiers.ts';

/** The most conversions of one call. @source decision 993 */
export const CONVERSIONS_MAX = 500;
/** How far ahead the clock of a website may be. */
const AHEAD_MAX_S = 300;
/** Errors that are listed; the others are only counted. */
const ERRORS_MAX = 100;

/** A conversion as reported. */
export interface Conversion {
  /** Where it is in the call, for errors. */
  readonly place: string;
  /** UTC text. */
  readonly converted_at: string;
  /** A web event tag. */
  readonly event_id: string;
  readonly identifiers: Identifiers;
  /** Unique per event; conversions without one are never duplicates. */
  readonly conversion_id: string | undefined;
  readonly number_items: number;
  readonly value_micro: number;
  /** ISO 4217; undefined for that of the ad. */
  readonly currency: string | undefined;
}

/** The context in which conversions are read. */
interface ReadingRules {
  /** UTC text of the current second. */
  readonly now: string;
  /** The tag of the website, which event ids may begin with. */
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

/** Reads the body of a call: its conversions, or all errors. @source decision 993 */
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

/** Reads the conversion at a place of a call, or all of it; whatever is wrong is added to the errors, and then the result is of no use. */
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

/** The path of a member of the conversion at a place. */
export function memberOf(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

/** An event id alone, or behind the id of the website tag, as some clients write it. @source decision 993 */
function eventIdOf(text: string, website_tag_id: string): string {
  const [, website, event] = /^(?:[a-z]{1,8}-)?([0-9a-z]+)-([0-9a-z]+)$/.exec(text) ?? [];
  return website === website_tag_id ? event! : text;
}

/** Whether a required member is there; otherwise an error is added. */
function required(value: Members, name: string, place: string, add: AddError): boolean {
  if (!isAbsent(value[name])) return true;
  add({ problem: 'MISSING_PARAMETER', parameter: memberOf(place, name) });
  return false;
}

/** The largest quantity, and the largest amount in a currency like the US dollar. */
const ITEMS_MAX = 1_000_000_000;
const VALUE_MAX = 9_000_000_000;
/** The largest amount in any currency: its millionths are less than `HOUR_MAX`. */
const VALUE_MAX_ANY = 9_000_000_000_000;
/** The most things that a conversion is about. */
const CONTENTS_MAX = 100;
const CONTENT_TEXTS = ['content_id', 'content_name', 'content_type', 'content_group_id'] as const;

/** How many things were bought; 0 by default. */
function readItems(value: unknown, parameter: string, add: AddError): number {
  return readOptional(value, parameter, integer({ min: 1, max: ITEMS_MAX }), add) ?? 0;
}

/**
 * An amount, a number or a decimal text, in millionths; 0 when not given. Amounts in currencies with small units may be as
 * many times larger. @source decision 1072
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

/** A currency in upper case; undefined when not given. */
function readCurrency(value: unknown, parameter: string, add: AddError): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  add({ problem: 'CONVERSION_CURRENCY', parameter });
  return undefined;
}

/** Checks the members about the things bought, which are not stored. */
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
