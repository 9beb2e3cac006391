import type { AccountMembers } from '../../contract/store/account-members.ts';
import { insertRows } from '../core/bulk-insert.ts';
import type { Session } from '../core/session.ts';

/** Users of accounts with their roles, and the features of accounts. */
export function accountMembersOn(session: Session): AccountMembers {
  return {
    async find(user, account) {
      return session.first('membership find', { user, account }, (db, param) =>
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
    },
    async listAccounts(user, environment, limit) {
      return (
        await session.all('membership list', { user, environment, limit }, (db, param) =>
          db
            .selectFrom('account_users')
            .innerJoin('accounts', 'accounts.id', 'account_users.account_id')
            .select('account_id')
            .where('user_id', '=', param('user'))
            .where('environment', '=', param('environment'))
            .where('deleted', '=', 0)
            .orderBy('account_id')
            .limit(param('limit')),
        )
      ).map((row) => row.account_id);
    },
    async add(membership) {
      await insertRows(session, 'account_users', [membership]);
    },
    async put(membership) {
      await insertRows(session, 'account_users', [membership], {
        onConflict: { key: ['account_id', 'user_id'], replace: ['role', 'post_composer'] },
      });
    },
    async remove(account, user) {
      return (
        (await session.run('membership remove', { account, user }, (db, param) =>
          db
            .deleteFrom('account_users')
            .where('account_id', '=', param('account'))
            .where('user_id', '=', param('user')),
        )) > 0
      );
    },
    async listMembers(account) {
      return session.all('membership members', { account }, (db, param) =>
        db
          .selectFrom('account_users')
          .select(['account_id', 'user_id', 'role', 'post_composer'])
          .where('account_id', '=', param('account'))
          .orderBy('user_id'),
      );
    },
    async findLimits(account) {
      return session.first('account limits', { account }, (db, param) =>
        db.selectFrom('accounts').select(['environment', 'limits']).where('id', '=', param('account')),
      );
    },
    async listFeatures(account) {
      return (
        await session.all('features list', { account }, (db, param) =>
          db
            .selectFrom('account_features')
            .select('feature_key')
            .where('account_id', '=', param('account'))
            .orderBy('feature_key'),
        )
      ).map((row) => row.feature_key);
    },
    async addFeatures(account, keys) {
      for (const key of keys)
        await session.run('features add', { account, key }, (db, param) =>
          db
            .insertInto('account_features')
            .values({ account_id: param('account'), feature_key: param('key') })
            .onConflict((conflict) => conflict.doNothing()),
        );
    },
    async removeFeatures(account, keys) {
      for (const key of keys)
        await session.run('features remove', { account, key }, (db, param) =>
          db
            .deleteFrom('account_features')
            .where('account_id', '=', param('account'))
            .where('feature_key', '=', param('key')),
        );
    },
  };
}
