import type { Credentials } from '../../contract/store/credentials.ts';
import { bindList, paddedSize, whereIn } from '../core/in-lists.ts';
import type { Session } from '../core/session.ts';
import type { Value } from '../core/statements.ts';
import { tableRows } from '../core/table-rows.ts';

/** Users, applications and tokens. */
export function credentialsOn(session: Session): Credentials {
  const { statements } = session;
  const users = tableRows(session, 'users');
  const applications = tableRows(session, 'applications');
  const tokens = tableRows(session, 'access_tokens');
  return {
    findUser: (id) => users.find('id', id),
    async findScreenNames(ids) {
      const [first] = ids;
      if (first === undefined) return new Map();
      const size = paddedSize(ids.length);
      const statement = statements.cached(`users names ${size}`, (db, param) =>
        whereIn(db.selectFrom('users').select(['id', 'screen_name']), 'id', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(args, 'id', ids, size);
      const rows = await session.all(statement, args);
      return new Map(rows.map(({ id, screen_name }) => [id, screen_name]));
    },
    findUserByName: (screenName) => users.find('screen_name_folded', screenName.toLowerCase()),
    async findUsersByNames(names) {
      if (names.length === 0) return [];
      const size = paddedSize(names.length);
      const statement = statements.cached(`users by names ${size}`, (db, param) =>
        whereIn(db.selectFrom('users').selectAll(), 'screen_name_folded', size, param),
      );
      const args: Record<string, Value> = {};
      bindList(
        args,
        'screen_name_folded',
        names.map((name) => name.toLowerCase()),
        size,
      );
      return (await session.all(statement, args)) as never;
    },
    async listUsers({ after, limit }) {
      const statement = statements.cached('users list', (db, param) =>
        db
          .selectFrom('users')
          .selectAll()
          .where('screen_name_folded', '>', param('after'))
          .orderBy('screen_name_folded')
          .limit(param('limit')),
      );
      return (await session.all(statement, { after, limit })) as never;
    },
    findApplication: (id) => applications.find('id', id),
    findApplicationByKey: (consumerKey) => applications.find('consumer_key', consumerKey),
    findToken: (token) => tokens.find('token', token),
    async findSomeApplication() {
      const statement = statements.cached('applications some', (db) =>
        db.selectFrom('applications').selectAll().orderBy('id').limit(1),
      );
      return (await session.all(statement, {}))[0];
    },
    async findLiveTokens(user, application) {
      const statement = statements.cached('access_tokens live', (db, param) =>
        db
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', param('user'))
          .where('application_id', '=', param('application'))
          .where('revoked_at', 'is', null)
          .orderBy('id'),
      );
      return (await session.all(statement, { user, application })) as never;
    },
    findApplicationByName: (name) => applications.find('name', name),
    async listApplications({ owner, after, limit }) {
      const statement = statements.cached(`applications list ${owner === undefined}`, (db, param) => {
        const some = db.selectFrom('applications').selectAll().where('id', '>', param('after'));
        const own = owner === undefined ? some : some.where('owner_user_id', '=', param('owner'));
        return own.orderBy('id').limit(param('limit'));
      });
      return (await session.all(statement, { ...(owner !== undefined && { owner }), after, limit })) as never;
    },
    async listTokensOf(user) {
      const statement = statements.cached('access_tokens of', (db, param) =>
        db
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', param('user'))
          .where('revoked_at', 'is', null)
          .orderBy('application_id')
          .orderBy('id'),
      );
      return (await session.all(statement, { user })) as never;
    },
    async listTokenCounts(application) {
      const statement = statements.cached('access_tokens counts', (db, param) =>
        db
          .selectFrom('access_tokens')
          .select(({ fn }) => ['access_level', fn.countAll<number>().as('count')])
          .where('application_id', '=', param('application'))
          .where('revoked_at', 'is', null)
          .groupBy('access_level')
          .orderBy('access_level'),
      );
      return (await session.all(statement, { application })) as never;
    },
    async listOtherTokens(application, level, limit) {
      const statement = statements.cached('access_tokens beside', (db, param) =>
        db
          .selectFrom('access_tokens')
          .innerJoin('users', 'users.id', 'access_tokens.user_id')
          .select(['user_id', 'screen_name', 'access_level', 'access_tokens.created_at', 'last_used_at'])
          .where('application_id', '=', param('application'))
          .where('access_level', '!=', param('level'))
          .where('revoked_at', 'is', null)
          .orderBy('access_tokens.created_at')
          .orderBy('access_tokens.id')
          .limit(param('limit')),
      );
      return (await session.all(statement, { application, level, limit })) as never;
    },
    lockUser: (id) => users.lock('id', id),
    lockApplication: (id) => applications.lock('id', id),
    changeUser: (id, changes) => {
      const { screen_name } = changes;
      return users.update(id, {
        ...changes,
        ...(screen_name !== undefined && { screen_name_folded: screen_name.toLowerCase() }),
      });
    },
    changeApplication: (id, changes) => applications.update(id, changes),
    async recordUse(tokens, day) {
      const statement = statements.cached('access_tokens use', (db, param) =>
        db
          .updateTable('access_tokens')
          .set({ last_used_at: param('day') })
          .where('id', '=', param('id')),
      );
      for (const id of tokens) await session.run(statement, { id, day });
    },
    findDemo: () => applications.find('demo', 1),
    addUser: (user) => users.insert({ ...user, screen_name_folded: user.screen_name.toLowerCase() }),
    addApplication: (application) => applications.insert(application),
    addToken: (token) => tokens.insert(token),
    async revokeToken(id, at) {
      const statement = statements.cached('access_tokens revoke', (db, param) =>
        db
          .updateTable('access_tokens')
          .set({ revoked_at: param('at') })
          .where('id', '=', param('id'))
          .where('revoked_at', 'is', null),
      );
      return (await session.run(statement, { id, at })) === 1;
    },
  };
}
