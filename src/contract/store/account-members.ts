import type { Environment } from '../declare/resource.ts';
import type { Role } from '../declare/roles.ts';

/** What a user is on an account. */
export interface AccountMember {
  readonly account_id: string;
  readonly user_id: string;
  readonly role: Role;
  /** 1 when the user has the extra permission POST_COMPOSER. */
  readonly post_composer: 0 | 1;
}

/** What access decisions read of an account and of the user's place on it. */
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
  /** Makes a user what this says on the account, whatever the user was before. */
  put(membership: AccountMember): Promise<void>;
  /** True when the user had a role there. */
  remove(account: string, user: string): Promise<boolean>;
  /** Everybody on an account, by id. */
  listMembers(account: string): Promise<AccountMember[]>;
  /** What an account has beside its declared fields; undefined when there is none of this id. */
  findLimits(account: string): Promise<Pick<AccountAccess, 'environment' | 'limits'> | undefined>;
  /** The feature keys of an account, sorted. */
  listFeatures(account: string): Promise<string[]>;
  addFeatures(account: string, keys: readonly string[]): Promise<void>;
  removeFeatures(account: string, keys: readonly string[]): Promise<void>;
}
