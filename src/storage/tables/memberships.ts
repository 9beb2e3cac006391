import type { Memberships } from '../../contract/store/memberships.ts';
import type { Session } from '../core/session.ts';

/** Users on accounts, and the features of accounts. */
export function membershipsOn(session: Session): Memberships {
  const { statements } = session;
  return {
    async find(user, account) {
      const statement = statements.of('membership find', (queries, argument) =>
        queries
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
          .where('account_id', '=', argument('account'))
          .where('user_id', '=', argument('user')),
      );
      return (await session.all(statement, { user, account }))[0];
    },
    async listAccounts(user, environment, limit) {
      const statement = statements.of('membership list', (queries, argument) =>
        queries
          .selectFrom('account_users')
          .innerJoin('accounts', 'accounts.id', 'account_users.account_id')
          .select('account_id')
          .where('user_id', '=', argument('user'))
          .where('environment', '=', argument('environment'))
          .where('deleted', '=', 0)
          .orderBy('account_id')
          .limit(argument('limit')),
      );
      return (await session.all(statement, { user, environment, limit })).map((row) => row.account_id);
    },
    async add(membership) {
      const columns = Object.keys(membership);
      const statement = statements.of('membership add', (queries, argument) =>
        queries.insertInto('account_users').values(Object.fromEntries(columns.map((name) => [name, argument(name)]))),
      );
      await session.run(statement, { ...membership });
    },
    async put(membership) {
      const columns = Object.keys(membership);
      const statement = statements.of('membership put', (queries, argument) =>
        queries
          .insertInto('account_users')
          .values(Object.fromEntries(columns.map((name) => [name, argument(name)])))
          .onConflict((conflict) =>
            conflict
              .columns(['account_id', 'user_id'])
              .doUpdateSet({ role: argument('role'), post_composer: argument('post_composer') }),
          ),
      );
      await session.run(statement, { ...membership });
    },
    async remove(account, user) {
      const statement = statements.of('membership remove', (queries, argument) =>
        queries
          .deleteFrom('account_users')
          .where('account_id', '=', argument('account'))
          .where('user_id', '=', argument('user')),
      );
      return (await session.run(statement, { account, user })) > 0;
    },
    async listMembers(account) {
      const statement = statements.of('membership members', (queries, argument) =>
        queries
          .selectFrom('account_users')
          .select(['account_id', 'user_id', 'role', 'post_composer'])
          .where('account_id', '=', argument('account'))
          .orderBy('user_id'),
      );
      return session.all(statement, { account });
    },
    async findLimits(account) {
      const statement = statements.of('account limits', (queries, argument) =>
        queries.selectFrom('accounts').select(['environment', 'limits']).where('id', '=', argument('account')),
      );
      return (await session.all(statement, { account }))[0];
    },
    async listFeatures(account) {
      const statement = statements.of('features list', (queries, argument) =>
        queries
          .selectFrom('account_features')
          .select('feature_key')
          .where('account_id', '=', argument('account'))
          .orderBy('feature_key'),
      );
      return (await session.all(statement, { account })).map((row) => row.feature_key);
    },
    async addFeatures(account, keys) {
      const statement = statements.of('features add', (queries, argument) =>
        queries
          .insertInto('account_features')
          .values({ account_id: argument('account'), feature_key: argument('key') })
          .onConflict((conflict) => conflict.doNothing()),
      );
      for (const key of keys) await session.run(statement, { account, key });
    },
    async removeFeatures(account, keys) {
      const statement = statements.of('features remove', (queries, argument) =>
        queries
          .deleteFrom('account_features')
          .where('account_id', '=', argument('account'))
          .where('feature_key', '=', argument('key')),
      );
      for (const key of keys) await session.run(statement, { account, key });
    },
  };
}
