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
  matches(row: R, input: string): boolean;
}

/**
 * How much of the rows a reply shows: a `page` with a cursor to the next; the first `count`, beyond which no cursor leads;
 * or the `whole`.
 */
export type Paging =
  | { readonly is: 'page'; readonly default: number; readonly max: number; readonly hasTotalCount?: boolean }
  | { readonly is: 'count'; readonly default: number; readonly max: number }
  | { readonly is: 'whole' };

/** The usual paging of a list. @source campaigns 1.6 */
export const DEFAULT_PAGING = { is: 'page', default: 200, max: 1000 } as const satisfies Paging;

/** A look-up of rows that no caller can change: everything that one is, and the operation is made of it. */
export interface Lookup<R extends object> {
  /** Unique among operations: `locations` makes `locations.list`. */
  readonly name: string;
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly about: string;
  /** What it stands under in the reference. */
  readonly group: string;
  readonly groupDescription?: string;
  readonly rate: RateName;
  /** Set when the path names an account. */
  readonly roles?: readonly Role[];
  readonly filters: Readonly<Record<string, Filter<R>>>;
  /** Parameters that change what a row shows. */
  readonly displayParameters?: Parameters;
  readonly paging: Paging;
  /** The members of a row in the order of replies; a literal is said of every row, an optional one where it is known. */
  readonly row: TObject;
  /** All rows, in the order of the list. */
  rows(call: LookupCall): readonly R[];
  /** Where a row stands, when rows move with time: sorts as the rows are sorted. */
  sortKey?(row: R): string;
  /** Members that a row shows otherwise, or that depend on what was asked. */
  computedMembers?(row: R, input: Input): object;
  /** Parameters that are good each by itself and wrong together. */
  readonly problems?: Operation['problems'];
  /** Parameters of a call that shows what is found here, in a few rows where that can be. */
  readonly example: Example['params'];
  check?(input: Input): readonly ErrorDetail[];
}

/** What rows can depend on. */
export interface LookupCall {
  readonly input: Input;
  /** UTC text of the present second. */
  readonly now: string;
}

/** The filter `q`: part of the name, whatever its case and accents. @source campaigns 11 */
export function nameSearch<R extends { readonly name: string }>(): Record<'q', Filter<R>> {
  return {
    q: {
      field: text({ max: 255 }).describe('Part of the name; case and accents make no difference.'),
      matches: (row, input) => foldName(row.name).includes(input),
    },
  };
}

/** The operation of a look-up. */
export function lookupOperation<R extends object>(declared: Lookup<R>): Operation {
  const { name, path, aliases, about, group, groupDescription, rate, roles, paging, row } = declared;
  const isPaged = paging.is === 'page';
  const checks = isPaged && paging.hasTotalCount ? [cursorExcludesTotalCount] : [];
  return {
    id: `${name}.list`,
    method: 'GET',
    path,
    aliases,
    description: about,
    group,
    groupDescription,
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
    validate: (input) => [...checks.flatMap((check) => check(input)), ...(declared.check?.(input) ?? [])],
    perform: async (call) => answer(declared, call),
  };
}

function parametersOf<R extends object>({ filters, displayParameters, paging }: Lookup<R>): Parameters {
  const parameters: Record<string, Field> = Object.fromEntries(
    Object.entries(filters).map(([name, { field }]) => [name, field]),
  );
  if ('max' in paging) {
    parameters.count = integer({ min: 1, max: paging.max }).describe(`Rows a page; ${paging.default} when not given.`);
  }
  if (paging.is === 'page') {
    parameters.cursor = text({ max: 2000 }).describe('Continues from a `next_cursor`.');
    if (paging.hasTotalCount)
      parameters.with_total_count = boolean().describe('Adds `total_count`; excludes `cursor`.');
  }
  return { ...parameters, ...displayParameters };
}

function cursorExcludesTotalCount(input: Input): readonly ErrorDetail[] {
  if (!input.with_total_count || input.cursor === undefined) return [];
  const [a, b] = ['with_total_count', 'cursor'] as const;
  return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
}

/** When examples are asked, where a look-up depends on it and none of the parameters says. */
const EXAMPLE_NOW = '2026-01-01T00:00:00Z';

function answer<R extends object>(declared: Lookup<R>, { input, now }: Pick<Call, 'input' | 'now'>): Answer {
  const { paging } = declared;
  const all = declared.rows({ input, now });
  const filters = activeFilters(declared, input);
  const matchesAll = (row: R): boolean => filters.every((matches) => matches(row));
  const show = (rows: readonly R[]): string => `[${rows.map((row) => rowToJson(declared, row, input)).join(',')}]`;
  if (!('max' in paging)) {
    return { data: show(all.filter(matchesAll)), nextCursor: null };
  }
  const count = Number(input.count ?? paging.default);
  const list = JSON.stringify([declared.name, all.length, withoutPaging(input)]);
  const after = readCursor(input.cursor, list, declared.sortKey ? 'string' : 'number');
  const positioned = all.map((row, index) => [declared.sortKey?.(row) ?? index, row] as const);
  const found = positioned.filter(([, row]) => matchesAll(row));
  const rest = after === undefined ? found : found.filter(([position]) => position > after);
  const page = rest.slice(0, count);
  return {
    data: show(page.map(([, row]) => row)),
    nextCursor: paging.is === 'page' && rest.length > count ? encodeCursor({ after: [page.at(-1)![0]] }, list) : null,
    totalCount: input.with_total_count ? found.length : undefined,
  };
}

/** What must not change between pages. */
function withoutPaging({ count: _, cursor: __, with_total_count: ___, ...filters }: Input): Input {
  return filters;
}

function activeFilters<R extends object>({ filters }: Lookup<R>, input: Input): ((row: R) => boolean)[] {
  return Object.entries(filters).flatMap(([name, { field, matches }]) => {
    const value = input[name] ?? field.defaultValue;
    if (value === undefined) return [];
    const wanted = name === 'q' ? foldName(String(value)) : String(value);
    return [(row: R) => matches(row, wanted)];
  });
}

function readCursor(cursor: unknown, list: string, type: 'string' | 'number'): string | number | undefined {
  if (cursor === undefined) return undefined;
  const [after] = decodeCursor(String(cursor), list, 1)?.after ?? [];
  if (after !== null && typeof after === type) return after as string | number;
  throw problem('CURSOR_INVALID', { parameter: 'cursor', words: { raw: String(cursor) } });
}

/** A row as JSON text: the members of its schema, in that order. */
function rowToJson<R extends object>({ row: schema, computedMembers }: Lookup<R>, row: R, input: Input): string {
  const known = { ...row, ...computedMembers?.(row, input) } as Record<string, unknown>;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties as Record<string, TSchema & { const?: unknown }>)) {
    members[name] = member.const ?? known[name];
  }
  return JSON.stringify(members);
}
