import { type Expression, type ExpressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import {
  type AnyResource,
  type Fields,
  hidingParent,
  type Resource,
  type Row,
  type RowOf,
} from '../../contract/declare/resource.ts';
import type {
  ColumnValues,
  Conditions,
  Deleted,
  PageQuery,
  RecordsWriting,
  RowKey,
  SortKey,
  Tally,
} from '../../contract/store/records.ts';
import { insertDynamicRows } from '../core/bulk-insert.ts';
import { type DynamicTables, dynamic, returning } from '../core/dynamic-tables.ts';
import { inList, inListOfAccount, paddedSize } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Db, Dialect, Param, Value } from '../core/statements.ts';
import { updateDynamicRows } from '../core/table-rows.ts';

/** A row that is about to be written; inserted rows have all of their columns. */
export interface WrittenRow {
  readonly id: string;
  readonly account_id?: string | undefined;
  readonly line_item_id?: unknown;
}

/** Called before rows are written, with the changed columns; without columns for removals. */
export type NoteWrite = (resource: AnyResource, rows: readonly WrittenRow[], columns?: readonly string[]) => void;

/** Maximum number of values per statement. */
const VALUES_AT_ONCE = 1000;

/** Rows of declared resources: the same statements for every resource, on both databases. */
export class Records implements RecordsWriting {
  readonly #session;
  readonly #note;

  constructor(session: Session, note?: NoteWrite) {
    this.#session = session;
    this.#note = note;
  }

  async get<F extends Fields>(
    resource: Resource<F>,
    { id, account, includesGranted = false }: RowKey,
    { deleted, lock = false }: { deleted: Deleted; lock?: boolean },
  ): Promise<RowOf<F> | undefined> {
    const locked = lock && this.#session.dialect === 'postgres';
    const key = `get ${resource.table} ${resource.scope}, deleted ${deleted}${locked ? ', locked' : ''}${includesGranted ? ', granted' : ''}`;
    return this.#session.first(key, { id, account: account ?? null }, (db, param) => {
      const any: AnyResource = resource;
      let query = recordsOf(db, any).select(columnsOf(any)).where('id', '=', param('id'));
      if (resource.scope === 'account') {
        query = includesGranted
          ? query.where((eb) =>
              eb.or([eb('account_id', '=', param('account')), eb('id', 'in', granted(any, db, param('account')))]),
            )
          : query.where('account_id', '=', param('account'));
      }
      if (deleted === 'hidden') query = query.where(isLive(any, db));
      return returning<RowOf<F>>(locked ? query.forUpdate() : query);
    });
  }

  async getMany<F extends Fields>(
    resource: Resource<F>,
    account: string,
    values: readonly string[],
    { deleted, lock = false, column = 'id' }: { deleted: Deleted; lock?: boolean; column?: string },
  ): Promise<RowOf<F>[]> {
    const [first] = values;
    if (first === undefined) return [];
    if (values.length === 1 && column === 'id') {
      const row = await this.get(resource, { account, id: first }, { deleted, lock });
      return row ? [row] : [];
    }
    if (values.length > VALUES_AT_ONCE) {
      const found: RowOf<F>[] = [];
      // Units that lock some of the same rows do it in the same order.
      const sorted = values.toSorted();
      for (let at = 0; at < sorted.length; at += VALUES_AT_ONCE) {
        const some = sorted.slice(at, at + VALUES_AT_ONCE);
        found.push(...(await this.getMany(resource, account, some, { deleted, lock, column })));
      }
      return found;
    }
    const size = paddedSize(values.length);
    const locked = lock && this.#session.dialect === 'postgres';
    const key = `${size} ${resource.table} by ${column}, deleted ${deleted}${locked ? ', locked' : ''}`;
    return this.#session.all(key, { account, values }, (db, param) => {
      const any: AnyResource = resource;
      const listed = param.list('values', size);
      const all = recordsOf(db, any).select(columnsOf(any));
      const visible = deleted === 'hidden' ? all.where(isLive(any, db)) : all;
      const chosen =
        column === 'id'
          ? visible.where('account_id', '=', param('account')).where((eb) => inList(eb, column, listed))
          : visible.where((eb) => inListOfAccount(eb, param('account'), column, listed, this.#session.dialect));
      return returning<RowOf<F>>(locked ? chosen.forUpdate() : chosen);
    });
  }

  async page(resource: AnyResource, query: PageQuery): Promise<Row[]> {
    if (asksForNothing(query)) return [];
    const lists = sizesOf(query);
    const key = `page ${conditionsKey(resource, query, lists)} ${orderKey(query)}`;
    const args = { ...conditionArgs(query), limit: query.limit, after: query.after ?? [] };
    return this.#session.all(key, args, (db, param) => {
      let chosen = recordsOf(db, resource)
        .where(meets(resource, query, lists, db, param, this.#session.dialect))
        .select(columnsOf(resource));
      if (query.after)
        chosen = chosen.where(isBeyond(query.sort, query.after, param.list('after', query.after.length)));
      for (const sort of query.sort) {
        // The databases put nulls at different ends; here they come last in both directions.
        if (sort.nullable) chosen = chosen.orderBy(sql`${sql.ref(sort.column)} is null`);
        chosen = chosen.orderBy(sort.column, sort.direction);
      }
      return returning<Row>(chosen.limit(param('limit')));
    });
  }

  async tally(resource: AnyResource, query: Conditions, by: readonly string[]): Promise<Tally[]> {
    if (asksForNothing(query)) return [];
    const lists = sizesOf(query);
    const key = `tally ${by} ${conditionsKey(resource, query, lists)}`;
    const rows = await this.#session.all(key, conditionArgs(query), (db, param) =>
      returning<Tally>(
        recordsOf(db, resource)
          .where(meets(resource, query, lists, db, param, this.#session.dialect))
          .select(({ fn }) => [...by, fn.countAll().as('total')])
          .groupBy([...by]),
      ),
    );
    return rows.map((row) => ({ ...row, total: Number(row.total) }));
  }

  async count(resource: AnyResource, query: Conditions): Promise<number> {
    if (asksForNothing(query)) return 0;
    const lists = sizesOf(query);
    const row = await this.#session.first(
      `count ${conditionsKey(resource, query, lists)}`,
      conditionArgs(query),
      (db, param) =>
        recordsOf(db, resource)
          .where(meets(resource, query, lists, db, param, this.#session.dialect))
          .select(({ fn }) => fn.countAll().as('total')),
    );
    return Number(row?.total ?? 0);
  }

  async insert(resource: AnyResource, row: Row): Promise<void> {
    await this.insertAll(resource, [row]);
  }

  async insertAll(resource: AnyResource, rows: readonly Row[]): Promise<void> {
    if (rows.length > 0) this.#note?.(resource, rows, Object.keys(rows[0]!));
    await insertDynamicRows(this.#session, resource.table, rows);
  }

  async update(resource: AnyResource, { id, account }: RowKey, changes: ColumnValues): Promise<void> {
    this.#note?.(resource, [{ id, account_id: account }], Object.keys(changes));
    const where: Record<string, Value> = resource.scope === 'account' ? { id, account_id: account ?? null } : { id };
    await updateDynamicRows(this.#session, resource.table, changes, where);
  }

  async updateAll(
    resource: AnyResource,
    account: string,
    ids: readonly string[],
    changes: ColumnValues,
  ): Promise<void> {
    if (ids.length === 0) return;
    const columns = Object.keys(changes);
    this.#note?.(
      resource,
      ids.map((id) => ({ id, account_id: account })),
      columns,
    );
    const size = paddedSize(ids.length);
    const args = { account, ids, changes: [changes] };
    await this.#session.run(`update all ${resource.table} ${size} ${columns}`, args, (db, param) =>
      dynamic(db)
        .updateTable(resource.table)
        .set(Object.fromEntries(columns.map((name) => [name, param.cell('changes', 0, name)])))
        .where('account_id', '=', param('account'))
        .where((eb) => inList(eb, 'id', param.list('ids', size))),
    );
  }

  async remove(resource: AnyResource, { id, account }: RowKey): Promise<void> {
    this.#note?.(resource, [{ id, account_id: account }]);
    const { table, scope } = resource;
    await this.#session.run(`remove ${table} ${scope}`, { id, account: account ?? null }, (db, param) => {
      const query = dynamic(db).deleteFrom(table).where('id', '=', param('id'));
      return scope === 'account' ? query.where('account_id', '=', param('account')) : query;
    });
  }

  async lockAccount(account: string): Promise<void> {
    // SQLite has one writer at a time; PostgreSQL needs a row lock.
    if (this.#session.dialect === 'sqlite') return;
    await this.#session.all('lock account', { account }, (db, param) =>
      db.selectFrom('accounts').select('id').where('id', '=', param('account')).forUpdate(),
    );
  }
}

type RecordsBuilder = ExpressionBuilder<DynamicTables, string>;
type Condition = (eb: RecordsBuilder) => Expression<SqlBool>;

function recordsOf(db: Db, { table }: AnyResource): SelectQueryBuilder<DynamicTables, string, object> {
  return dynamic(db).selectFrom(table);
}

const columnLists = new WeakMap<AnyResource, string[]>();

/** The stored columns of a resource that reads select. */
function columnsOf(resource: AnyResource): string[] {
  let columns = columnLists.get(resource);
  if (!columns) {
    const own = Object.entries((resource as Resource).fields).filter(([, field]) => field.kind.column !== 'none');
    const standard = resource.scope === 'account' ? ['id', 'account_id'] : ['id'];
    const kept = [...(resource.unique ? ['one_key'] : []), ...(resource.storage?.extraColumns ?? [])];
    columns = [...new Set([...standard, ...own.map(([name]) => name), ...kept, 'created_at', 'updated_at', 'deleted'])];
    columnLists.set(resource, columns);
  }
  return columns;
}

/** An empty list of accepted values matches nothing: answered without a query. */
function asksForNothing(query: Conditions): boolean {
  return query.terms?.length === 0 || Object.values(query.within).some((values) => values.length === 0);
}

/** The padded sizes of lists: few sizes mean few statements. */
function sizesOf({ within }: Conditions): Record<string, number> {
  return Object.fromEntries(Object.entries(within).map(([name, values]) => [name, paddedSize(values.length)]));
}

function conditionsKey(resource: AnyResource, query: Conditions, sizes: Record<string, number>): string {
  const { account, member, grantee, deleted, without, prefix, terms } = query;
  const met = [
    account !== undefined && 'account',
    member && 'member',
    grantee !== undefined && 'grantee',
    ...Object.entries(sizes).map(([column, size]) => `${size} ${column}`),
    without && `without ${without.column}`,
    prefix && `prefix of ${prefix.column}`,
    terms && `${terms.length} terms`,
  ];
  return `${resource.table} by ${met.filter(Boolean)}, deleted ${deleted}`;
}

function orderKey(query: PageQuery): string {
  const keys = query.sort.map((key) => `${key.column} ${key.direction}${key.nullable ? ' nulls last' : ''}`);
  const after = query.after?.map((value) => (value === null ? 'null' : 'set'));
  return `in order of ${keys}${after ? `, after ${after}` : ''}`;
}

/** The arguments of the conditions of a list; lists of accepted values are under the names of their columns. */
type ConditionArgs = {
  readonly account: string | null;
  readonly environment: string | null;
  readonly user: string | null;
  readonly without: string | null;
  readonly terms: readonly string[];
  readonly prefix_from: string | null;
  readonly prefix_to: string | null;
  readonly [within: `within ${string}`]: readonly (string | number)[];
};

function conditionArgs({ account, grantee, member, within, without, terms = [], prefix }: Conditions): ConditionArgs {
  const args = {
    account: account ?? grantee ?? null,
    environment: member?.environment ?? null,
    user: member?.user ?? null,
    without: without?.value ?? null,
    terms: terms.map((term) => `% ${term} %`),
    prefix_from: prefix?.text ?? null,
    // The prefix followed by more of the last code point than a name can hold sorts after every name with the prefix.
    prefix_to: prefix ? prefix.text + BEYOND_NAMES : null,
  };
  const lists: Record<`within ${string}`, readonly (string | number)[]> = {};
  for (const [column, values] of Object.entries(within)) lists[listName(column)] = values;
  return { ...lists, ...args };
}

function listName(column: string): `within ${string}` {
  return `within ${column}`;
}

/** The maximum length of a searched text after folding. */
const NAME_MAX = 1000;
const BEYOND_NAMES = '\u{10FFFF}'.repeat(NAME_MAX);

/** Whether a row meets the conditions of a list. */
function meets(
  resource: AnyResource,
  query: Conditions,
  sizes: Record<string, number>,
  db: Db,
  param: Param<ConditionArgs>,
  dialect: Dialect,
): Condition {
  const under = resource.parentField as string | undefined;
  const paired = query.account !== undefined && under !== undefined && under in sizes ? under : undefined;
  return (eb) => {
    const all: Expression<SqlBool>[] = [];
    if (query.account !== undefined && !paired) all.push(eb('account_id', '=', param('account')));
    if (query.member) {
      const own = dynamic(db).selectFrom('account_users').select('account_id').where('user_id', '=', param('user'));
      all.push(eb('environment', '=', param('environment')), eb('id', 'in', own));
    }
    if (query.grantee !== undefined) all.push(eb('id', 'in', granted(resource, db, param('account'))));
    if (query.deleted === 'hidden') all.push(isLive(resource, db)(eb));
    for (const [column, size] of Object.entries(sizes)) {
      const listed = param.list<`within ${string}`>(listName(column), size);
      const isListed =
        column === paired ? inListOfAccount(eb, param('account'), column, listed, dialect) : inList(eb, column, listed);
      all.push(isListed);
    }
    if (query.without) all.push(eb(query.without.column, '<>', param('without')));
    for (const term of param.list('terms', query.terms?.length ?? 0)) all.push(eb('terms', 'like', term));
    if (query.prefix) {
      const { column } = query.prefix;
      all.push(eb(column, '>=', param('prefix_from')), eb(column, '<', param('prefix_to')));
    }
    return eb.and(all);
  };
}

/** The ids of rows that other accounts share with an account. */
function granted({ sharing }: AnyResource, db: Db, account: Value) {
  return dynamic(db)
    .selectFrom(sharing!.table)
    .select(sharing!.column)
    .where('granted_account_id', '=', account)
    .where('deleted', '=', sql.lit(0));
}

/** Whether neither a row nor its parents are deleted. */
function isLive(resource: AnyResource, db: Db): Condition {
  const { table } = resource;
  const parent = hidingParent(resource);
  return (eb) => {
    // A literal, because a partial index of live rows serves no bound condition.
    const own = eb(`${table}.deleted`, '=', sql.lit(0));
    if (!parent) return own;
    const above = dynamic(db)
      .selectFrom(parent.table)
      .select(sql`1`.as('one'))
      .whereRef(`${parent.table}.account_id`, '=', `${table}.account_id`)
      .whereRef(`${parent.table}.id`, '=', `${table}.${resource.parentField}`)
      .where(isLive(parent, db));
    return eb.and([own, eb.exists(above)]);
  };
}

/**
 * Whether a row comes after the cursor in a total order. If all keys have one direction and none is nullable, one row
 * comparison suffices and can use the index; otherwise each key breaks the ties of those before it.
 */
function isBeyond(
  sort: readonly SortKey[],
  after: readonly (string | number | null)[],
  params: readonly Value[],
): Condition {
  const [first] = sort;
  if (first && sort.every((key) => !key.nullable && key.direction === first.direction)) {
    const columns = sql.join(sort.map((key) => sql.ref(key.column)));
    const values = sql.join(sort.map((_, index) => sql`${params[index]}`));
    const beyond = sql.raw(first.direction === 'asc' ? '>' : '<');
    return () => sql<SqlBool>`(${columns}) ${beyond} (${values})`;
  }
  const isSame = (eb: RecordsBuilder, { column }: SortKey, index: number): Expression<SqlBool> =>
    after[index] === null ? eb(column, 'is', null) : eb(column, '=', params[index]!);
  const isBeyondKey = (eb: RecordsBuilder, { column, direction, nullable }: SortKey, index: number) => {
    if (after[index] === null) return sql<SqlBool>`1 = 0`;
    const beyond = eb(column, direction === 'asc' ? '>' : '<', params[index]!);
    return nullable ? eb.or([beyond, eb(column, 'is', null)]) : beyond;
  };
  return (eb) =>
    eb.or(
      sort.map((key, index) =>
        eb.and([
          ...sort.slice(0, index).map((earlier, place) => isSame(eb, earlier, place)),
          isBeyondKey(eb, key, index),
        ]),
      ),
    );
}
