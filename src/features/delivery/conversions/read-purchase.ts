import { amountMax } from '../../../base/exchange-rates.ts';
import { integer, text } from '../../../contract/declare/fields.ts';
import { type AddError, isAbsent, isObject, readOptional } from './json-members.ts';

/** The largest quantity, and the largest amount in a currency like the US dollar. */
const ITEMS_MAX = 1_000_000_000;
const VALUE_MAX = 9_000_000_000;
/** The largest amount in any currency: its millionths are less than `HOUR_MAX`. */
const VALUE_MAX_ANY = 9_000_000_000_000;
/** The most things that a conversion is about. */
const CONTENTS_MAX = 100;
const CONTENT_TEXTS = ['content_id', 'content_name', 'content_type', 'content_group_id'] as const;

/** How many things were bought; 0 when not given. */
export function readItems(value: unknown, parameter: string, add: AddError): number {
  return readOptional(value, parameter, integer({ min: 1, max: ITEMS_MAX }), add) ?? 0;
}

/**
 * An amount, a number or a decimal text, in millionths; 0 when not given. Amounts in currencies with small units may be as
 * many times larger. @source decision 1072
 */
export function readValue(value: unknown, parameter: string, currency: string | undefined, add: AddError): number {
  if (isAbsent(value)) return 0;
  const isDecimal = typeof value === 'number' || (typeof value === 'string' && /^\d{1,13}(\.\d{1,12})?$/.test(value));
  const amount = isDecimal ? Number(value) : Number.NaN;
  const max = currency === undefined ? VALUE_MAX : Math.min(VALUE_MAX_ANY, amountMax(VALUE_MAX, currency));
  if (amount >= 0 && amount <= max) return Math.round(amount * 1_000_000);
  add({ problem: 'CONVERSION_VALUE', parameter, words: { max } });
  return 0;
}

/** A currency in upper case; undefined when not given. */
export function readCurrency(value: unknown, parameter: string, add: AddError): string | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'string' && /^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  add({ problem: 'CONVERSION_CURRENCY', parameter });
  return undefined;
}

/** Checks what a conversion says about the things bought, which is not stored. */
export function checkContents(value: unknown, parameter: string, currency: string | undefined, add: AddError): void {
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
