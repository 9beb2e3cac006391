import { parseInstant } from '../../../base/instants.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, isHashedKind } from '../../../contract/store/audiences.ts';
import { kindOfName } from './column-names.ts';
import { type Normalized, normalize, type Unusable } from './normalize.ts';
import { PHONE_COUNTRIES } from './phone-number.ts';

/** The kinds of columns: identifiers, the country of phone numbers, the start and end of membership. */
export const COLUMN_KINDS = [...IDENTIFIER_KINDS, 'country', 'effective_at', 'expires_at'] as const;

/** The kind of a column. */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** The content of a column. */
export interface Column {
  readonly kind: ColumnKind;
  /** Whether its values are already hashed. */
  readonly isHashed: boolean;
}

/** The content of each column; undefined for ignored ones. */
export type Columns = readonly (Column | undefined)[];

/** A person's identifiers as in upload requests. */
export type PersonIdentifiers = Readonly<Partial<Record<IdentifierKind, readonly string[]>>>;

/** The start and end of a membership. */
export interface Window {
  readonly effective_at?: string | undefined;
  readonly expires_at?: string | undefined;
}

/** Errors of a value or row, with texts in `src/texts/en/people-file.ts`. */
export type Reason = Unusable | 'date' | 'expired' | 'no_identifier' | 'too_many_values';

/** An error in a row; `column` is its index, undefined for the row as a whole. */
export interface RowFault {
  readonly column: number | undefined;
  readonly reason: Reason;
}

/** The content of a row. */
interface PersonRow {
  /** Undefined if the row is rejected. */
  readonly person: PersonIdentifiers | undefined;
  readonly window: Window;
  readonly faults: readonly RowFault[];
}

/** Whether a kind is an identifier. */
export function isIdentifierKind(kind: ColumnKind): kind is IdentifierKind {
  return IDENTIFIER_KINDS.some((each) => each === kind);
}

/** Creates a column; undefined if it is hashed but its kind cannot be. */
export function columnOf(kind: ColumnKind, isHashed: boolean): Column | undefined {
  return isHashed && !(isIdentifierKind(kind) && isHashedKind(kind)) ? undefined : { kind, isHashed };
}

/** Detects the content of a column by its name; undefined for unknown names. */
export function columnOfName(name: string): Column | undefined {
  const found = kindOfName(name);
  return found && columnOf(found.kind, found.isHashed);
}

const HASH = /^[0-9a-f]{64}$/i;
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/;

/** Unambiguous patterns of values. */
const LOOKS: readonly (readonly [IdentifierKind, RegExp])[] = [
  ['email', /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/],
  ['device_id', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['handle', /^@\w{1,30}$/],
  ['phone_number', /^(\+|0|\()(?=(\D*\d){7})[\d ()./-]{7,24}$/],
];

function kindOfValue(text: string): IdentifierKind | undefined {
  const value = text.trim();
  return DATE.test(value) ? undefined : LOOKS.find(([, look]) => look.test(value))?.[0];
}

/** Whether a row has values instead of column names. */
export function isRowOfValues(row: readonly string[]): boolean {
  const hasNames = row.some((text) => columnOfName(text) !== undefined);
  return !hasNames && row.some((text) => HASH.test(text.trim()) || kindOfValue(text) !== undefined);
}

/** Detects the content of a column by its values, if most of them match one pattern. */
export function columnOfValues(values: readonly string[]): Column | undefined {
  const separated = values.flatMap(separate);
  const kinds = Map.groupBy(separated, kindOfValue);
  const kind = IDENTIFIER_KINDS.find((each) => (kinds.get(each)?.length ?? 0) * 2 > separated.length);
  return kind && { kind, isHashed: false };
}

/** Options for reading rows. */
export interface RowPlan {
  readonly columns: Columns;
  /** The country of phone numbers without a country code, in rows without a country. */
  readonly country: string | undefined;
  /** The membership in rows without one. */
  readonly window: Window;
  /** Unix milliseconds. */
  readonly now: number;
  /** Returns the SHA-256 of a text as 64 lower-case hexadecimal digits. */
  hash(text: string): string;
}

/** Parses a row. Invalid values are skipped; a row without valid identifiers is rejected. @source decision 279 */
export function readRow(values: readonly string[], plan: RowPlan): PersonRow {
  const faults: RowFault[] = [];
  const person: Partial<Record<IdentifierKind, string[]>> = {};
  const window = { ...plan.window };
  const reject = (column: number | undefined, reason: Reason): PersonRow => {
    return { person: undefined, window, faults: [...faults, { column, reason }] };
  };
  const { columns } = plan;
  if (values.some((text, index) => index >= columns.length && text.trim() !== '')) {
    return reject(undefined, 'too_many_values');
  }
  const country = countryOf(values, columns) ?? plan.country;
  for (const [index, column] of columns.entries()) {
    const text = values[index]?.trim() ?? '';
    if (!column || column.kind === 'country' || text === '') continue;
    const { kind } = column;
    if (kind === 'effective_at' || kind === 'expires_at') {
      window[kind] = timeOf(text);
      if (window[kind] === undefined) return reject(index, 'date');
      if (kind === 'expires_at' && Date.parse(window[kind]) <= plan.now) return reject(index, 'expired');
      continue;
    }
    for (const each of kind === 'partner_user_id' ? [text] : separate(text)) {
      const read = identifierOf({ kind, isHashed: column.isHashed }, each, { ...plan, country });
      if ('unusable' in read) faults.push({ column: index, reason: read.unusable });
      else person[kind] = [...(person[kind] ?? []), read.form];
    }
  }
  if (Object.keys(person).length > 0) return { person, window, faults };
  return faults.length > 0 ? { person: undefined, window, faults } : reject(undefined, 'no_identifier');
}

/** Returns an identifier as it is sent. */
function identifierOf(
  { kind, isHashed }: { readonly kind: IdentifierKind; readonly isHashed: boolean },
  text: string,
  { country, hash }: Pick<RowPlan, 'country' | 'hash'>,
): Normalized {
  if (!isHashedKind(kind)) return normalize(kind, text);
  // Columns not marked as hashed may contain hashes too.
  if (HASH.test(text)) return { form: text.toLowerCase() };
  if (isHashed) return { unusable: 'hash' };
  const normalized = normalize(kind, text, country);
  return 'form' in normalized ? { form: hash(normalized.form) } : normalized;
}

/** Splits the values of a cell. */
function separate(text: string): string[] {
  return text.split(/[;,|\n]/).flatMap((each) => each.trim() || []);
}

function countryOf(values: readonly string[], columns: Columns): string | undefined {
  const index = columns.findIndex((column) => column?.kind === 'country');
  const code = values[index]?.trim().toUpperCase();
  return code !== undefined && PHONE_COUNTRIES.includes(code) ? code : undefined;
}

/** Parses an ISO 8601 time, or a dotted date with the day first. */
function timeOf(text: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return parseInstant(year ? `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}` : text);
}

/** Messages of commands for rejected rows and skipped values. They never quote values, which may be personal data. */
export const REASONS: Readonly<Record<Reason, string>> = {
  email: 'not an e-mail address',
  phone_number: 'not a phone number of any country',
  country_code: 'a phone number without country code, and its country is not known',
  handle: 'not a screen name',
  service_user_id: 'not a user id',
  device_id: 'not a device id',
  partner_user_id: 'longer than 256 characters',
  hash: 'not 64 hexadecimal digits',
  unreadable: 'not readable as text',
  date: 'not a date such as 2026-12-31',
  expired: 'in the past',
  no_identifier: 'no identifier',
  too_many_values: 'more values than columns',
};
