import { decodeCursor, encodeCursor } from '../../../base/cursor.ts';
import { type ObjectSchema, Type } from '../../../base/json-schema.ts';
import { foldName } from '../../../base/text.ts';
import { boolean, type Field, integer, text } from '../../../contract/declare/fields.ts';
import type { Answer, Call, Example, Input, Operation, Parameters } from '../../../contract/declare/operation.ts';
import type { RateName } from '../../../contract/declare/rates.ts';
import type { Role } from '../../../contract/declare/roles.ts';
import { type ErrorDetail, problem } from '../../../contract/problems/problems.ts';
import { cursorParameter } from '../time-cursor.ts';

/** A parameter that filters rows. */
export interface Filter<R> {
  readonly field: Field;
  /** Whether a row is included. `input` is the parsed value, or the default of the field. */
  matches(row: R, input: string): boolean;
}

/**
 * How lists are paged: `page` has cursors; `count` returns the first rows only, without cursors; `whole` returns
 * all rows.
 */
type Paging =
  | { readonly is: 'page'; readonly default: number; readonly max: number; readonly hasTotalCount?: boolean }
  | { readonly is: 'count'; readonly default: number; readonly max: number }
  | { readonly is: 'whole' };

/** The usual paging of lists. @source campaigns 1.6 */
export const DEFAULT_PAGING = { is: 'page', default: 200, max: 1000 } as const satisfies Paging;
const WHOLE: Paging = { is: 'whole' };

/** Declares a read-only lookup endpoint, from which `lookupOperation` builds the operation. */
export interface Lookup<R extends object> {
  /** Unique among operations: `locations` gives the operation id `locations.list`. */
  readonly name: string;
  /** By default `/12/<name>`. */
  readonly path?: string;
  readonly aliases?: readonly string[];
  readonly description: string;
  /** The group in the reference page; the name by default. */
  readonly group?: string;
  readonly groupDescription?: string | undefined;
  /** `global_reads` by default. */
  readonly rate?: RateName;
  /** Set when the path contains an account. */
  readonly roles?: readonly Role[];
  readonly filters?: Readonly<Record<string, Filter<NoInfer<R>>>>;
  /** Parameters that change computed members. */
  readonly displayParameters?: Parameters;
  /** `whole` by default. */
  readonly paging?: Paging;
  /** Schema of a row, in the order of replies; literals are constant, optional members are present where known. */
  readonly row: ObjectSchema;
  /** All rows, in list order. */
  rows(call: Pick<Call, 'input' | 'now'>): readonly R[];
  /** Sort key of a row, in list order; set when the order of rows changes over time. */
  sortKey?(row: R): string;
  /** Members that are computed or depend on the input. */
  computedMembers?(row: R, input: Input): object;
  /** Problems of parameter combinations, reported by `check`. */
  readonly problems?: Operation['problems'];
  /** Parameters of an example call with few rows. */
  readonly example: Example['params'];
  check?(input: Input): readonly ErrorDetail[];
}

/** Returns the filter `q`, which matches a part of the name, ignoring case and accents. @source campaigns 11; decision 154 */
export function nameSearch<R extends { readonly name: string }>(): Record<'q', Filter<R>> {
  return {
    q: {
      field: text({ max: 255 }).describe('Part of the name, ignoring case and accents.'),
      matches: (row, input) => foldName(row.name).includes(input),
    },
  };
}

/** Builds the operation of a lookup. */
export function lookupOperation<R extends object>(declared: Lookup<R>): Operation {
  const { name, aliases, description, groupDescription, roles, paging = WHOLE, row } = declared;
  const isPaged = paging.is === 'page';
  const hasTotalCount = isPaged && paging.hasTotalCount;
  return {
    id: `${name}.list`,
    method: 'GET',
    path: declared.path ?? `/12/${name}`,
    aliases,
    description,
    group: declared.group ?? name,
    groupDescription,
    family: 'ads',
    roles,
    rate: declared.rate ?? 'global_reads',
    parameters: parametersOf(declared),
    body: 'form',
    shape: 'list',
    reply: Type.Array(row),
    problems: [
      ...(isPaged ? (['CURSOR_INVALID'] as const) : []),
      ...(hasTotalCount ? (['EXCLUSIVE_PARAMETERS'] as const) : []),
      ...(declared.problems ?? []),
    ],
    example: { params: declared.example, answer: (input) => answer(declared, { input, now: EXAMPLE_NOW }) },
    validate: (input) => [
      ...(hasTotalCount ? cursorExcludesTotalCount(input) : []),
      ...(declared.check?.(input) ?? []),
    ],
    perform: async (call) => answer(declared, call),
  };
}

function parametersOf<R extends object>({ filters = {}, displayParameters, paging = WHOLE }: Lookup<R>): Parameters {
  const parameters: Record<string, Field> = Object.fromEntries(
    Object.entries(filters).map(([name, { field }]) => [name, field]),
  );
  if ('max' in paging) {
    parameters.count = integer({ min: 1, max: paging.max }).describe(`Page size; default ${paging.default}.`);
  }
  if (paging.is === 'page') {
    parameters.cursor = cursorParameter;
    if (paging.hasTotalCount)
      parameters.with_total_count = boolean().describe('Adds `total_count`; exclusive with `cursor`.');
  }
  return { ...parameters, ...displayParameters };
}

function cursorExcludesTotalCount(input: Input): readonly ErrorDetail[] {
  if (!input.with_total_count || input.cursor === undefined) return [];
  const [a, b] = ['with_total_count', 'cursor'] as const;
  return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
}

/** `now` of example calls. */
const EXAMPLE_NOW = '2026-01-01T00:00:00Z';

function answer<R extends object>(declared: Lookup<R>, { input, now }: Pick<Call, 'input' | 'now'>): Answer {
  const { paging = WHOLE } = declared;
  const all = declared.rows({ input, now });
  const filters = activeFilters(declared, input);
  const matchesAll = (row: R): boolean => filters.every((matches) => matches(row));
  const toJson = (rows: readonly R[]): string => `[${rows.map((row) => rowToJson(declared, row, input)).join(',')}]`;
  if (!('max' in paging)) return { data: toJson(all.filter(matchesAll)), nextCursor: null };
  const count = Number(input.count ?? paging.default);
  const list = JSON.stringify([declared.name, all.length, withoutPaging(input)]);
  const after = readCursor(input.cursor, list, declared.sortKey ? 'string' : 'number');
  const positioned = all.map((row, index) => [declared.sortKey?.(row) ?? index, row] as const);
  const found = positioned.filter(([, row]) => matchesAll(row));
  const rest = after === undefined ? found : found.filter(([position]) => position > after);
  const page = rest.slice(0, count);
  return {
    data: toJson(page.map(([, row]) => row)),
    nextCursor: paging.is === 'page' && rest.length > count ? encodeCursor({ after: [page.at(-1)![0]] }, list) : null,
    totalCount: input.with_total_count ? found.length : undefined,
  };
}

/** The input a cursor is bound to: filters must not change between pages. @source decision 46 */
function withoutPaging({ count: _, cursor: __, with_total_count: ___, ...filters }: Input): Input {
  return filters;
}

function activeFilters<R extends object>({ filters = {} }: Lookup<R>, input: Input): ((row: R) => boolean)[] {
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

/** Serializes a row with the members and order of its schema. */
function rowToJson<R extends object>({ row: schema, computedMembers }: Lookup<R>, row: R, input: Input): string {
  const known = { ...row, ...computedMembers?.(row, input) } as Record<string, unknown>;
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    members[name] = member.const ?? known[name];
  }
  return JSON.stringify(members);
}
