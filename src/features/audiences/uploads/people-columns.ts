import { parseInstant } from '../../../base/instants.ts';
import { IDENTIFIER_KINDS, type IdentifierKind, isHashedKind } from '../../../contract/store/audiences.ts';
import { kindOfName } from './column-names.ts';
import { type Normalized, normalize, type Unusable } from './normalize.ts';
import { PHONE_COUNTRIES } from './phone-number.ts';

/** The content of a column: identifiers, the country of phone numbers, the begin or end of membership. */
export const COLUMN_KINDS = [...IDENTIFIER_KINDS, 'country', 'effective_at', 'expires_at'] as const;

/** One of them. */
export type ColumnKind = (typeof COLUMN_KINDS)[number];

/** The content of a column. */
export interface Column {
  readonly kind: ColumnKind;
  /** Its values are already hashed. */
  readonly isHashed: boolean;
}

/** The content of each column; undefined for ignored ones. */
export type Columns = readonly (Column | undefined)[];

/** A person's identifiers as in upload requests. */
export type PersonIdentifiers = Readonly<Partial<Record<IdentifierKind, readonly string[]>>>;

/** When the membership of a person begins and ends. */
export interface Window {
  readonly effective_at?: string | undefined;
  readonly expires_at?: string | undefined;
}

/** Errors of a value or a row: each has words in `src/texts/en/people-file.ts`. */
export type Reason = Unusable | 'date' | 'expired' | 'no_identifier' | 'too_many_values';

/** An error in a row; `column` is its index, undefined for the row as a whole. */
export interface RowFault {
  readonly column: number | undefined;
  readonly reason: Reason;
}

/** The content of a row. */
interface PersonRow {
  /** Undefined when the row is refused. */
  readonly person: PersonIdentifiers | undefined;
  readonly window: Window;
  readonly faults: readonly RowFault[];
}

/** Whether a kind is one of identifiers. */
export function isIdentifierKind(kind: ColumnKind): kind is IdentifierKind {
  return IDENTIFIER_KINDS.some((each) => each === kind);
}

/** A column of a kind; undefined when such values cannot be hashed. */
export function columnOf(kind: ColumnKind, isHashed: boolean): Column | undefined {
  return isHashed && !(isIdentifierKind(kind) && isHashedKind(kind)) ? undefined : { kind, isHashed };
}

/** The content of a column by its name; undefined for unknown names. */
export function columnOfName(name: string): Column | undefined {
  const found = kindOfName(name);
  return found && columnOf(found.kind, found.isHashed);
}

const HASH = /^[0-9a-f]{64}$/i;
const DATE = /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/;

/** Patterns of values that are unmistakable. */
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

/** Whether a row has values rather than the names of columns. */
export function isRowOfValues(row: readonly string[]): boolean {
  const hasNames = row.some((text) => columnOfName(text) !== undefined);
  return !hasNames && row.some((text) => HASH.test(text.trim()) || kindOfValue(text) !== undefined);
}

/** The content of a column by its values, if most of them match one pattern. */
export function columnOfValues(values: readonly string[]): Column | undefined {
  const separated = values.flatMap(separate);
  const kinds = Map.groupBy(separated, kindOfValue);
  const kind = IDENTIFIER_KINDS.find((each) => (kinds.get(each)?.length ?? 0) * 2 > separated.length);
  return kind && { kind, isHashed: false };
}

/** How a row is read. */
export interface RowPlan {
  readonly columns: Columns;
  /** The country of phone numbers without its code, where the row has none. */
  readonly country: string | undefined;
  /** When people become and cease to be members, where the row does not say. */
  readonly window: Window;
  /** Unix milliseconds. */
  readonly now: number;
  /** The SHA-256 of a text, as 64 lower-case hexadecimal digits. */
  hash(text: string): string;
}

/** Reads a row. A value that cannot be used is left out; a row without any other is refused. @source decision 279 */
export function readRow(values: readonly string[], plan: RowPlan): PersonRow {
  const faults: RowFault[] = [];
  const person: Partial<Record<IdentifierKind, string[]>> = {};
  const window = { ...plan.window };
  const refuse = (column: number | undefined, reason: Reason): PersonRow => {
    return { person: undefined, window, faults: [...faults, { column, reason }] };
  };
  const { columns } = plan;
  if (values.some((text, index) => index >= columns.length && text.trim() !== '')) {
    return refuse(undefined, 'too_many_values');
  }
  const country = countryOf(values, columns) ?? plan.country;
  for (const [index, column] of columns.entries()) {
    const text = values[index]?.trim() ?? '';
    if (!column || column.kind === 'country' || text === '') continue;
    const { kind } = column;
    if (kind === 'effective_at' || kind === 'expires_at') {
      window[kind] = timeOf(text);
      if (window[kind] === undefined) return refuse(index, 'date');
      if (kind === 'expires_at' && Date.parse(window[kind]) <= plan.now) return refuse(index, 'expired');
      continue;
    }
    for (const each of kind === 'partner_user_id' ? [text] : separate(text)) {
      const read = identifierOf({ kind, isHashed: column.isHashed }, each, { ...plan, country });
      if ('unusable' in read) faults.push({ column: index, reason: read.unusable });
      else person[kind] = [...(person[kind] ?? []), read.form];
    }
  }
  if (Object.keys(person).length > 0) return { person, window, faults };
  return faults.length > 0 ? { person: undefined, window, faults } : refuse(undefined, 'no_identifier');
}

/** An identifier as it is sent. */
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

/** The values of a cell. */
function separate(text: string): string[] {
  return text.split(/[;,|\n]/).flatMap((each) => each.trim() || []);
}

function countryOf(values: readonly string[], columns: Columns): string | undefined {
  const index = columns.findIndex((column) => column?.kind === 'country');
  const code = values[index]?.trim().toUpperCase();
  return code !== undefined && PHONE_COUNTRIES.includes(code) ? code : undefined;
}

/** An ISO 8601 time, or a date with dots, which has the day first. */
function timeOf(text: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  return parseInstant(year ? `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}` : text);
}
