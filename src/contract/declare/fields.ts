import { parseInstant } from '../../base/instants.ts';
import { type Schema, Type } from '../../base/json-schema.ts';
import { asciiLowerCase, codePointLength, isInexact, isLegalText, jsonText } from '../../base/text.ts';
import type { ErrorDetail, ProblemName } from '../problems/problems.ts';
import { outOfRange } from './out-of-range.ts';

/** A parameter as received: text from a query or form, any JSON value from a JSON body. */
export type RawValue = string | number | boolean | null | readonly RawValue[] | { readonly [key: string]: RawValue };

/** A value as stored in the database: booleans are 0 or 1, lists are JSON text, instants UTC text. */
export type StoredValue = string | number;

/** A kind of field: how it is parsed, stored and serialized. `T` is the stored type of a non-null value. */
export interface FieldKind<T extends StoredValue> {
  readonly name: string;
  /** The column type in both databases; `none` has no column. `integer` is a 64-bit column that holds up to 53 bits. */
  readonly column: 'text' | 'integer' | 'none';
  /** Converts a raw value to its stored form, or returns an error. Never called with an empty value. */
  read(raw: RawValue, parameter: string): T | ErrorDetail;
  /** The JSON text of a stored value. */
  toJson(stored: T): string;
  /** Whether an empty value of a required parameter is parsed like any other, instead of counting as missing. */
  readonly readsEmpty?: boolean;
  /** JSON Schema of a non-null value in replies. */
  readonly schema: Schema;
  /** All errors of a value that can have several; `read` returns only the first. */
  errors?(raw: RawValue, parameter: string): readonly ErrorDetail[];
  /** The errors that `read` can return, for the API description. */
  readonly problems: readonly ProblemName[];
}

/** A declared field of a resource, or a declared parameter of an endpoint. */
// biome-ignore lint/suspicious/noExplicitAny: a field of any stored type
export interface Field<T extends StoredValue = any> {
  readonly kind: FieldKind<T>;
  readonly description: string;
  /** Required on create. */
  readonly isRequired: boolean;
  /** Required on update too. */
  readonly isRequiredOnUpdate: boolean;
  /** Omitted from replies when null. */
  readonly isOmittedWhenNull: boolean;
  /** May be null in replies; a mandatory attribute may not be unset. */
  readonly isNullable: boolean;
  /** `create`: writable on create only, ignored later. `none`: set by the service, ignored. `refused`: see `refused()`. */
  readonly writable: 'input' | 'create' | 'none' | 'refused';
  readonly defaultValue: T | undefined;
  /** The stored value of an empty parameter, if not null. */
  readonly emptyValue: T | undefined;
  /** The name of the list filter on this field, if any. */
  readonly filter: string | undefined;
  readonly isSortable: boolean;
  /** The referenced resource, if any. */
  readonly target: (() => Target) | undefined;
  /** Whether a deleted target is found; then a rule of the resource reports the error. @source decision 35 */
  readonly deletedTarget: 'hidden' | 'shown';
  /** Optional and never null: without input, its value is derived from other fields. */
  readonly isDerived: boolean;
  /** Whether the target is locked while a row that references it is created. */
  readonly locksTarget: boolean;
  /** Never included in replies. */
  readonly isHidden: boolean;
  /** The kind that parses it on update, if different from create. */
  readonly updateKind: FieldKind<T> | undefined;

  /** Mandatory: required on create, never null, never unset. */
  required(): Field<T>;
  /** Mandatory on update too. */
  requiredAlways(): Field<T>;
  /** Omitted from replies when null. */
  omittedWhenNull(): Field<T>;
  /** The value when the input has none; never null unless `nullable()` follows. */
  defaults(value: T): Field<T>;
  /** The value when the input has none or an empty one; never null. */
  resetsTo(value: T): Field<T>;
  nullable(): Field<T>;
  /** Set by `derive` of the resource when the input has no value or an empty one; never null. */
  derived(): Field<T>;
  /** Stored, but never included in replies. */
  hidden(): Field<T>;
  /** Parsed on update as another field. */
  onUpdate(other: Field<T>): Field<T>;
  /** Accepted on create; accepted without effect on update. @source decision 32 */
  createOnly(): Field<T>;
  /** Set by the service; ignored as input. */
  readOnly(): Field<T>;
  /** Set by the service; rejected as input, unless equal to the stored value. */
  refused(): Field<T>;
  /** Adds a list filter of this name: one value or a comma-separated list of up to 200. */
  filteredBy(parameter: string): Field<T>;
  sortable(): Field<T>;
  /** The description in the API reference. */
  describe(about: string): Field<T>;
}

/** The properties of a resource that references to it use. */
export interface Target {
  readonly name: string;
  readonly label: string;
  readonly notFound: ProblemName;
}

type Facts<T extends StoredValue> = Pick<
  Field<T>,
  | 'kind'
  | 'description'
  | 'isRequired'
  | 'isRequiredOnUpdate'
  | 'isOmittedWhenNull'
  | 'isNullable'
  | 'writable'
  | 'defaultValue'
  | 'emptyValue'
  | 'filter'
  | 'isSortable'
  | 'target'
  | 'deletedTarget'
  | 'locksTarget'
  | 'isDerived'
  | 'isHidden'
  | 'updateKind'
>;

/** A field of a kind: by default optional, nullable, writable, and neither a filter nor a sort key. */
export function field<T extends StoredValue>(kind: FieldKind<T>, facts: Partial<Facts<T>> = {}): Field<T> {
  const own: Facts<T> = {
    kind,
    description: '',
    isRequired: false,
    isRequiredOnUpdate: false,
    isOmittedWhenNull: false,
    isNullable: true,
    writable: 'input',
    defaultValue: undefined,
    emptyValue: undefined,
    filter: undefined,
    isSortable: false,
    target: undefined,
    deletedTarget: 'hidden',
    locksTarget: false,
    isDerived: false,
    isHidden: false,
    updateKind: undefined,
    ...facts,
  };
  const but = (changed: Partial<Facts<T>>): Field<T> => field(kind, { ...own, ...changed });
  return {
    ...own,
    required: () => but({ isRequired: true, isNullable: false }),
    requiredAlways: () => but({ isRequired: true, isRequiredOnUpdate: true, isNullable: false }),
    omittedWhenNull: () => but({ isOmittedWhenNull: true }),
    defaults: (fallback) => but({ defaultValue: fallback, isNullable: false }),
    resetsTo: (fallback) => but({ defaultValue: fallback, emptyValue: fallback, isNullable: false }),
    derived: () => but({ isDerived: true, isNullable: false }),
    hidden: () => but({ isHidden: true }),
    onUpdate: (other) => but({ updateKind: other.kind }),
    nullable: () => but({ isNullable: true }),
    createOnly: () => but({ writable: 'create' }),
    readOnly: () => but({ writable: 'none' }),
    refused: () => but({ writable: 'refused', isRequired: false }),
    filteredBy: (filter) => but({ filter }),
    sortable: () => but({ isSortable: true }),
    describe: (about) => but({ description: about }),
  };
}

/** Whether reading a parameter returned an error. */
export function isErrorDetail(value: unknown): value is ErrorDetail {
  return typeof value === 'object' && value !== null && 'problem' in value;
}

/** An invalid value, as messages quote it. */
export const quoted = (raw: RawValue): string => (typeof raw === 'string' ? raw : JSON.stringify(raw));

/** Text of 1 to `max` Unicode code points, kept as received. @source decision 22; decision 23; decision 24 */
export function text({ max }: { max: number }): Field<string> {
  return field<string>({
    name: 'text',
    column: 'text',
    schema: Type.String({ minLength: 1, maxLength: max }),
    problems: ['NOT_TEXT', 'TEXT_TOO_LONG', 'ILLEGAL_CHARACTERS'],
    toJson: jsonText,
    read(raw, parameter) {
      if (typeof raw !== 'string') return { problem: 'NOT_TEXT', parameter };
      const length = codePointLength(raw);
      if (length > max) return { problem: 'TEXT_TOO_LONG', parameter, words: { max, length } };
      return isLegalText(raw) ? raw : { problem: 'ILLEGAL_CHARACTERS', parameter };
    },
  });
}

/** An enum value, case-sensitive. @source decision 21 */
export function oneOf<const W extends string>(...words: readonly W[]): Field<W> {
  const known = new Set<string>(words);
  const list = [...words].sort().join(', ');
  return field<W>({
    name: 'enum',
    column: 'text',
    schema: Type.Union(words.map((word) => Type.Literal(word))),
    problems: ['NOT_IN_ENUM'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      if (typeof raw === 'string' && known.has(raw)) return raw as W;
      return { problem: 'NOT_IN_ENUM', parameter, words: { list, raw: quoted(raw) } };
    },
  });
}

/** Parses a whole number of at most 53 bits. */
function readLong(raw: RawValue, parameter: string): number | ErrorDetail {
  const value = typeof raw === 'number' ? raw : typeof raw === 'string' && /^-?\d{1,16}$/.test(raw) ? Number(raw) : NaN;
  return Number.isSafeInteger(value) ? value : { problem: 'NOT_LONG', parameter, words: { raw: quoted(raw) } };
}

/** An amount of money in micro units of its currency, 1 to 9007199254740991. @source campaigns 1.3; decision 18 */
export function micros(): Field<number> {
  return field({
    name: 'micros',
    column: 'integer',
    schema: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    problems: ['NOT_LONG', 'NOT_POSITIVE'],
    toJson: String,
    read(raw, parameter) {
      const value = readLong(raw, parameter);
      if (typeof value === 'number' && value <= 0) return { problem: 'NOT_POSITIVE', parameter, words: { raw: value } };
      return value;
    },
  });
}

/** A whole number from `min` to `max`. */
export function integer({ min, max }: { min: number; max: number }): Field<number> {
  return field({
    name: 'integer',
    column: 'integer',
    schema: Type.Integer({ minimum: min, maximum: max }),
    problems: ['NOT_LONG', 'OUT_OF_RANGE'],
    toJson: String,
    read(raw, parameter) {
      const value = readLong(raw, parameter);
      const isBeyond = typeof value === 'number' && (value < min || value > max);
      return isBeyond ? outOfRange(parameter, { min, max, raw: value }) : value;
    },
  });
}

/** An enum of whole numbers. */
export function oneOfNumbers(...numbers: readonly number[]): Field<number> {
  const list = numbers.join(', ');
  return field({
    name: 'number enum',
    column: 'integer',
    schema: Type.Union(numbers.map((number) => Type.Literal(number))),
    problems: ['NOT_IN_ENUM'],
    toJson: String,
    read(raw, parameter) {
      const value = readLong(raw, parameter);
      if (typeof value === 'number' && numbers.includes(value)) return value;
      return { problem: 'NOT_IN_ENUM', parameter, words: { list, raw: quoted(raw) } };
    },
  });
}

/** An identifier of up to `max` decimal digits, kept as text. */
export function digits({ max }: { max: number }): Field<string> {
  const shape = new RegExp(`^\\d{1,${max}}$`);
  return field({
    name: 'digits',
    column: 'text',
    schema: Type.String({ pattern: shape.source }),
    problems: ['NOT_LONG'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const value = (typeof raw === 'number' && !isInexact(raw)) || typeof raw === 'string' ? String(raw) : '';
      return shape.test(value) ? value : { problem: 'NOT_LONG', parameter, words: { raw: quoted(raw) } };
    },
  });
}

const BOOLEANS = new Map<unknown, 0 | 1>([
  ['true', 1],
  ['t', 1],
  ['1', 1],
  [1, 1],
  [true, 1],
  ['false', 0],
  ['f', 0],
  ['0', 0],
  [0, 0],
  [false, 0],
]);

/** A boolean, stored as 1 or 0. Several spellings are accepted. */
export function boolean(): Field<0 | 1> {
  return field<0 | 1>({
    name: 'boolean',
    column: 'integer',
    schema: Type.Boolean(),
    problems: ['NOT_BOOLEAN'],
    toJson: (stored) => (stored ? 'true' : 'false'),
    read(raw, parameter) {
      const value = BOOLEANS.get(typeof raw === 'string' ? raw.toLowerCase() : raw);
      return value ?? { problem: 'NOT_BOOLEAN', parameter, words: { raw: quoted(raw) } };
    },
  });
}

/** A UTC time with second precision. */
export function instant(): Field<string> {
  return field({
    name: 'instant',
    column: 'text',
    schema: Type.String({ format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$' }),
    problems: ['NOT_TIME'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      const value = typeof raw === 'string' ? parseInstant(raw) : undefined;
      if (value !== undefined) return value;
      const shown = quoted(raw);
      return { problem: 'NOT_TIME', parameter, words: { raw: shown }, details: 'invalid date', value: shown };
    },
  });
}

const ID_MAX = 64;

/** Whether a text has the form of an id: lower-case base 36, which includes decimal ids. @source decision 25 */
export function isId(value: string): boolean {
  return value.length <= ID_MAX && /^[0-9a-z]+$/.test(value);
}

const idKind: FieldKind<string> = {
  name: 'id',
  column: 'text',
  schema: Type.String({ pattern: '^[0-9a-z]+$', maxLength: ID_MAX }),
  problems: ['NOT_AN_ID'],
  toJson: (stored) => `"${stored}"`,
  read(raw, parameter) {
    const value = typeof raw === 'number' ? String(raw) : typeof raw === 'string' ? asciiLowerCase(raw.trim()) : '';
    return isId(value) && !isInexact(raw) ? value : { problem: 'NOT_AN_ID', parameter, words: { raw: quoted(raw) } };
  },
};

/** An id: lower-case base 36 or decimal text; upper-case letters are folded. @source decision 25; decision 22 */
export function id(): Field<string> {
  return field(idKind);
}

/**
 * The id of another resource of the same account. A deleted one is not found unless `deleted` is `shown`. With `locked`
 * it is locked while a row that references it is created.
 */
export function reference(
  target: () => Target,
  { deleted = 'hidden', locked = false }: { readonly deleted?: 'hidden' | 'shown'; readonly locked?: boolean } = {},
): Field<string> {
  return field(idKind, { target, deletedTarget: deleted, locksTarget: locked });
}

/**
 * A list of items of one kind, stored as JSON text; parsed from comma-separated text or a JSON array. Blank items are
 * dropped, then duplicates, keeping the first. With `min` 0 it may be empty, which is the default, and is never null.
 * Without `max` the declaring resource checks the number of items.
 * @source campaigns 1.4; decision 22; decision 45
 */
export function listOf(item: Field<string>, { min = 1, max }: { min?: 0 | 1; max?: number } = {}): Field<string> {
  const kind: FieldKind<string> = {
    name: 'list',
    column: 'text',
    schema: Type.Array(item.kind.schema, { minItems: min, ...(max === undefined ? {} : { maxItems: max }) }),
    problems: [
      ...item.kind.problems,
      ...(min ? (['TOO_FEW_ITEMS'] as const) : []),
      ...(max === undefined ? [] : (['TOO_MANY_ITEMS'] as const)),
    ],
    toJson: (stored) => stored,
    read(raw, parameter) {
      const parts: readonly RawValue[] =
        typeof raw === 'string' ? raw.split(',').map((part) => part.trim()) : [raw].flat();
      const values = new Set<string>();
      for (const part of parts) {
        if (part === '' || part === null) continue;
        const value = item.kind.read(part, parameter);
        if (isErrorDetail(value)) return value;
        values.add(value);
      }
      if (values.size < min) return { problem: 'TOO_FEW_ITEMS', parameter };
      if (max !== undefined && values.size > max) return { problem: 'TOO_MANY_ITEMS', parameter, words: { max } };
      return JSON.stringify([...values]);
    },
  };
  return min ? field(kind) : field(kind).resetsTo('[]');
}

/** Parses the items of a stored list; none if it is absent. */
export function itemsOf(stored: StoredValue | null | undefined): string[] {
  return stored == null ? [] : (JSON.parse(String(stored)) as string[]);
}
