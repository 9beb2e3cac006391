import { instantMs } from '../../base/instants.ts';

/** Idle timeout of a session. @source authentication 15.2 */
export const SESSION_IDLE_S = 30 * 60;
/** Lifetime of a session after its login, however much it is used. */
const SESSION_LIFE_S = 12 * 60 * 60;

/** Lifetime of a session of an operator. @source decision 1005 */
export const OPERATOR_SESSION_LIFE_S = 8 * 60 * 60;

/** Columns shared by sessions of users and operators. Times are UTC texts, by the system clock. */
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

/** A form that a page has sent. Its texts reveal nothing without the form. */
export interface SentForm {
  /** SHA-256 of the key of its page and of what was sent, hex. */
  readonly id_hash: string;
  /** UTC text, by the wall clock. */
  readonly sent_at: string;
  /** The sealed answer; null until there is one. */
  readonly answer: string | null;
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
