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
import { insertRows } from '../core/bulk.ts';
import { addValues, among, amongOfAccount, type Builder, sizeFor } from '../core/lists.ts';
import type { Session } from '../core/session.ts';
import type { Argument, Engine, Queries, Value } from '../core/statements.ts';

/** Rows of declared resources: the same statements for every resource, on both databases. */
export function recordsOn(session: Session): RecordsWriting {
  const { statements } = session;

  async function get<F extends Fields>(
    resource: Resource<F>,
    key: RowKey,
    { deleted, lock = false }: { deleted: Deleted; lock?: boolean },
  ): Promise<RowOf<F> | undefined> {
    const locked = lock && statements.engine === 'postgres';
    const shape = `get ${resource.table} ${resource.scope} ${deleted} ${locked} ${key.orGranted === true}`;
    const statement = statements.of(shape, (queries, argument) => {
      let query = queries.selectFrom(resource.table).select(columnsOf(resource)).where('id', '=', argument('id'));
      if (resource.scope === 'account') {
        query = key.orGranted
          ? query.where((eb: Builder) =>
              eb.or([
                eb('account_id', '=', argument('account')),
                eb('id', 'in', granted(resource as unknown as AnyResource, queries, argument)),
              ]),
            )
          : query.where('account_id', '=', argument('account'));
      }
      if (deleted === 'hidden') query = live(query, resource as unknown as AnyResource, queries);
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
    const size = sizeFor(values.length);
    const locked = lock && statements.engine === 'postgres';
    const statement = statements.of(
      `many ${resource.table} ${column} ${deleted} ${locked} ${size}`,
      (queries, argument) => {
        const all = queries.selectFrom(resource.table).select(columnsOf(resource));
        const visible = deleted === 'hidden' ? live(all, resource as unknown as AnyResource, queries) : all;
        const chosen =
          column === 'id'
            ? among(visible.where('account_id', '=', argument('account')), column, size, argument)
            : amongOfAccount(visible, column, size, argument, statements.engine);
        return locked ? chosen.forUpdate() : chosen;
      },
    );
    const args: Record<string, Value> = { account };
    addValues(args, column, values, size);
    return session.all(statement, args);
  }

  async function page(resource: AnyResource, query: PageQuery): Promise<Row[]> {
    if (asksForNothing(query)) return [];
    const lists = sizesOf(query);
    const shape = `page ${conditionsShape(resource, query, lists)} ${orderShape(query)}`;
    const statement = statements.of(shape, (queries, argument) => {
      let chosen = withConditions(
        queries.selectFrom(resource.table),
        resource,
        query,
        lists,
        argument,
        queries,
        statements.engine,
      );
      chosen = chosen.select(columnsOf(resource));
      if (query.after) chosen = afterCursor(chosen, query.sort, query.after, argument);
      for (const key of query.sort) {
        // Both databases put nulls at different ends; we put them last in either direction.
        if (key.nullable) chosen = chosen.orderBy(sql`${sql.ref(key.column)} is null`);
        chosen = chosen.orderBy(key.column, key.direction);
      }
      return chosen.limit(argument('limit'));
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
    const statement = statements.of(`tally ${by} ${conditionsShape(resource, query, lists)}`, (queries, argument) =>
      withConditions(queries.selectFrom(resource.table), resource, query, lists, argument, queries, statements.engine)
        .select([...by, queries.fn.countAll().as('total')])
        .groupBy(by),
    );
    const rows = await session.all(statement, conditionArgs(query, lists));
    return rows.map((row) => ({ ...row, total: Number(row.total) }));
  }

  async function count(resource: AnyResource, query: Conditions): Promise<number> {
    if (asksForNothing(query)) return 0;
    const lists = sizesOf(query);
    const shape = `count ${conditionsShape(resource, query, lists)}`;
    const statement = statements.of(shape, (queries, argument) =>
      withConditions(
        queries.selectFrom(resource.table),
        resource,
        query,
        lists,
        argument,
        queries,
        statements.engine,
      ).select(queries.fn.countAll().as('total')),
    );
    return Number((await session.all(statement, conditionArgs(query, lists)))[0].total);
  }

  return {
    get,
    many,
    page,
    count,
    tally,
    insert: (resource, row) => insertRows(session, resource.table, [row]),
    insertAll: (resource, rows) => insertRows(session, resource.table, rows),
    async update(resource, key, changes) {
      const columns = Object.keys(changes);
      const statement = statements.of(`update ${resource.table} ${resource.scope} ${columns}`, (queries, argument) => {
        const query = queries
          .updateTable(resource.table)
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('id', '=', argument('key_id'));
        return resource.scope === 'account' ? query.where('account_id', '=', argument('key_account')) : query;
      });
      await session.run(statement, { ...changes, key_id: key.id, key_account: key.account ?? null });
    },
    async updateAll(resource, account, ids, changes) {
      if (ids.length === 0) return;
      const columns = Object.keys(changes);
      const size = sizeFor(ids.length);
      const statement = statements.of(`update all ${resource.table} ${size} ${columns}`, (queries, argument) => {
        const query = queries
          .updateTable(resource.table)
          .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .where('account_id', '=', argument('key_account'));
        return among(query, 'id', size, argument);
      });
      const args: Record<string, Value> = { ...changes, key_account: account };
      addValues(args, 'id', ids, size);
      await session.run(statement, args);
    },
    async remove(resource, key) {
      const statement = statements.of(`remove ${resource.table} ${resource.scope}`, (queries, argument) => {
        const query = queries.deleteFrom(resource.table).where('id', '=', argument('id'));
        return resource.scope === 'account' ? query.where('account_id', '=', argument('account')) : query;
      });
      await session.run(statement, { id: key.id, account: key.account ?? null });
    },
    async lockAccount(account) {
      // One writer at a time is all that SQLite has; the server needs to be told.
      if (statements.engine === 'sqlite') return;
      const statement = statements.of('lock account', (queries, argument) =>
        queries.selectFrom('accounts').select('id').where('id', '=', argument('account')).forUpdate(),
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
    const kept = [...(resource.onePer ? ['one_key'] : []), ...(resource.kept ?? [])];
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
    sizes[column] = sizeFor(values.length);
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
  argument: Argument,
  queries: Queries,
  engine: Engine,
): Builder {
  let chosen = start;
  const under = resource.under as string | undefined;
  const paired = query.account !== undefined && under !== undefined && under in sizes ? under : undefined;
  if (query.account !== undefined && !paired) chosen = chosen.where('account_id', '=', argument('account'));
  if (query.member) {
    chosen = chosen
      .where('environment', '=', argument('environment'))
      .where(
        'id',
        'in',
        queries.selectFrom('account_users').select('account_id').where('user_id', '=', argument('user')),
      );
  }
  if (query.grantee !== undefined) chosen = chosen.where('id', 'in', granted(resource, queries, argument));
  if (query.deleted === 'hidden') chosen = live(chosen, resource, queries);
  for (const [column, size] of Object.entries(sizes)) {
    chosen =
      column === paired
        ? amongOfAccount(chosen, column, size, argument, engine)
        : among(chosen, column, size, argument);
  }
  if (query.without) chosen = chosen.where(query.without.column, '<>', argument('without'));
  query.terms?.forEach((_, index) => {
    chosen = chosen.where('terms', 'like', argument(`term${index}`));
  });
  if (query.prefix) {
    const { column } = query.prefix;
    chosen = chosen.where(column, '>=', argument('prefix_from')).where(column, '<', argument('prefix_to'));
  }
  return chosen;
}

/** Ids of the rows that others granted to an account. */
function granted({ sharing }: AnyResource, queries: Queries, argument: Argument): Builder {
  return queries
    .selectFrom(sharing!.table)
    .select(sharing!.column)
    .where('granted_account_id', '=', argument('account'))
    .where('deleted', '=', sql.lit(0));
}

/** Rows that are not deleted, and neither are their parents. */
function live(start: Builder, resource: AnyResource, queries: Queries): Builder {
  const { table } = resource;
  // Written out, because an index of live rows serves no condition whose value is bound.
  const own = start.where(`${table}.deleted`, '=', sql.lit(0));
  const under = resource.under as string | undefined;
  if (under === undefined) return own;
  const parent = (resource.fields as Record<string, Field>)[under]!.target!() as unknown as AnyResource;
  const above = queries
    .selectFrom(parent.table)
    .select(sql`1`.as('one'))
    .whereRef(`${parent.table}.account_id`, '=', `${table}.account_id`)
    .whereRef(`${parent.table}.id`, '=', `${table}.${under}`);
  return own.where((eb: Builder) => eb.exists(live(above, parent, queries)));
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
    addValues(args, column, values, sizes[column]!);
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
  argument: Argument,
): Builder {
  const [first] = sort;
  if (first && sort.every((key) => !key.nullable && key.direction === first.direction)) {
    const columns = sql.join(sort.map((key) => sql.ref(key.column)));
    const values = sql.join(sort.map((_, index) => sql`${argument(`after${index}`)}`));
    const beyond = sql.raw(first.direction === 'asc' ? '>' : '<');
    return start.where(sql<boolean>`(${columns}) ${beyond} (${values})`);
  }
  return start.where((eb: Builder) =>
    eb.or(
      sort.map((_, index) =>
        eb.and([
          ...sort.slice(0, index).map((key, earlier) => same(eb, key, earlier, after, argument)),
          beyondKey(eb, sort[index]!, index, after, argument),
        ]),
      ),
    ),
  );
}

function same(eb: Builder, key: SortKey, index: number, after: readonly unknown[], argument: Argument): Builder {
  return after[index] === null ? eb(key.column, 'is', null) : eb(key.column, '=', argument(`after${index}`));
}

function beyondKey(eb: Builder, key: SortKey, index: number, after: readonly unknown[], argument: Argument): Builder {
  if (after[index] === null) return sql<boolean>`1 = 0`;
  const beyond = eb(key.column, key.direction === 'asc' ? '>' : '<', argument(`after${index}`));
  return key.nullable ? eb.or([beyond, eb(key.column, 'is', null)]) : beyond;
}
