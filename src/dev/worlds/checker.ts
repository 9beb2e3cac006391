import { InputErrors } from '../../base/input-error.ts';
import { instantMs, parseInstant } from '../../base/instants.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import type { Parameters } from '../../contract/declare/operation.ts';
import { type ErrorDetail, type Family, wordingOf } from '../../contract/problems/problems.ts';
import { readParameters } from '../../engine/read-parameters.ts';
import { parseDuration } from '../clock/times.ts';

/** A value of a world file, with the place where it is written. */
export interface Located {
  /** Its members from the root, such as `accounts.bakery.name`; empty for the root. */
  readonly path: string;
  /** From 1; undefined for a world that is in no file. */
  readonly line: number | undefined;
  readonly value: string | number | boolean | null | readonly Located[] | ReadonlyMap<string, Located>;
  /** How a number is written: a place id such as `12e45` looks like one. */
  readonly source?: string;
}

/** Wraps a value of a world that is in no file. */
export function locatePlain(value: RawValue, path = ''): Located {
  if (typeof value !== 'object' || value === null) return { path, line: undefined, value };
  if (Array.isArray(value)) {
    const items = value.map((item, index) => locatePlain(item as RawValue, `${path}[${index}]`));
    return { path, line: undefined, value: items };
  }
  const members = Object.entries(value).map(
    ([name, each]) => [name, locatePlain(each, path === '' ? name : `${path}.${name}`)] as const,
  );
  return { path, line: undefined, value: new Map(members) };
}

/** Whether a value is an object. */
export function isObject(located: Located): located is Located & { readonly value: ReadonlyMap<string, Located> } {
  return located.value instanceof Map;
}

/** Whether a value is a list. */
function isList(located: Located): located is Located & { readonly value: readonly Located[] } {
  return Array.isArray(located.value);
}

/** The value without places; numbers as they are written where `asText` says so. */
export function plainOf(located: Located, asText: (scalar: Located) => boolean = () => false): RawValue {
  if (isList(located)) return located.value.map((each) => plainOf(each, asText));
  if (isObject(located)) {
    return Object.fromEntries([...located.value].map(([name, each]) => [name, plainOf(each, asText)]));
  }
  if (located.source !== undefined && asText(located)) return located.source;
  return located.value as string | number | boolean | null;
}

/** Collects the errors of a world file. */
export class Complaints {
  private readonly found: { readonly line: number; readonly text: string }[] = [];
  private readonly file: string;
  constructor(file: string) {
    this.file = file;
  }
  /** Adds an error of a value; `member` names a missing member of it. */
  add({ line, path }: Pick<Located, 'line' | 'path'>, message: string, member = ''): void {
    const place = line === undefined ? this.file : `${this.file}:${line}`;
    const whole = [path, member].filter((part) => part !== '').join('.');
    this.found.push({ line: line ?? 0, text: `${place}: ${whole === '' ? message : `${whole}: ${message}`}` });
  }
  /** Rejects the file if there are errors. @throws InputErrors with all errors by line */
  refuse(): void {
    if (this.found.length === 0) return;
    throw new InputErrors([...new Set(this.found.sort((a, b) => a.line - b.line).map(({ text }) => text))]);
  }
}

/** The members that an entry may have: fields, and others by name. */
export interface Allowed {
  readonly fields: Parameters;
  readonly others: readonly string[];
}

/** The members of an entry, of those that it may have. A missing value counts as an empty object. */
export function membersOf(located: Located, { fields, others }: Allowed, complaints: Complaints): Members {
  if (located.value === null) return new Map();
  if (!isObject(located)) {
    complaints.add(located, 'expected an object');
    return new Map();
  }
  const known = [...Object.keys(fields), ...others];
  for (const [name, member] of located.value) {
    if (!known.includes(name)) complaints.add(member, `unknown member; expected one of ${known.join(', ')}`);
  }
  return new Map([...located.value].filter(([name]) => known.includes(name)));
}

/** Members by name. */
export type Members = ReadonlyMap<string, Located>;

const KEY = /^[A-Za-z][\w-]{0,63}$/;

/** The entries of an object with chosen names. */
export function entriesOf(located: Located | undefined, complaints: Complaints): [key: string, entry: Located][] {
  if (located === undefined || located.value === null) return [];
  if (!isObject(located)) {
    complaints.add(located, 'expected an object of named entries');
    return [];
  }
  const entries = [...located.value];
  for (const [key, entry] of entries) {
    if (KEY.test(key)) continue;
    complaints.add(entry, 'a name has 1 to 64 letters, digits, hyphens and underscores, and begins with a letter');
  }
  return entries;
}

/** Returns the items of a list; a single value counts as a list of one. */
export function itemsOf(located: Located | undefined): readonly Located[] {
  if (located === undefined || located.value === null) return [];
  return isList(located) ? located.value : [located];
}

/** Reads a text, such as the name of another entry. */
export function textOf(located: Located, complaints: Complaints): string | undefined {
  if (typeof located.value === 'string') return located.value;
  if (located.source !== undefined) return located.source;
  complaints.add(located, 'expected a text');
  return undefined;
}

/** Whether a parameter takes a time. */
const isTime = (name: string, fields: Parameters): boolean => fields[name]?.kind.name === 'instant';
/** Whether a parameter takes a number. */
const isNumeric = (name: string, fields: Parameters): boolean =>
  ['integer', 'number'].includes(String(fields[name]?.kind.schema.type)) || fields[name]?.kind.name === 'number enum';

/** Milliseconds of a time that is relative to another, such as `+P3D`; undefined for anything else. */
function relativeTime(text: string): number | undefined {
  const [, sign, duration] = /^([+-])(P.+)$/.exec(text) ?? [];
  const ms = duration === undefined ? undefined : parseDuration(duration);
  return ms === undefined ? undefined : sign === '-' ? -ms : ms;
}

/** Returns the raw values of fields; relative times are resolved against `now` (UTC text). */
export function rawOf(members: Members, fields: Parameters, now: string): Map<string, RawValue> {
  const raw = new Map<string, RawValue>();
  for (const [name, located] of members) {
    if (!(name in fields)) continue;
    const value = plainOf(located, () => !isNumeric(name, fields));
    const ms = isTime(name, fields) && typeof value === 'string' ? relativeTime(value) : undefined;
    raw.set(name, ms === undefined ? value : formatShifted(now, ms));
  }
  return raw;
}

function formatShifted(now: string, ms: number): string {
  const date = new Date(instantMs(now) + ms);
  return Number.isNaN(date.getTime()) ? 'out of range' : (parseInstant(`${date.toISOString().slice(0, 19)}Z`) ?? '');
}

/** Parses fields as the operation does, and reports errors. */
export function checkFields(
  of: { readonly at: Located; readonly members: Members },
  parameters: Parameters,
  {
    now,
    complaints,
    family = 'ads',
  }: { readonly now: string; readonly complaints: Complaints; readonly family?: Family },
): ReturnType<typeof readParameters>['input'] {
  const raw = rawOf(of.members, parameters, now);
  const { input, errors } = readParameters(parameters, new Map([...raw].map(([name, value]) => [name, [value]])));
  for (const error of errors) complain(of, error, { complaints, family });
  return input;
}

/** Reports an error of a call at the member that caused it. */
export function complain(
  { at, members }: { readonly at: Located; readonly members: Members },
  error: ErrorDetail,
  of: {
    readonly complaints: Complaints;
    readonly family: Family;
    /** The members that stand for parameters of other names. */
    readonly memberOf?: (parameter: string) => string | undefined;
  },
): void {
  const parameter = error.parameter ?? error.attribute;
  const name = parameter === undefined ? undefined : (of.memberOf?.(parameter) ?? parameter);
  const { message } = wordingOf(error, of.family);
  const member = name === undefined ? undefined : members.get(name);
  if (member) of.complaints.add(member, message);
  else of.complaints.add(at, message, name);
}
