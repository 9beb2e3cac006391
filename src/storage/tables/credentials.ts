import type { Credentials } from '../../contract/store/credentials.ts';
import { addValues, among, sizeFor } from '../core/lists.ts';
import { rowsOn } from '../core/rows.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';

/** Users, applications and tokens. */
export function credentialsOn(session: Session): Credentials {
  const { statements } = session;
  const users = rowsOn(session, 'users');
  const applications = rowsOn(session, 'applications');
  const tokens = rowsOn(session, 'access_tokens');
  return {
    findUser: (id) => users.find('id', id),
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
    findUserByName: (screenName) => users.find('screen_name_folded', screenName.toLowerCase()),
    async findUsersByNames(names) {
      if (names.length === 0) return [];
      const size = sizeFor(names.length);
      const statement = statements.of(`users by names ${size}`, (queries, argument) =>
        among(queries.selectFrom('users').selectAll(), 'screen_name_folded', size, argument),
      );
      const args: Record<string, Value> = {};
      addValues(
        args,
        'screen_name_folded',
        names.map((name) => name.toLowerCase()),
        size,
      );
      return (await session.all(statement, args)) as never;
    },
    async listUsers({ after, limit }) {
      const statement = statements.of('users list', (queries, argument) =>
        queries
          .selectFrom('users')
          .selectAll()
          .where('screen_name_folded', '>', argument('after'))
          .orderBy('screen_name_folded')
          .limit(argument('limit')),
      );
      return (await session.all(statement, { after, limit })) as never;
    },
    findApplication: (id) => applications.find('id', id),
    findApplicationByKey: (consumerKey) => applications.find('consumer_key', consumerKey),
    findToken: (token) => tokens.find('token', token),
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
    findApplicationByName: (name) => applications.find('name', name),
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
    lockUser: (id) => users.lock('id', id),
    lockApplication: (id) => applications.lock('id', id),
    changeUser: (id, changes) => {
      const { screen_name } = changes;
      return users.change(id, {
        ...changes,
        ...(screen_name !== undefined && { screen_name_folded: screen_name.toLowerCase() }),
      });
    },
    changeApplication: (id, changes) => applications.change(id, changes),
    async noteUse(tokens, day) {
      const statement = statements.of('access_tokens use', (queries, argument) =>
        queries
          .updateTable('access_tokens')
          .set({ last_used_at: argument('day') })
          .where('id', '=', argument('id')),
      );
      for (const id of tokens) await session.run(statement, { id, day });
    },
    findDemo: () => applications.find('demo', 1),
    addUser: (user) => users.add({ ...user, screen_name_folded: user.screen_name.toLowerCase() }),
    addApplication: (application) => applications.add(application),
    addToken: (token) => tokens.add(token),
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
