import { decodeCursor, encodeCursor } from '../base/cursor.ts';
import { foldCase, searchTerms } from '../base/text.ts';
import { boolean, type Field, id, integer, itemsOf, listOf, text } from '../contract/declare/fields.ts';
import {
  type AccountCall,
  type Answer,
  type Input,
  type Parameters,
  serializeContext,
} from '../contract/declare/operation.ts';
import type { AnyResource, Fields, Row } from '../contract/declare/resource.ts';
import { type ErrorDetail, problem } from '../contract/problems/problems.ts';
import type { PageQuery, SortKey } from '../contract/store/records.ts';
import { serializerOf } from '../rows/serializer.ts';
import { checkParent } from './find-row.ts';
import { throwErrors } from './read-parameters.ts';
import { sortField } from './sort.ts';

/** Maximum number of values of a filter. */
const FILTER_IDS_MAX = 200;
const COUNT = { preset: 200, max: 1000 };

/** The parameters of a list: the standard ones, and the filters of the declaration. */
export function listParameters(resource: AnyResource): Parameters {
  const { list } = resource;
  const { preset, max } = list?.count ?? COUNT;
  const parameters: Record<string, Field> = {
    [resource.idsParameter]: listOf(id(), { max: FILTER_IDS_MAX }).describe('Only these ids.'),
    ...(list?.idsAlias ? { [list.idsAlias]: idsUnderOtherName(resource) } : {}),
    ...filterParameters(resource),
    ...list?.extraFilters?.parameters,
    ...resource.requests?.viewParameters,
    count: integer({ min: 1, max }).describe(`Page size; default ${preset}.`),
    cursor: text({ max: 2000 }).describe('The `next_cursor` of the previous page.'),
    sort_by: sortField(resource).describe('Sort keys as `<attribute>-<asc|desc>`, separated by commas.'),
    with_deleted: boolean().describe('Include deleted rows; default false.'),
    with_total_count: boolean().describe('Adds `total_count`; exclusive with `cursor`.'),
  };
  for (const name of list?.without ?? []) delete parameters[name === 'ids' ? resource.idsParameter : name];
  if (list?.search) {
    parameters.q = text({ max: list.searchMax ?? 255 }).describe(`Case-insensitive prefix of ${list.search}.`);
  }
  if (list?.terms) {
    parameters.q = text({ max: 255 }).describe(
      `Words, all of which stand in ${list.terms.join(', ')}; case-insensitive.`,
    );
  }
  if (list?.drafts) parameters.with_draft = boolean().describe('Include drafts; default false.');
  return parameters as Parameters;
}

function idsUnderOtherName({ idsParameter }: AnyResource): Field {
  return listOf(id(), { max: FILTER_IDS_MAX }).describe(`Alias of \`${idsParameter}\`, which wins if both are sent.`);
}

function filterParameters({ fields, list }: AnyResource): Record<string, Field> {
  const filters: Record<string, Field> = {};
  for (const field of Object.values(fields as Fields) as Field<string>[]) {
    if (!field.filter) continue;
    const filter = listOf(field, { max: FILTER_IDS_MAX }).describe('Only rows with any of these values.');
    filters[field.filter] = list?.requiredFilters?.includes(field.filter) ? filter.required() : filter;
  }
  return filters;
}

/** Errors of combinations of list parameters. @source decision 46 */
export function checkList(input: Input): readonly ErrorDetail[] {
  if (!input.with_total_count || input.cursor === undefined || input.cursor === null) return [];
  return [
    {
      problem: 'EXCLUSIVE_PARAMETERS',
      parameter: 'with_total_count, cursor',
      words: { a: 'with_total_count', b: 'cursor' },
    },
  ];
}

/** Reads a page, plus one row to detect whether another page follows. */
export async function listPage(resource: AnyResource, call: AccountCall): Promise<Answer> {
  const { input } = call;
  const count = (input.count as number | null | undefined) ?? (resource.list?.count ?? COUNT).preset;
  const sort = sortKeys(resource, input);
  return call.services.store.read(async (tx) => {
    await checkParent(resource, call, tx.records);
    const asked = { input, account: call.account, tx };
    const error = await resource.list?.rule?.(asked);
    if (error) throwErrors([error]);
    const narrowed = await resource.list?.extraFilters?.within(asked);
    const plain = conditionsOf(resource, call);
    const conditions = { ...plain, within: { ...plain.within, ...narrowed } };
    const list = JSON.stringify([resource.table, conditions, sort]);
    const after = cursorValues(resource, input.cursor, list, sort);
    const found = await tx.records.page(resource, { ...conditions, sort, after, limit: count + 1 });
    const rows = found.length > count ? found.slice(0, count) : found;
    const shown = await serializerOf(resource).rows(rows, serializeContext(call, tx));
    return {
      data: `[${shown.join(',')}]`,
      nextCursor: found.length > count ? cursorAfter(rows.at(-1)!, sort, list) : null,
      totalCount: input.with_total_count ? await tx.records.count(resource, conditions) : undefined,
    };
  });
}

/**
 * The filters of a list. Deleted rows and drafts stay hidden even when named by id, unless requested.
 * @source decision 47
 */
function conditionsOf(resource: AnyResource, call: AccountCall): Omit<PageQuery, 'sort' | 'after' | 'limit'> {
  const { input } = call;
  const within: Record<string, readonly string[]> = {};
  const ids = input[resource.idsParameter] ?? input[resource.list?.idsAlias ?? ''];
  if (ids) within.id = itemsOf(ids as string);
  for (const [name, field] of Object.entries(resource.fields as Record<string, Field>)) {
    const values = field.filter ? input[field.filter] : undefined;
    if (values) within[name] = itemsOf(values as string);
  }
  if (resource.parent) within[resource.parent.column] = [call.path[resource.parent.parameter]!];
  const { search, terms, drafts } = resource.list ?? {};
  const isAccounts = resource.scope === 'user';
  const isGranted = resource.sharing?.isRequested(input);
  return {
    account: isAccounts || isGranted ? undefined : call.account.id,
    ...(isGranted ? { grantee: call.account.id } : {}),
    member: isAccounts ? { user: call.principal.user, environment: call.environment } : undefined,
    deleted: input.with_deleted ? 'shown' : 'hidden',
    within,
    without: drafts && !input.with_draft ? { column: drafts.field, value: drafts.value } : undefined,
    terms: terms && input.q ? searchTerms([input.q as string]) : undefined,
    prefix: search && input.q ? { column: `${search}_folded`, text: foldCase(input.q as string) } : undefined,
  };
}

/** The requested sort keys, made total by the id; newest first without `sort_by`. @source decision 42 */
function sortKeys(resource: AnyResource, input: Input): SortKey[] {
  const asked = input.sort_by ? itemsOf(input.sort_by as string) : ['created_at-desc'];
  const keys: SortKey[] = [];
  let last: 'asc' | 'desc' = 'asc';
  for (const one of asked) {
    const [key, direction] = one.split('-') as [string, 'asc' | 'desc'];
    const column = String(resource.list?.sortAliases?.[key] ?? key);
    last = direction;
    if (resource.list?.nullSortKeys?.includes(key)) continue;
    if (keys.some((key) => key.column === column)) continue;
    const field = (resource.fields as Record<string, Field>)[column];
    keys.push({ column, direction, nullable: field?.isNullable ?? false });
  }
  return [...keys, { column: 'id', direction: last, nullable: false }];
}

function cursorAfter(row: Row, sort: readonly SortKey[], list: string): string {
  return encodeCursor({ after: sort.map((key) => row[key.column] ?? null) }, list);
}

function cursorValues(
  resource: AnyResource,
  cursor: unknown,
  list: string,
  sort: readonly SortKey[],
): readonly (string | number | null)[] | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  const after = decodeCursor(String(cursor), list, sort.length)?.after;
  const fits = after?.every((value, index) => fitsColumn(resource, sort[index]!, value));
  if (after && fits) return after;
  throw problem('CURSOR_INVALID', { parameter: 'cursor', words: { raw: String(cursor) } });
}

/** A cursor can be forged: a value of another type must not reach a statement. */
function fitsColumn(resource: AnyResource, key: SortKey, value: string | number | null): boolean {
  if (value === null) return key.nullable;
  const field = (resource.fields as Record<string, Field>)[key.column];
  const isNumber = field ? field.kind.column === 'integer' : key.column === 'deleted';
  return typeof value === (isNumber ? 'number' : 'string');
}
