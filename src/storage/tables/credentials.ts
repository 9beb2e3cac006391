import { sql } from 'kysely';
import type { Credentials } from '../../contract/store/credentials.ts';
import { inList, paddedSize } from '../core/in-lists.ts';
import { removeOldest } from '../core/remove-oldest.ts';
import type { Session } from '../core/session.ts';
import { tableRows } from '../core/table-rows.ts';

/** Users, applications and tokens. */
export function credentialsOn(session: Session): Credentials {
  const users = tableRows(session, 'users');
  const applications = tableRows(session, 'applications');
  const tokens = tableRows(session, 'access_tokens');
  return {
    findUser: (id) => users.find('id', id),
    async listSuspended(ids) {
      if (ids.length === 0) return [];
      const size = paddedSize(ids.length);
      const rows = await session.all(`users suspended ${size}`, { ids }, (db, param) =>
        db
          .selectFrom('users')
          .select('id')
          .where('suspended', '=', sql.lit(1))
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
      return rows.map(({ id }) => id);
    },
    async findScreenNames(ids) {
      const [first] = ids;
      if (first === undefined) return new Map();
      const size = paddedSize(ids.length);
      const rows = await session.all(`users names ${size}`, { ids }, (db, param) =>
        db
          .selectFrom('users')
          .select(['id', 'screen_name'])
          .where((eb) => inList(eb, 'id', param.list('ids', size))),
      );
      return new Map(rows.map(({ id, screen_name }) => [id, screen_name]));
    },
    findUserByName: (screenName) => users.find('screen_name_folded', screenName.toLowerCase()),
    async findUsersByNames(names) {
      if (names.length === 0) return [];
      const size = paddedSize(names.length);
      return await session.all(
        `users by names ${size}`,
        { names: names.map((name) => name.toLowerCase()) },
        (db, param) =>
          db
            .selectFrom('users')
            .selectAll()
            .where((eb) => inList(eb, 'screen_name_folded', param.list('names', size))),
      );
    },
    async listUsers({ after, limit }) {
      return await session.all('users list', { after, limit }, (db, param) =>
        db
          .selectFrom('users')
          .selectAll()
          .where('screen_name_folded', '>', param('after'))
          .orderBy('screen_name_folded')
          .limit(param('limit')),
      );
    },
    findApplication: (id) => applications.find('id', id),
    findApplicationByKey: (consumerKey) => applications.find('consumer_key', consumerKey),
    findToken: (token) => tokens.find('token', token),
    async findSomeApplication() {
      return session.first('applications some', {}, (db) =>
        db.selectFrom('applications').selectAll().orderBy('id').limit(1),
      );
    },
    async findLiveTokens(user, application) {
      return await session.all('access_tokens live', { user, application }, (db, param) =>
        db
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', param('user'))
          .where('application_id', '=', param('application'))
          .where('revoked_at', 'is', null)
          .orderBy('id'),
      );
    },
    findApplicationByName: (name) => applications.find('name', name),
    async listApplications({ owner, after, limit }) {
      return await session.all(
        `applications list ${owner === undefined}`,
        { ...(owner !== undefined && { owner }), after, limit },
        (db, param) => {
          const some = db.selectFrom('applications').selectAll().where('id', '>', param('after'));
          const own = owner === undefined ? some : some.where('owner_user_id', '=', param('owner'));
          return own.orderBy('id').limit(param('limit'));
        },
      );
    },
    async listTokensOf(user) {
      return await session.all('access_tokens of', { user }, (db, param) =>
        db
          .selectFrom('access_tokens')
          .selectAll()
          .where('user_id', '=', param('user'))
          .where('revoked_at', 'is', null)
          .orderBy('application_id')
          .orderBy('id'),
      );
    },
    async listTokenCounts(application) {
      return await session.all('access_tokens counts', { application }, (db, param) =>
        db
          .selectFrom('access_tokens')
          .select(({ fn }) => ['access_level', fn.countAll<number>().as('count')])
          .where('application_id', '=', param('application'))
          .where('revoked_at', 'is', null)
          .groupBy('access_level')
          .orderBy('access_level'),
      );
    },
    async listOtherTokens(application, level, limit) {
      return await session.all('access_tokens beside', { application, level, limit }, (db, param) =>
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
    // Only the day is stored, once per day and token. @source decision 103
    async recordUse(tokens, day) {
      for (const id of tokens)
        await session.run('access_tokens use', { id, day }, (db, param) =>
          db
            .updateTable('access_tokens')
            .set({ last_used_at: param('day') })
            .where('id', '=', param('id')),
        );
    },
    findDemo: () => applications.find('demo', 1),
    addUser: (user) => users.insert({ ...user, screen_name_folded: user.screen_name.toLowerCase() }),
    addApplication: (application) => applications.insert(application),
    addToken: (token) => tokens.insert(token),
    async revokeToken(id, at) {
      return (
        (await session.run('access_tokens revoke', { id, at }, (db, param) =>
          db
            .updateTable('access_tokens')
            .set({ revoked_at: param('at') })
            .where('id', '=', param('id'))
            .where('revoked_at', 'is', null),
        )) === 1
      );
    },
    removeRevokedTokens: (before, limit) =>
      removeOldest(session, { table: 'access_tokens', key: ['id'], time: 'revoked_at' }, before, limit),
  };
}
