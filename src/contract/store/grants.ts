import type { AccessLevel } from './credentials.ts';
import type { WriteTransaction } from './store.ts';

/** Where a request token is in its life. The last three are final. @source authentication gaps 8 */
export const REQUEST_TOKEN_STATES = ['issued', 'authorized', 'denied', 'expired', 'exchanged'] as const;
/** A state of a request token. */
export type RequestTokenState = (typeof REQUEST_TOKEN_STATES)[number];

/** What the settings decide of logins. */
export interface LoginSettings {
  /** Seconds for which a user may decide. */
  readonly request_token_ttl_s: number;
  /** Seconds for which the application may fetch what he decided. */
  readonly verifier_ttl_s: number;
  /** Wrong verifiers that end a request token. */
  readonly verifier_attempts_max: number;
  /** An exchange that is tried again takes back the access token that the first one made. */
  readonly revoke_on_verifier_reuse: boolean;
}

/** A request token: an application's wish to act for a user. The secret is sealed and wiped with the exchange. */
export interface RequestToken {
  readonly id: string;
  readonly token: string;
  readonly token_secret: string;
  readonly application_id: string;
  /** Where the user will be sent, or `oob`. */
  readonly callback: string;
  /** The level that a token from it will have. */
  readonly access_level: AccessLevel;
  readonly state: RequestTokenState;
  /** Who approved it; null before that. */
  readonly user_id: string | null;
  /** Keyed hash of the verifier or PIN; null before the approval and after the exchange. */
  readonly verifier_hash: string | null;
  /** Wrong verifiers so far. */
  readonly attempts: number;
  /** 1 when only a user who logs in for this very request may approve it. */
  readonly force_login: 0 | 1;
  /** Address of the caller that asked for it. */
  readonly address: string;
  readonly created_at: string;
  /** When the state `issued` or `authorized` ends by itself. */
  readonly expires_at: string;
  /** Id of the access token that its exchange made, kept only where a second exchange shall revoke it. */
  readonly made_token_id: string | null;
}

/** Request tokens. */
export interface RequestTokens {
  find(token: string): Promise<RequestToken | undefined>;
  /** Finds it and keeps others from changing it until the unit ends. */
  lock(token: string): Promise<RequestToken | undefined>;
  add(requestToken: RequestToken): Promise<void>;
  /**
   * Changes a request token that still is in the state given, in one conditional write; false when it no longer is.
   */
  change(
    id: string,
    from: RequestTokenState,
    changes: Partial<
      Pick<
        RequestToken,
        | 'state'
        | 'user_id'
        | 'verifier_hash'
        | 'attempts'
        | 'expires_at'
        | 'token_secret'
        | 'made_token_id'
        | 'force_login'
      >
    >,
  ): Promise<boolean>;
  /** Changes all of an application, or those approved by one of its users, that are in the state given. */
  changeAll(
    whose: { readonly application: string; readonly user?: string },
    from: RequestTokenState,
    changes: Partial<Pick<RequestToken, 'state' | 'verifier_hash' | 'token_secret'>>,
  ): Promise<void>;
  /** Removes those that ended before a time, at most `limit`. */
  removeEnded(before: string, limit: number): Promise<void>;
}

/** An application-only token. The value is found by its hash and kept sealed, because the same is given out again. */
export interface BearerToken {
  readonly id: string;
  readonly application_id: string;
  /** SHA-256 of the value, hex. */
  readonly token_hash: string;
  /** The value, sealed. */
  readonly token: string;
  /** 1 while it is valid, null for ever after: an application has one outstanding token at most. */
  readonly outstanding: 1 | null;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** Application-only tokens. */
export interface BearerTokens {
  findByHash(hash: string): Promise<BearerToken | undefined>;
  findOutstanding(application: string): Promise<BearerToken | undefined>;
  /** Fails on a second outstanding token of an application. */
  add(bearer: BearerToken): Promise<void>;
  /** True when it was outstanding before. */
  revoke(id: string, at: string): Promise<boolean>;
}

/** The token of an application, and whether this call issued it. */
export interface Outstanding {
  readonly id: string;
  readonly value: string;
  readonly isNew: boolean;
}

/**
 * The one outstanding token of an application, which is issued if there is none. `now` is UTC text; `record` is part of the
 * unit that issues one.
 */
export type OutstandingBearers = (
  application: string,
  now: string,
  record?: (tx: WriteTransaction, id: string) => Promise<void>,
) => Promise<Outstanding>;
