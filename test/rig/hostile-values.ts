/** JSON text of a value nested beyond any use. */
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** A JSON text, and what it is. */
type Hostile = readonly [what: string, json: string];

/** JSON texts that no body may have anywhere. */
export const DEEP_JSON: readonly Hostile[] = [
  ['a list nested 20,000 deep', nested(20_000)],
  ['an object nested 5,000 deep', `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`],
];

/** JSON texts of values that make careless code fail rather than refuse, whatever is expected. */
export const FLAT_JSON: readonly Hostile[] = [
  ['a number beyond all', '1e999'],
  ['minus zero', '-0'],
  ['a number that loses digits', '9007199254740993'],
  ['a prototype', '{"__proto__":{"a":1}}'],
  ['a constructor', '{"constructor":{"name":"x"}}'],
  ['a lone surrogate', '"\\ud800"'],
  ['U+0000', '"\\u0000"'],
  ['a very long text', JSON.stringify('x'.repeat(50_000))],
  ['a long list', JSON.stringify(Array.from({ length: 3000 }, (_, index) => index))],
  ['a list of lists', '[[],[[]],[{}]]'],
  ['true', 'true'],
  ['null', 'null'],
];

/** All of them. */
export const HOSTILE_JSON: readonly Hostile[] = [...DEEP_JSON, ...FLAT_JSON];

/** Further ones, on which code fails that looks into objects and lists. */
export const HOSTILE_MEMBERS: readonly Hostile[] = [
  ['a list nested as deep as is read', nested(60)],
  ['a number with a fraction', '0.1'],
  ['a prototype that is null', '{"__proto__":null}'],
  ['a constructor that is null', '{"constructor":null}'],
  ['an object that cannot be made text', '{"toString":1,"valueOf":1}'],
  ['a list of objects that cannot be made text', '[{"toString":1,"valueOf":null}]'],
  ['an object with the length of a list', '{"length":-1,"0":"a"}'],
  ['an object that looks like a promise', '{"then":1,"toJSON":1}'],
  ['an empty object', '{}'],
  ['an empty list', '[]'],
  ['an empty text', '""'],
  ['the name of a member that every object has', '"__proto__"'],
  ['the name of a method that every object has', '"hasOwnProperty"'],
  ['a very long name', `{${JSON.stringify('k'.repeat(50_000))}:1}`],
  ['a name twice', '{"type":"MEDIA","type":{"toString":1}}'],
];

/** A value as it can be changed: everything that JSON can say. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Every place in a JSON value, the whole first; names and indexes from the outside in. */
export function placesIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...path, name]))];
}

/** The JSON text of a value in which another JSON text stands at one place. */
export function textWith(value: unknown, path: readonly string[], json: string): string {
  const [name, ...rest] = path;
  if (name === undefined) return json;
  const members = Object.entries(value as Readonly<Record<string, Json>>).map(([key, each]): [string, string] => [
    key,
    key === name ? textWith(each, rest, json) : JSON.stringify(each),
  ]);
  if (Array.isArray(value)) return `[${members.map(([, text]) => text).join(',')}]`;
  return `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}
