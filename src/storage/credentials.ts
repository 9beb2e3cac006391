import type { Credentials } from '../contract/credentials.ts';
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
  return {
    findUser: (id) => findBy('users', 'id', id),
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
    async lockUser(id) {
      if (statements.engine === 'sqlite') return findBy('users', 'id', id);
      const statement = statements.of('users lock', (queries, argument) =>
        queries.selectFrom('users').selectAll().where('id', '=', argument('id')).forUpdate(),
      );
      return (await session.all(statement, { id }))[0];
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
