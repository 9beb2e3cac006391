import type { Credentials } from '../contract/credentials.ts';
import { addValues, among, sizeFor } from './lists.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Users, applications and tokens. */
export function credentialsOn(session: Session): Credentials {
  const { statements } = session;
  const findBy = async (table: string, column: string, value: Value) => {
    const statement = statements.of(`${table} by ${column}`, (queries, argument) =>
      queries.selectFrom(table).selectAll().where(column, '=', argument('value')).limit(1),
    );
    return (await session.all(statement, { value }))[0];
  };
  const add = async (table: string, row: object) => {
    const columns = Object.keys(row);
    const statement = statements.of(`${table} add ${columns}`, (queries, argument) =>
      queries.insertInto(table).values(Object.fromEntries(columns.map((name) => [name, argument(name)]))),
    );
    await session.run(statement, row as Record<string, Value>);
  };
  const lock = async (table: string, id: string) => {
    // One writer at a time is all that SQLite has; the server needs to be told.
    if (statements.engine === 'sqlite') return findBy(table, 'id', id);
    const statement = statements.of(`${table} lock`, (queries, argument) =>
      queries.selectFrom(table).selectAll().where('id', '=', argument('id')).forUpdate(),
    );
    return (await session.all(statement, { id }))[0];
  };
  const change = async (table: string, id: string, changes: object) => {
    const columns = Object.keys(changes);
    const statement = statements.of(`${table} change ${columns}`, (queries, argument) =>
      queries
        .updateTable(table)
        .set(Object.fromEntries(columns.map((name) => [name, argument(name)])))
        .where('id', '=', argument('key_id')),
    );
    await session.run(statement, { ...changes, key_id: id } as Record<string, Value>);
  };
  return {
    findUser: (id) => findBy('users', 'id', id),
    async findScreenNames(ids) {
      const [first] = ids;
      if (first === undefined) return new Map();
      const size = sizeFor(ids.length);
      const statement = statements.of(`users names ${size}`, (queries, argument) =>
        among(queries.selectFrom('users').select(['id', 'screen_name']), 'id', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(args, 'id', ids, size);
      const rows = await session.all(statement, args);
      return new Map(rows.map(({ id, screen_name }) => [id, screen_name]));
    },
    findUserByName: (screenName) => findBy('users', 'screen_name_folded', screenName.toLowerCase()),
    findApplication: (id) => findBy('applications', 'id', id),
    findApplicationByKey: (consumerKey) => findBy('applications', 'consumer_key', consumerKey),
    findToken: (token) => findBy('access_tokens', 'token', token),
    async findSomeApplication() {
      const statement = statements.of('applications some', (queries) =>
        queries.selectFrom('applications').selectAll().orderBy('id').limit(1),
      );
      return (await session.all(statement, {}))[0];
    },
    async findLiveTokens(user, application) {
      const statement = statements.of('access_tokens live', (queries, argument) =>
        queries
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', argument('user'))
          .where('application_id', '=', argument('application'))
          .where('revoked_at', 'is', null)
          .orderBy('id'),
      );
      return (await session.all(statement, { user, application })) as never;
    },
    findApplicationByName: (name) => findBy('applications', 'name', name),
    async listApplications({ owner, after, limit }) {
      const statement = statements.of(`applications list ${owner === undefined}`, (queries, argument) => {
        const some = queries.selectFrom('applications').selectAll().where('id', '>', argument('after'));
        const own = owner === undefined ? some : some.where('owner_user_id', '=', argument('owner'));
        return own.orderBy('id').limit(argument('limit'));
      });
      return (await session.all(statement, { ...(owner !== undefined && { owner }), after, limit })) as never;
    },
    async listTokensOf(user) {
      const statement = statements.of('access_tokens of', (queries, argument) =>
        queries
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', argument('user'))
          .where('revoked_at', 'is', null)
          .orderBy('application_id')
          .orderBy('id'),
      );
      return (await session.all(statement, { user })) as never;
    },
    async listTokenCounts(application) {
      const statement = statements.of('access_tokens counts', (queries, argument) =>
        queries
          .selectFrom('access_tokens')
          .select(({ fn }) => ['access_level', fn.countAll<number>().as('count')])
          .where('application_id', '=', argument('application'))
          .where('revoked_at', 'is', null)
          .groupBy('access_level')
          .orderBy('access_level'),
      );
      return (await session.all(statement, { application })) as never;
    },
    async listTokensBeside(application, level, limit) {
      const statement = statements.of('access_tokens beside', (queries, argument) =>
        queries
          .selectFrom('access_tokens')
          .innerJoin('users', 'users.id', 'access_tokens.user_id')
          .select(['user_id', 'screen_name', 'access_level', 'access_tokens.created_at', 'last_used_at'])
          .where('application_id', '=', argument('application'))
          .where('access_level', '!=', argument('level'))
          .where('revoked_at', 'is', null)
          .orderBy('access_tokens.created_at')
          .orderBy('access_tokens.id')
          .limit(argument('limit')),
      );
      return (await session.all(statement, { application, level, limit })) as never;
    },
    lockUser: (id) => lock('users', id),
    lockApplication: (id) => lock('applications', id),
    changeUser: (id, changes) => change('users', id, changes),
    changeApplication: (id, changes) => change('applications', id, changes),
    async noteUse(tokens, day) {
      const statement = statements.of('access_tokens use', (queries, argument) =>
        queries
          .updateTable('access_tokens')
          .set({ last_used_at: argument('day') })
          .where('id', '=', argument('id')),
      );
      for (const id of tokens) await session.run(statement, { id, day });
    },
    findDemo: () => findBy('applications', 'demo', 1),
    addUser: (user) => add('users', { ...user, screen_name_folded: user.screen_name.toLowerCase() }),
    addApplication: (application) => add('applications', application),
    addToken: (token) => add('access_tokens', token),
    async revokeToken(id, at) {
      const statement = statements.of('access_tokens revoke', (queries, argument) =>
        queries
          .updateTable('access_tokens')
          .set({ revoked_at: argument('at') })
          .where('id', '=', argument('id'))
          .where('revoked_at', 'is', null),
      );
      return (await session.run(statement, { id, at })) === 1;
    },
  };
}
