import type { Environment } from '../declare/account-state.ts';
import type { Role } from '../declare/roles.ts';

/** A user's role on an account. */
export interface AccountMember {
  readonly account_id: string;
  readonly user_id: string;
  readonly role: Role;
  /** 1 when the user has the extra permission POST_COMPOSER. */
  readonly post_composer: 0 | 1;
}

/** What authorization needs of an account and of a user's role on it. */
export interface AccountAccess extends AccountMember {
  readonly environment: string;
  readonly approval_status: string;
  readonly timezone: string;
  readonly deleted: 0 | 1;
  /** JSON text: limits raised for this account. */
  readonly limits: string;
}

/** Users on accounts, and the features of accounts. */
export interface AccountMembers {
  find(user: string, account: string): Promise<AccountAccess | undefined>;
  /** Ids of the live accounts of one environment on which a user has a role, at most `limit`. */
  listAccounts(user: string, environment: Environment, limit: number): Promise<string[]>;
  add(membership: AccountMember): Promise<void>;
  /** Adds a user to an account, or replaces their role and permissions there. */
  put(membership: AccountMember): Promise<void>;
  /** Returns true when the user had a role there. */
  remove(account: string, user: string): Promise<boolean>;
  /** All members of an account, by user id. */
  listMembers(account: string): Promise<AccountMember[]>;
  /** Columns of an account that are no declared fields; undefined when no account has this id. */
  findLimits(account: string): Promise<Pick<AccountAccess, 'environment' | 'limits'> | undefined>;
  /** The feature keys of an account, sorted. */
  listFeatures(account: string): Promise<string[]>;
  addFeatures(account: string, keys: readonly string[]): Promise<void>;
  removeFeatures(account: string, keys: readonly string[]): Promise<void>;
}
