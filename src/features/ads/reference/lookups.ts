import Type, { type TObject, type TSchema } from 'typebox';
import { decodeCursor, encodeCursor } from '../../../base/cursor.ts';
import { foldName } from '../../../base/text.ts';
import { boolean, type Field, integer, text } from '../../../contract/declare/fields.ts';
import type {
  Answer,
  Call,
  Example,
  Input,
  Operation,
  Parameters,
  RateName,
} from '../../../contract/declare/operation.ts';
import type { Role } from '../../../contract/declare/roles.ts';
import { type ErrorDetail, problem } from '../../../contract/problems/problems.ts';

/** A parameter that leaves rows out. */
export interface Filter<R> {
  readonly field: Field;
  /** Whether a row stays. `given` is the value as read, or what the field is when it is not given. */
  keeps(row: R, input: string): boolean;
}

/**
 * How much of the rows a reply shows: a `page` with a cursor to the next; the first `count`, beyond which no cursor leads;
 * or the `whole`.
 */
export type Extent =
  | { readonly is: 'page'; readonly default: number; readonly max: number; readonly isCounted?: boolean }
  | { readonly is: 'count'; readonly default: number; readonly max: number }
  | { readonly is: 'whole' };

/** The usual extent of a list. @source campaigns 1.6 */
export const PAGES = { is: 'page', default: 200, max: 1000 } as const satisfies Extent;

/** A look-up of rows that no caller can change: everything that one is, and the operation is made of it. */
export interface Lookup<R extends object> {
  /** Unique among operations: `locations` makes `locations.list`. */
  readonly name: string;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  /** What it stands under in the reference. */
  readonly group: string;
  readonly groupAbout?: string;
  readonly rate: RateName;
  /** Set when the path names an account. */
  readonly roles?: readonly Role[];
  readonly filters: Readonly<Record<string, Filter<R>>>;
  /** Parameters that change what a row shows. */
  readonly wording?: Parameters;
  readonly extent: Extent;
  /** The members of a row in the order of replies; a literal is said of every row, an optional one where it is known. */
  readonly row: TObject;
  /** All rows, in the order of the list. */
  rows(asked: Asked): readonly R[];
  /** Where a row stands, when rows move with time: sorts as the rows are sorted. */
  place?(row: R): string;
  /** Members that a row shows otherwise, or that depend on what was asked. */
  shown?(row: R, input: Input): object;
  /** Parameters that are good each by itself and wrong together. */
  readonly problems?: Operation['problems'];
  /** Parameters of a call that shows what is found here, in a few rows where that can be. */
  readonly example: Example['params'];
  check?(input: Input): readonly ErrorDetail[];
}

/** What rows can depend on. */
export interface Asked {
  readonly input: Input;
  /** UTC text of the present second. */
  readonly now: string;
}

/** The filter `q`: part of the name, whatever its case and accents. @source campaigns 11 */
export function search<R extends { readonly name: string }>(): Record<'q', Filter<R>> {
  return {
    q: {
      field: text({ max: 255 }).says('Part of the name; case and accents make no difference.'),
      keeps: (row, input) => foldName(row.name).includes(input),
    },
  };
}

/** The operation of a look-up. */
export function lookup<R extends object>(declared: Lookup<R>): Operation {
  const { name, path, aliases, about, group, groupAbout, rate, roles, extent, row } = declared;
  const isPaged = extent.is === 'page';
  const checks = isPaged && extent.isCounted ? [exclusive] : [];
  return {
    id: `${name}.list`,
    method: 'GET',
    path,
    aliases,
    about,
    group,
    groupAbout,
    family: 'ads',
    roles,
    rate,
    parameters: parametersOf(declared),
    body: 'form',
    shape: 'list',
    reply: Type.Array(row),
    problems: [
      ...(isPaged ? (['CURSOR_INVALID'] as const) : []),
      ...(checks.length > 0 ? (['EXCLUSIVE_PARAMETERS'] as const) : []),
      ...(declared.problems ?? []),
    ],
    example: { params: declared.example, answer: (input) => answer(declared, { input, now: EXAMPLE_NOW }) },
    check: (input) => [...checks.flatMap((check) => check(input)), ...(declared.check?.(input) ?? [])],
    perform: async (call) => answer(declared, call),
  };
}

function parametersOf<R extends object>({ filters, wording, extent }: Lookup<R>): Parameters {
  const parameters: Record<string, Field> = Object.fromEntries(
    Object.entries(filters).map(([name, { field }]) => [name, field]),
  );
  if ('max' in extent) {
    parameters.count = integer({ min: 1, max: extent.max }).says(`Rows a page; ${extent.default} when not given.`);
  }
  if (extent.is === 'page') {
    parameters.cursor = text({ max: 2000 }).says('Continues from a `next_cursor`.');
    if (extent.isCounted) parameters.with_total_count = boolean().says('Adds `total_count`; excludes `cursor`.');
  }
  return { ...parameters, ...wording };
}

function exclusive(input: Input): readonly ErrorDetail[] {
  if (!input.with_total_count || input.cursor === undefined) return [];
  const [a, b] = ['with_total_count', 'cursor'] as const;
  return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
}

/** When examples are asked, where a look-up depends on it and none of the parameters says. */
const EXAMPLE_NOW = '2026-01-01T00:00:00Z';

function answer<R extends object>(declared: Lookup<R>, { input, now }: Pick<Call, 'input' | 'now'>): Answer {
  const { extent } = declared;
  const all = declared.rows({ input, now });
  const keeping = keepersOf(declared, input);
  const keeps = (row: R): boolean => keeping.every((keep) => keep(row));
  const show = (rows: readonly R[]): string => `[${rows.map((row) => present(declared, row, input)).join(',')}]`;
  if (!('max' in extent)) {
    return { data: show(all.filter(keeps)), nextCursor: null };
  }
  const count = Number(input.count ?? extent.default);
  const list = JSON.stringify([declared.name, all.length, withoutPage(input)]);
  const after = cursorOf(input.cursor, list, declared.place ? 'string' : 'number');
  const placed = all.map((row, index) => [declared.place?.(row) ?? index, row] as const);
  const found = placed.filter(([, row]) => keeps(row));
  const rest = after === undefined ? found : found.filter(([place]) => place > after);
  const page = rest.slice(0, count);
  return {
    data: show(page.map(([, row]) => row)),
    nextCursor: extent.is === 'page' && rest.length > count ? encodeCursor({ after: [page.at(-1)![0]] }, list) : null,
    totalCount: input.with_total_count ? found.length : undefined,
  };
}

/** What must not change between pages. */
function withoutPage({ count: _, cursor: __, with_total_count: ___, ...filters }: Input): Input {
  return filters;
}

function keepersOf<R extends object>({ filters }: Lookup<R>, input: Input): ((row: R) => boolean)[] {
  return Object.entries(filters).flatMap(([name, { field, keeps }]) => {
    const value = input[name] ?? field.fallback;
    if (value === undefined) return [];
    const wanted = name === 'q' ? foldName(String(value)) : String(value);
    return [(row: R) => keeps(row, wanted)];
  });
}

function cursorOf(cursor: unknown, list: string, type: 'string' | 'number'): string | number | undefined {
  if (cursor === undefined) return undefined;
  const [after] = decodeCursor(String(cursor), list, 1)?.after ?? [];
  if (after !== null && typeof after === type) return after as string | number;
  throw problem('CURSOR_INVALID', { parameter: 'cursor', words: { raw: String(cursor) } });
}

/** A row as JSON text: the members of its schema, in that order. */
function present<R extends object>({ row: schema, shown }: Lookup<R>, row: R, input: Input): string {
  const known = { ...row, ...shown?.(row, input) } as Record<string, unknown>;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties as Record<string, TSchema & { const?: unknown }>)) {
    members[name] = member.const ?? known[name];
  }
  return JSON.stringify(members);
}
