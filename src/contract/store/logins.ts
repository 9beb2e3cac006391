import { instantMs } from '../../base/instants.ts';

/** Idle timeout of a session. @source authentication gaps 15.2 */
export const SESSION_IDLE_S = 30 * 60;
/** Lifetime of a session after its login, however much it is used. */
export const SESSION_LIFE_S = 12 * 60 * 60;

/** Lifetime of a session of an operator. @source decision 1005 */
export const OPERATOR_SESSION_LIFE_S = 8 * 60 * 60;

/** What is known of any session, of a user or an operator. Times are UTC texts, by the wall clock. */
export interface AnySession {
  /** SHA-256 of the cookie value, hex. */
  readonly id_hash: string;
  /** CSRF token that forms of this session must contain. */
  readonly form_token: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  /** The browser in plain words, as far as its headers identify it. */
  readonly browser: string;
  /** The address last seen, or its /64. */
  readonly address: string;
}

/** A browser session. */
export interface Session extends AnySession {
  /** Null before login. */
  readonly user_id: string | null;
  /** When the user last authenticated; null for sessions older than this column: then it is `created_at`. */
  readonly authenticated_at: string | null;
  /** Id of the request token that the user logged in for; null after any other login. */
  readonly login_for: string | null;
}

/** A session of the operator console. */
export interface OperatorSession extends AnySession {
  /** The name of the operator. */
  readonly operator: string;
}

/** Whether a session is neither idle nor too old. `now` is in milliseconds. */
export function isLiveSession(session: AnySession, now: number, life_s = SESSION_LIFE_S): boolean {
  return (
    now - instantMs(session.last_seen_at) < SESSION_IDLE_S * 1000 && now - instantMs(session.created_at) < life_s * 1000
  );
}

/** Browser sessions. */
export interface Sessions {
  find(idHash: string): Promise<Session | undefined>;
  /** The sessions of a user, most recently seen first. */
  list(user: string): Promise<Session[]>;
  add(session: Session): Promise<void>;
  /** Returns false when the session no longer exists. */
  change(
    idHash: string,
    changes: Partial<Pick<Session, 'id_hash' | 'last_seen_at' | 'authenticated_at' | 'address'>>,
  ): Promise<boolean>;
  remove(idHash: string): Promise<void>;
  /** Removes the sessions of a user, except one; returns how many. */
  removeOf(user: string, except?: string): Promise<number>;
  /** Removes at most `limit` that were last seen before a time; returns how many. */
  removeIdle(before: string, limit: number): Promise<number>;
}

/** A single-use link that lets its bearer set a user's password. */
export interface PasswordLink {
  /** SHA-256 of the secret in the link, hex. */
  readonly id_hash: string;
  readonly user_id: string;
  readonly expires_at: string;
}

/** Links for setting a password. */
export interface PasswordLinks {
  find(idHash: string): Promise<PasswordLink | undefined>;
  add(link: PasswordLink): Promise<void>;
  /** Removes all links of a user. */
  removeOf(user: string): Promise<void>;
  /** Removes at most `limit` that expired before a time; returns how many. */
  removeEnded(before: string, limit: number): Promise<number>;
}

/** A link that signs an operator in and was not used yet. Times are UTC texts, by the wall clock. */
export interface OperatorLink {
  /** SHA-256 of the secret in the link, hex. */
  readonly id_hash: string;
  /** The name of the operator, for the audit log. */
  readonly operator: string;
  readonly expires_at: string;
}

/** Links that sign operators in. @source decision 1060 */
export interface OperatorLinks {
  add(link: OperatorLink): Promise<void>;
  /** Removes a link and returns it: of several units of work that take the same one, one gets it. */
  take(idHash: string): Promise<OperatorLink | undefined>;
  /** Removes at most `limit` that expired before a time; returns how many. */
  removeEnded(before: string, limit: number): Promise<number>;
}

/** Sessions of the operator console. @source decision 1265 */
export interface OperatorSessions {
  find(idHash: string): Promise<OperatorSession | undefined>;
  /** All of them, most recently seen first. */
  list(): Promise<OperatorSession[]>;
  add(session: OperatorSession): Promise<void>;
  /** Does nothing when the session no longer exists. */
  change(idHash: string, changes: Pick<OperatorSession, 'last_seen_at' | 'address'>): Promise<void>;
  remove(idHash: string): Promise<void>;
  /** Removes at most `limit` that were last seen before a time; returns how many. */
  removeIdle(before: string, limit: number): Promise<number>;
}

/** A form that a page has sent. Its texts reveal nothing without the form. */
export interface SentForm {
  /** SHA-256 of the key of its page and of what was sent, hex. */
  readonly id_hash: string;
  /** UTC text, by the wall clock. */
  readonly sent_at: string;
  /** The sealed answer; null until there is one. */
  readonly answer: string | null;
}

/** Forms that pages have sent, so that each is processed once. @source decision 1100 */
export interface SentForms {
  find(idHash: string): Promise<SentForm | undefined>;
  /** Returns false when it is there already. */
  add(form: SentForm): Promise<boolean>;
  answer(idHash: string, answer: string): Promise<void>;
  remove(idHash: string): Promise<void>;
  /** Removes at most `limit` that were sent before a time; returns how many. */
  removeSent(before: string, limit: number): Promise<number>;
}

/** Failed logins counted under one key: a user, an address, a browser, or a pair of them. */
export interface LoginTally {
  /** Digest of the key. */
  readonly id: string;
  readonly failures: number;
  /** When the count began, or up to when it has drained. All times here are in seconds. */
  readonly since_s: number;
  readonly locked_until_s: number;
  /** How many locks followed each other closely. */
  readonly locks: number;
  /** From then on the row means the same as no row. */
  readonly ends_s: number;
}

/** Tallies of failed logins. */
export interface LoginTallies {
  /** Reads and locks the tallies of these keys until the unit ends; keys without one get `blank`. */
  lock(ids: readonly string[], blank: Omit<LoginTally, 'id'>): Promise<LoginTally[]>;
  put(tally: LoginTally): Promise<void>;
  count(): Promise<number>;
  /** Removes at most `limit` that ended before a time, earliest end first; returns how many. */
  removeEnded(before_s: number, limit: number): Promise<number>;
  /** Removes those with the earliest end; returns how many. */
  removeFirst(limit: number): Promise<number>;
}
