import type { Random } from '../../base/random.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
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

/** What a publisher is registered with. */
export interface NewPublisher {
  readonly environment: Environment;
  readonly name: string;
  readonly owner_user_id: string | null;
  readonly may_explain: boolean;
}

/** A publisher and its credential, which is shown this once. */
export interface IssuedPublisher {
  readonly publisher: Publisher;
  readonly credential: string;
}

/** What units of work that issue credentials need. */
export interface PublisherRegistrar {
  readonly tx: WriteTransaction;
  readonly random: Random;
  readonly now: string;
}

/** Registers publishers, replaces their credentials, and disables them. */
export interface PublisherAdministration {
  create(registrar: PublisherRegistrar, publisher: NewPublisher): Promise<IssuedPublisher>;
  /** Returns the new credential; the old one is refused at once. */
  rotate(registrar: PublisherRegistrar, publisher: Pick<Publisher, 'id'>): Promise<string>;
  /** Null enables it again. */
  disable(tx: WriteTransaction, publisher: Pick<Publisher, 'id'>, disabled_at: string | null): Promise<void>;
  /** Why a publisher cannot have a name; undefined when it can. */
  nameError(name: string): string | undefined;
}
