import type { RawValue } from '../../contract/declare/fields.ts';

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

/** A value of a world that is in no file. */
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

/** Whether it has members. */
export function isObject(located: Located): located is Located & { readonly value: ReadonlyMap<string, Located> } {
  return located.value instanceof Map;
}

/** Whether it is a list. */
export function isList(located: Located): located is Located & { readonly value: readonly Located[] } {
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
