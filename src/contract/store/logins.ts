import { instantMs } from '../../base/instants.ts';

/** A session ends when it was not used for this long, and this long after its login. @source authentication gaps 15.2 */
export const SESSION_IDLE_S = 30 * 60;
/** The whole life of a session, however much it is used. */
export const SESSION_LIFE_S = 12 * 60 * 60;

/** A browser's session. */
export interface Session {
  /** SHA-256 of the value of the cookie, hex. */
  readonly id_hash: string;
  /** Null until somebody has logged in. */
  readonly user_id: string | null;
  /** What forms of this session must bring along. */
  readonly form_token: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  /** When its user last proved who they are; null for sessions older than this column, whose login was `created_at`. */
  readonly authenticated_at: string | null;
  /** Id of the request token for which its user logged in; null after any other login. */
  readonly login_for: string | null;
  /** The browser in plain words, as far as it says what it is. */
  readonly browser: string;
  /** Where it was last seen: an address, or the /64 of one. */
  readonly address: string;
}

/** Whether a session is neither idle nor too old. `now` in milliseconds. */
export function isLiveSession(session: Session, now: number): boolean {
  return (
    now - instantMs(session.last_seen_at) < SESSION_IDLE_S * 1000 &&
    now - instantMs(session.created_at) < SESSION_LIFE_S * 1000
  );
}

/** Sessions of browsers. */
export interface Sessions {
  find(idHash: string): Promise<Session | undefined>;
  /** The sessions of a user, the one seen last first. */
  list(user: string): Promise<Session[]>;
  add(session: Session): Promise<void>;
  /** False when there no longer is such a session. */
  change(
    idHash: string,
    changes: Partial<Pick<Session, 'id_hash' | 'last_seen_at' | 'authenticated_at' | 'address'>>,
  ): Promise<boolean>;
  remove(idHash: string): Promise<void>;
  /** Removes the sessions of a user, but for one; tells how many. */
  removeOf(user: string, except?: string): Promise<number>;
  /** Removes those last seen before a time, at most `limit`; tells how many. */
  removeIdle(before: string, limit: number): Promise<number>;
}

/** A link that lets its bearer set the password of a user, once. */
export interface PasswordLink {
  /** SHA-256 of the secret in the link, hex. */
  readonly id_hash: string;
  readonly user_id: string;
  readonly expires_at: string;
}

/** Links that set passwords. */
export interface PasswordLinks {
  find(idHash: string): Promise<PasswordLink | undefined>;
  add(link: PasswordLink): Promise<void>;
  /** Removes all links of a user. */
  removeOf(user: string): Promise<void>;
  /** Removes those that ended before a time; tells how many. */
  removeEnded(before: string): Promise<number>;
}

/** Failed logins counted under one key: a user, an address, a browser, or two of them together. */
export interface LoginTally {
  /** Digest of what is counted. */
  readonly id: string;
  readonly failures: number;
  /** When the count began, or up to when it has drained. Seconds, as all times here. */
  readonly since_s: number;
  readonly locked_until_s: number;
  /** How many locks came one soon after the other. */
  readonly locks: number;
  /** From then on the row says nothing that no row would not say. */
  readonly ends_s: number;
}

/** Tallies of failed logins. */
export interface LoginTallies {
  /** The tallies of these keys, which no other unit changes until this one ends; keys without one get `blank`. */
  lock(ids: readonly string[], blank: Omit<LoginTally, 'id'>): Promise<LoginTally[]>;
  put(tally: LoginTally): Promise<void>;
  count(): Promise<number>;
  /** Removes those that end before a time, the first to end first; tells how many. */
  removeEnded(before_s: number, limit: number): Promise<number>;
  /** Removes those that end first. */
  removeFirst(limit: number): Promise<void>;
}
