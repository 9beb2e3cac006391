import type { AccountMembers } from '../../contract/store/account-members.ts';
import type { Session } from '../core/session.ts';

/** Users on accounts, and the features of accounts. */
export function membershipsOn(session: Session): AccountMembers {
  const { statements } = session;
  return {
    async find(user, account) {
      const statement = statements.cached('membership find', (db, param) =>
        db
          .selectFrom('account_users')
          .innerJoin('accounts', 'accounts.id', 'account_users.account_id')
          .select([
            'account_id',
            'user_id',
            'role',
            'post_composer',
            'environment',
            'approval_status',
            'timezone',
            'deleted',
            'limits',
          ])
          .where('account_id', '=', param('account'))
          .where('user_id', '=', param('user')),
      );
      return (await session.all(statement, { user, account }))[0];
    },
    async listAccounts(user, environment, limit) {
      const statement = statements.cached('membership list', (db, param) =>
        db
          .selectFrom('account_users')
          .innerJoin('accounts', 'accounts.id', 'account_users.account_id')
          .select('account_id')
          .where('user_id', '=', param('user'))
          .where('environment', '=', param('environment'))
          .where('deleted', '=', 0)
          .orderBy('account_id')
          .limit(param('limit')),
      );
      return (await session.all(statement, { user, environment, limit })).map((row) => row.account_id);
    },
    async add(membership) {
      const columns = Object.keys(membership);
      const statement = statements.cached('membership add', (db, param) =>
        db.insertInto('account_users').values(Object.fromEntries(columns.map((name) => [name, param(name)]))),
      );
      await session.run(statement, { ...membership });
    },
    async put(membership) {
      const columns = Object.keys(membership);
      const statement = statements.cached('membership put', (db, param) =>
        db
          .insertInto('account_users')
          .values(Object.fromEntries(columns.map((name) => [name, param(name)])))
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'user_id'])
              .doUpdateSet({ role: param('role'), post_composer: param('post_composer') }),
          ),
      );
      await session.run(statement, { ...membership });
    },
    async remove(account, user) {
      const statement = statements.cached('membership remove', (db, param) =>
        db.deleteFrom('account_users').where('account_id', '=', param('account')).where('user_id', '=', param('user')),
      );
      return (await session.run(statement, { account, user })) > 0;
    },
    async listMembers(account) {
      const statement = statements.cached('membership members', (db, param) =>
        db
          .selectFrom('account_users')
          .select(['account_id', 'user_id', 'role', 'post_composer'])
          .where('account_id', '=', param('account'))
          .orderBy('user_id'),
      );
      return session.all(statement, { account });
    },
    async findLimits(account) {
      const statement = statements.cached('account limits', (db, param) =>
        db.selectFrom('accounts').select(['environment', 'limits']).where('id', '=', param('account')),
      );
      return (await session.all(statement, { account }))[0];
    },
    async listFeatures(account) {
      const statement = statements.cached('features list', (db, param) =>
        db
          .selectFrom('account_features')
          .select('feature_key')
          .where('account_id', '=', param('account'))
          .orderBy('feature_key'),
      );
      return (await session.all(statement, { account })).map((row) => row.feature_key);
    },
    async addFeatures(account, keys) {
      const statement = statements.cached('features add', (db, param) =>
        db
          .insertInto('account_features')
          .values({ account_id: param('account'), feature_key: param('key') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      for (const key of keys) await session.run(statement, { account, key });
    },
    async removeFeatures(account, keys) {
      const statement = statements.cached('features remove', (db, param) =>
        db
          .deleteFrom('account_features')
          .where('account_id', '=', param('account'))
          .where('feature_key', '=', param('key')),
      );
      for (const key of keys) await session.run(statement, { account, key });
    },
  };
}
