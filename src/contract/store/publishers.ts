import type { Environment } from '../declare/account-state.ts';

/** Somebody who shows ads, and the credential by which they ask for them. */
export interface Publisher {
  readonly id: string;
  readonly environment: Environment;
  readonly name: string;
  /** The user who registered it on a page; null when an operator did. */
  readonly owner_user_id: string | null;
  /** SHA-256 of the secret in hex; the secret itself is not stored. */
  readonly secret_digest: string;
  /** 1 when it may ask why ads lost. */
  readonly may_explain: 0 | 1;
  readonly created_at: string;
  /** When the secret was last replaced. */
  readonly rotated_at: string | null;
  readonly disabled_at: string | null;
}

/** Publishers of both environments. */
export interface Publishers {
  find(id: string): Promise<Publisher | undefined>;
  findByDigest(secret_digest: string): Promise<Publisher | undefined>;
  /** All of them, or those of a user, by their number. */
  list(owner?: string): Promise<Publisher[]>;
  add(publisher: Publisher): Promise<void>;
  change(
    id: string,
    changes: Partial<Pick<Publisher, 'secret_digest' | 'rotated_at' | 'disabled_at' | 'may_explain'>>,
  ): Promise<void>;
}
