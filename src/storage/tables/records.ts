import { sql } from 'kysely';
import type { Field } from '../../contract/declare/fields.ts';
import type { AnyResource, Fields, Resource, Row, RowOf } from '../../contract/declare/resource.ts';
import type {
  Conditions,
  Deleted,
  PageQuery,
  RecordsWriting,
  RowKey,
  SortKey,
  Tally,
} from '../../contract/store/store.ts';
import { insertRows } from '../core/bulk-insert.ts';
import { type Builder, bindList, paddedSize, whereIn, whereInOfAccount } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Dialect, Param, QueryBuilder, Value } from '../core/statements.ts';

/** Rows of declared resources: the same statements for every resource, on both databases. */
export function recordsOn(session: Session): RecordsWriting {
  const { statements } = session;

  async function get<F extends Fields>(
    resource: Resource<F>,
    key: RowKey,
    { deleted, lock = false }: { deleted: Deleted; lock?: boolean },
  ): Promise<RowOf<F> | undefined> {
    const locked = lock && statements.dialect === 'postgres';
    const shape = `get ${resource.table} ${resource.scope} ${deleted} ${locked} ${key.includesGranted === true}`;
    const statement = statements.cached(shape, (db, param) => {
      let query = db.selectFrom(resource.table).select(columnsOf(resource)).where('id', '=', param('id'));
      if (resource.scope === 'account') {
        query = key.includesGranted
          ? query.where((eb: Builder) =>
              eb.or([
                eb('account_id', '=', param('account')),
                eb('id', 'in', granted(resource as unknown as AnyResource, db, param)),
              ]),
            )
          : query.where('account_id', '=', param('account'));
      }
      if (deleted === 'hidden') query = live(query, resource as unknown as AnyResource, db);
      return locked ? query.forUpdate() : query;
    });
    return (await session.all(statement, { id: key.id, account: key.account ?? null }))[0];
  }

  async function many<F extends Fields>(
    resource: Resource<F>,
    account: string,
    values: readonly string[],
    { deleted, lock = false, column = 'id' }: { deleted: Deleted; lock?: boolean; column?: string },
  ): Promise<RowOf<F>[]> {
    const [first] = values;
    if (first === undefined) return [];
    if (values.length === 1 && column === 'id') {
      const row = await get(resource, { account, id: first }, { deleted, lock });
      return row ? [row] : [];
    }
    const size = paddedSize(values.length);
    const locked = lock && statements.dialect === 'postgres';
    const statement = statements.cached(
      `many ${resource.table} ${column} ${deleted} ${locked} ${size}`,
      (db, param) => {
        const all = db.selectFrom(resource.table).select(columnsOf(resource));
        const visible = deleted === 'hidden' ? live(all, resource as unknown as AnyResource, db) : all;
        const chosen =
          column === 'id'
            ? whereIn(visible.where('account_id', '=', param('account')), column, size, param)
            : whereInOfAccount(visible, column, size, param, statements.dialect);
        return locked ? chosen.forUpdate() : chosen;
      },
    );
    const args: Record<string, Value> = { account };
    bindList(args, column, values, size);
    return session.all(statement, args);
  }

  async function page(resource: AnyResource, query: PageQuery): Promise<Row[]> {
    if (asksForNothing(query)) return [];
    const lists = sizesOf(query);
    const shape = `page ${conditionsShape(resource, query, lists)} ${orderShape(query)}`;
    const statement = statements.cached(shape, (db, param) => {
      let chosen = withConditions(db.selectFrom(resource.table), resource, query, lists, param, db, statements.dialect);
      chosen = chosen.select(columnsOf(resource));
      if (query.after) chosen = afterCursor(chosen, query.sort, query.after, param);
      for (const key of query.sort) {
        // Both databases put nulls at different ends; we put them last in either direction.
        if (key.nullable) chosen = chosen.orderBy(sql`${sql.ref(key.column)} is null`);
        chosen = chosen.orderBy(key.column, key.direction);
      }
      return chosen.limit(param('limit'));
    });
    const args = conditionArgs(query, lists);
    args.limit = query.limit;
    query.after?.forEach((value, index) => {
      args[`after${index}`] = value;
    });
    return session.all(statement, args);
  }

  async function tally(resource: AnyResource, query: Conditions, by: readonly string[]): Promise<Tally[]> {
    if (asksForNothing(query)) return [];
    const lists = sizesOf(query);
    const statement = statements.cached(`tally ${by} ${conditionsShape(resource, query, lists)}`, (db, param) =>
      withConditions(db.selectFrom(resource.table), resource, query, lists, param, db, statements.dialect)
        .select([...by, db.fn.countAll().as('total')])
        .groupBy(by),
    );
    const rows = await session.all(statement, conditionArgs(query, lists));
    return rows.map((row) => ({ ...row, total: Number(row.total) }));
  }

  async function count(resource: AnyResource, query: Conditions): Promise<number> {
    if (asksForNothing(query)) return 0;
    const lists = sizesOf(query);
    const shape = `count ${conditionsShape(resource, query, lists)}`;
    const statement = statements.cached(shape, (db, param) =>
      withConditions(db.selectFrom(resource.table), resource, query, lists, param, db, statements.dialect).select(
        db.fn.countAll().as('total'),
      ),
    );
    return Number((await session.all(statement, conditionArgs(query, lists)))[0].total);
  }

  return {
    get,
    getMany: many,
    page,
    count,
    tally,
    insert: (resource, row) => insertRows(session, resource.table, [row]),
    insertAll: (resource, rows) => insertRows(session, resource.table, rows),
    async update(resource, key, changes) {
      const columns = Object.keys(changes);
      const statement = statements.cached(`update ${resource.table} ${resource.scope} ${columns}`, (db, param) => {
        const query = db
          .updateTable(resource.table)
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('id', '=', param('key_id'));
        return resource.scope === 'account' ? query.where('account_id', '=', param('key_account')) : query;
      });
      await session.run(statement, { ...changes, key_id: key.id, key_account: key.account ?? null });
    },
    async updateAll(resource, account, ids, changes) {
      if (ids.length === 0) return;
      const columns = Object.keys(changes);
      const size = paddedSize(ids.length);
      const statement = statements.cached(`update all ${resource.table} ${size} ${columns}`, (db, param) => {
        const query = db
          .updateTable(resource.table)
          .set(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .where('account_id', '=', param('key_account'));
        return whereIn(query, 'id', size, param);
      });
      const args: Record<string, Value> = { ...changes, key_account: account };
      bindList(args, 'id', ids, size);
      await session.run(statement, args);
    },
    async remove(resource, key) {
      const statement = statements.cached(`remove ${resource.table} ${resource.scope}`, (db, param) => {
        const query = db.deleteFrom(resource.table).where('id', '=', param('id'));
        return resource.scope === 'account' ? query.where('account_id', '=', param('account')) : query;
      });
      await session.run(statement, { id: key.id, account: key.account ?? null });
    },
    async lockAccount(account) {
      // One writer at a time is all that SQLite has; the server needs to be told.
      if (statements.dialect === 'sqlite') return;
      const statement = statements.cached('lock account', (db, param) =>
        db.selectFrom('accounts').select('id').where('id', '=', param('account')).forUpdate(),
      );
      await session.all(statement, { account });
    },
  };
}

const columnLists = new WeakMap<AnyResource, string[]>();

/** The stored columns of a resource that its readers see. */
export function columnsOf(resource: AnyResource): string[] {
  let columns = columnLists.get(resource);
  if (!columns) {
    const own = Object.entries((resource as Resource).fields).filter(([, field]) => field.kind.column !== 'none');
    const standard = resource.scope === 'account' ? ['id', 'account_id'] : ['id'];
    const kept = [...(resource.onePer ? ['one_key'] : []), ...(resource.storageColumns ?? [])];
    columns = [...new Set([...standard, ...own.map(([name]) => name), ...kept, 'created_at', 'updated_at', 'deleted'])];
    columnLists.set(resource, columns);
  }
  return columns;
}

/** An empty list of accepted values matches nothing: answered without SQL. */
function asksForNothing(query: Conditions): boolean {
  return query.terms?.length === 0 || Object.values(query.within).some((values) => values.length === 0);
}

/** Lists are padded to a few sizes, so that few shapes of a statement exist. */
function sizesOf(query: Conditions): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const [column, values] of Object.entries(query.within)) {
    sizes[column] = paddedSize(values.length);
  }
  return sizes;
}

function conditionsShape(resource: AnyResource, query: Conditions, sizes: Record<string, number>): string {
  const lists = Object.entries(sizes).flat().join(' ');
  const { without, prefix, terms } = query;
  return `${resource.table} ${query.account !== undefined} ${query.member !== undefined} ${query.grantee !== undefined} ${query.deleted} ${lists} ${without?.column} ${prefix?.column} ${terms?.length}`;
}

function orderShape(query: PageQuery): string {
  const keys = query.sort.map((key) => `${key.column} ${key.direction}`).join(',');
  return `${keys} ${query.after?.map((value) => (value === null ? 'null' : 'set')).join(',')}`;
}

function withConditions(
  start: Builder,
  resource: AnyResource,
  query: Conditions,
  sizes: Record<string, number>,
  param: Param,
  db: QueryBuilder,
  dialect: Dialect,
): Builder {
  let chosen = start;
  const under = resource.parentField as string | undefined;
  const paired = query.account !== undefined && under !== undefined && under in sizes ? under : undefined;
  if (query.account !== undefined && !paired) chosen = chosen.where('account_id', '=', param('account'));
  if (query.member) {
    chosen = chosen
      .where('environment', '=', param('environment'))
      .where('id', 'in', db.selectFrom('account_users').select('account_id').where('user_id', '=', param('user')));
  }
  if (query.grantee !== undefined) chosen = chosen.where('id', 'in', granted(resource, db, param));
  if (query.deleted === 'hidden') chosen = live(chosen, resource, db);
  for (const [column, size] of Object.entries(sizes)) {
    chosen =
      column === paired ? whereInOfAccount(chosen, column, size, param, dialect) : whereIn(chosen, column, size, param);
  }
  if (query.without) chosen = chosen.where(query.without.column, '<>', param('without'));
  query.terms?.forEach((_, index) => {
    chosen = chosen.where('terms', 'like', param(`term${index}`));
  });
  if (query.prefix) {
    const { column } = query.prefix;
    chosen = chosen.where(column, '>=', param('prefix_from')).where(column, '<', param('prefix_to'));
  }
  return chosen;
}

/** Ids of the rows that others granted to an account. */
function granted({ sharing }: AnyResource, db: QueryBuilder, param: Param): Builder {
  return db
    .selectFrom(sharing!.table)
    .select(sharing!.column)
    .where('granted_account_id', '=', param('account'))
    .where('deleted', '=', sql.lit(0));
}

/** Rows that are not deleted, and neither are their parents. */
function live(start: Builder, resource: AnyResource, db: QueryBuilder): Builder {
  const { table } = resource;
  // Written out, because an index of live rows serves no condition whose value is bound.
  const own = start.where(`${table}.deleted`, '=', sql.lit(0));
  const under = resource.parentField as string | undefined;
  if (under === undefined) return own;
  const parent = (resource.fields as Record<string, Field>)[under]!.target!() as unknown as AnyResource;
  const above = db
    .selectFrom(parent.table)
    .select(sql`1`.as('one'))
    .whereRef(`${parent.table}.account_id`, '=', `${table}.account_id`)
    .whereRef(`${parent.table}.id`, '=', `${table}.${under}`);
  return own.where((eb: Builder) => eb.exists(live(above, parent, db)));
}

function conditionArgs(query: Conditions, sizes: Record<string, number>): Record<string, Value> {
  const args: Record<string, Value> = {};
  const account = query.account ?? query.grantee;
  if (account !== undefined) args.account = account;
  if (query.member) {
    args.environment = query.member.environment;
    args.user = query.member.user;
  }
  for (const [column, values] of Object.entries(query.within)) {
    bindList(args, column, values, sizes[column]!);
  }
  if (query.without) args.without = query.without.value;
  query.terms?.forEach((term, index) => {
    args[`term${index}`] = `% ${term} %`;
  });
  if (query.prefix) {
    args.prefix_from = query.prefix.text;
    // Nothing that starts with the prefix sorts after it followed by more of the last code point than a name can hold.
    args.prefix_to = query.prefix.text + '\u{10FFFF}'.repeat(NAME_MAX);
  }
  return args;
}

/** No searched text is longer, folded. */
const NAME_MAX = 1000;

/**
 * Rows beyond the cursor in a total order. When all keys go one way and none may be null, one row comparison says it
 * and walks the index; otherwise each key in turn breaks the tie of those before it.
 */
function afterCursor(
  start: Builder,
  sort: readonly SortKey[],
  after: readonly (string | number | null)[],
  param: Param,
): Builder {
  const [first] = sort;
  if (first && sort.every((key) => !key.nullable && key.direction === first.direction)) {
    const columns = sql.join(sort.map((key) => sql.ref(key.column)));
    const values = sql.join(sort.map((_, index) => sql`${param(`after${index}`)}`));
    const beyond = sql.raw(first.direction === 'asc' ? '>' : '<');
    return start.where(sql<boolean>`(${columns}) ${beyond} (${values})`);
  }
  return start.where((eb: Builder) =>
    eb.or(
      sort.map((_, index) =>
        eb.and([
          ...sort.slice(0, index).map((key, earlier) => same(eb, key, earlier, after, param)),
          beyondKey(eb, sort[index]!, index, after, param),
        ]),
      ),
    ),
  );
}

function same(eb: Builder, key: SortKey, index: number, after: readonly unknown[], param: Param): Builder {
  return after[index] === null ? eb(key.column, 'is', null) : eb(key.column, '=', param(`after${index}`));
}

function beyondKey(eb: Builder, key: SortKey, index: number, after: readonly unknown[], param: Param): Builder {
  if (after[index] === null) return sql<boolean>`1 = 0`;
  const beyond = eb(key.column, key.direction === 'asc' ? '>' : '<', param(`after${index}`));
  return key.nullable ? eb.or([beyond, eb(key.column, 'is', null)]) : beyond;
}
