import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import type { AccessLevel } from './credentials.ts';

/** The states of a request token. The last three are final. @source authentication 8 */
export const REQUEST_TOKEN_STATES = ['issued', 'authorized', 'denied', 'expired', 'exchanged'] as const;
/** The state of a request token. */
export type RequestTokenState = (typeof REQUEST_TOKEN_STATES)[number];

/** Settings for logins. */
export interface LoginSettings {
  /** How long a user may take to decide, in seconds. */
  readonly request_token_ttl_s: number;
  /** How long the application may take to exchange an approved request token, in seconds. */
  readonly verifier_ttl_s: number;
  /** Number of wrong verifiers that ends a request token. */
  readonly verifier_attempts_max: number;
  /** Whether a repeated exchange revokes the access token that the first one issued. */
  readonly revoke_on_verifier_reuse: boolean;
}

/** A request token. The secret is sealed, and wiped by the exchange. */
export interface RequestToken {
  readonly id: string;
  readonly token: string;
  readonly token_secret: string;
  readonly application_id: string;
  /** Where the user is redirected, or `oob`. */
  readonly callback: string;
  /** The access level of the token to be issued. */
  readonly access_level: AccessLevel;
  readonly state: RequestTokenState;
  /** The user who approved it; null before. */
  readonly user_id: string | null;
  /** Keyed hash of the verifier or PIN; null before the approval and after the exchange. */
  readonly verifier_hash: string | null;
  /** Number of wrong verifiers so far. */
  readonly attempts: number;
  /** 1 when only a user who logs in for this very request may approve it. */
  readonly force_login: 0 | 1;
  /** Address of the caller that requested it. */
  readonly address: string;
  readonly created_at: string;
  /** When the state `issued` or `authorized` expires. */
  readonly expires_at: string;
  /** Id of the access token that the exchange issued; stored only where a second exchange revokes it. */
  readonly made_token_id: string | null;
}

/**
 * An application-only token, looked up by its hash. The value is stored sealed, because repeated requests return the
 * same one.
 */
export interface BearerToken {
  readonly id: string;
  readonly application_id: string;
  /** SHA-256 of the value, hex. */
  readonly token_hash: string;
  /** The value, sealed. */
  readonly token: string;
  /** 1 while it is valid, then null: an application has at most one outstanding token. */
  readonly outstanding: 1 | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** The outstanding token of an application, and whether this call issued it. */
export interface Outstanding {
  readonly id: string;
  readonly value: string;
  readonly isNew: boolean;
}

/**
 * Returns the outstanding token of an application, issuing one if there is none. `now` is UTC text; `record` runs in
 * the unit that issues the token.
 */
export type OutstandingBearers = (
  application: string,
  now: string,
  record?: (tx: WriteTransaction, id: string) => Promise<void>,
) => Promise<Outstanding>;
