import type { Environment } from '../../contract/declare/account-state.ts';
import type { Role } from '../../contract/declare/roles.ts';
import { insertNew, insertRows } from '../core/bulk-insert.ts';
import { Table } from '../core/table.ts';
import { deleteRows } from '../core/table-rows.ts';

/** A user's role on an account. */
export interface AccountMember {
  readonly account_id: string;
  readonly user_id: string;
  readonly role: Role;
  /** 1 when the user has the extra permission POST_COMPOSER. */
  readonly post_composer: 0 | 1;
}

/** The account and the user's role on it, as authorization needs them. */
export interface AccountAccess extends AccountMember {
  readonly environment: string;
  readonly approval_status: string;
  readonly timezone: string;
  readonly deleted: 0 | 1;
  /** JSON text: limits raised for this account. */
  readonly limits: string;
}

/** Users of accounts with their roles, and the features of accounts. */
export class AccountMembers extends Table {
  find(user: string, account: string) {
    return this.session.first('membership find', { user, account }, (db, param) =>
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
  }

  /** Ids of the live accounts of one environment on which a user has a role, at most `limit`. */
  async listAccounts(user: string, environment: Environment, limit: number) {
    return (
      await this.session.all('membership list', { user, environment, limit }, (db, param) =>
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
  }

  async add(membership: AccountMember) {
    await insertRows(this.session, 'account_users', [membership]);
  }

  /** Adds a user to an account, or replaces their role and permissions there. */
  async put(membership: AccountMember) {
    await insertRows(this.session, 'account_users', [membership], {
      onConflict: { key: ['account_id', 'user_id'], replace: ['role', 'post_composer'] },
    });
  }

  /** Returns true when the user had a role there. */
  async remove(account: string, user: string) {
    return (await deleteRows(this.session, 'account_users', { account_id: account, user_id: user })) > 0;
  }

  /** All members of an account, by user id. */
  listMembers(account: string) {
    return this.session.all('membership members', { account }, (db, param) =>
      db
        .selectFrom('account_users')
        .select(['account_id', 'user_id', 'role', 'post_composer'])
        .where('account_id', '=', param('account'))
        .orderBy('user_id'),
    );
  }

  /** Columns of an account that are no declared fields; undefined when no account has this id. */
  findLimits(account: string) {
    return this.session.first('account limits', { account }, (db, param) =>
      db.selectFrom('accounts').select(['environment', 'limits']).where('id', '=', param('account')),
    );
  }

  /** The feature keys of an account, sorted. */
  async listFeatures(account: string) {
    return (
      await this.session.all('features list', { account }, (db, param) =>
        db
          .selectFrom('account_features')
          .select('feature_key')
          .where('account_id', '=', param('account'))
          .orderBy('feature_key'),
      )
    ).map((row) => row.feature_key);
  }

  async addFeatures(account: string, keys: readonly string[]) {
    for (const key of keys) {
      await insertNew(this.session, 'account_features', { account_id: account, feature_key: key });
    }
  }

  async removeFeatures(account: string, keys: readonly string[]) {
    for (const key of keys) {
      await deleteRows(this.session, 'account_features', { account_id: account, feature_key: key });
    }
  }
}
