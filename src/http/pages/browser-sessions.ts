import { hash } from 'node:crypto';
import { addressBlock } from '../../base/address-block.ts';
import type { Clock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { User } from '../../contract/store/credentials.ts';
import { isLiveSession, SESSION_IDLE_S, type Session } from '../../contract/store/logins.ts';
import type { Store } from '../../storage/unit-of-work.ts';

/** The precision of the last use of a session; each update is a write. */
export const TOUCHED_S = 60;
/** Maximum number of idle sessions removed with each new one. */
const REMOVED_MAX = 20;

/** The session of one request. */
export interface OpenSession {
  readonly user: User | undefined;
  readonly csrfToken: string;
  /** The stored session; undefined before login. */
  readonly stored: Session | undefined;
  /** Whether the browser has a cookie, from which the form token is derived before login. @source decision 1227 */
  readonly isKept: boolean;
  /** The cookie value for a browser without one. */
  readonly newCookie: string | undefined;
  /** Replaces the session by a new one of this user. Returns the value of the cookie. */
  startFor(login: { readonly user: string; readonly requestToken?: string }): Promise<string>;
  /**
   * Records a reauthentication and changes the value of the cookie; forms that are open stay valid.
   * @source decision 502
   */
  renew(): Promise<string | undefined>;
  end(): Promise<void>;
}

/** The browser of a request. */
export interface VisitingBrowser {
  /** The value of its cookie. */
  readonly cookie: string | undefined;
  readonly address: string;
  /** The readable name of the browser. */
  readonly browser: string;
}

/** Browser sessions. The values of their cookies are stored hashed. */
export interface BrowserSessions {
  open(visitor: VisitingBrowser): Promise<OpenSession>;
}

/** Creates browser sessions over a store. */
export function browserSessions(deps: { store: Store; clock: Clock; random: Random }): BrowserSessions {
  const { store, clock, random } = deps;
  const secret = (): string => random.bytes(32).toString('base64url');

  const add = async (
    session: Pick<Session, 'form_token' | 'login_for' | 'browser' | 'address'> & { readonly user_id: string },
    former: string | undefined,
  ): Promise<string> => {
    const value = secret();
    const now = clock.now();
    const at = formatInstant(now);
    await store.write(async (tx) => {
      if (former !== undefined) await tx.sessions.remove(former);
      await tx.removeOldest('sessions', formatInstant(now - SESSION_IDLE_S * 1000), REMOVED_MAX);
      const times = { authenticated_at: at, created_at: at, last_seen_at: at };
      await tx.sessions.add({ id_hash: hashOf(value), ...session, ...times });
    });
    return value;
  };

  const find = async (idHash: string): Promise<{ session: Session; user: User | undefined } | undefined> => {
    const found = await store.read(async (tx) => {
      const session = await tx.sessions.find(idHash);
      const user = session?.user_id ? await tx.credentials.findUser(session.user_id) : undefined;
      return session && { session, user };
    });
    return found && isLiveSession(found.session, clock.now()) ? found : undefined;
  };

  return {
    async open({ cookie: value, address: from, browser }) {
      const address = addressBlock(from);
      const idHash = value === undefined ? undefined : hashOf(value);
      const found = idHash === undefined ? undefined : await find(idHash);
      if (found && clock.now() - instantMs(found.session.last_seen_at) >= TOUCHED_S * 1000) {
        await store.write((tx) => tx.sessions.change(idHash!, { last_seen_at: formatInstant(clock.now()), address }));
      }
      const newCookie = value === undefined ? secret() : undefined;
      const csrfToken = found?.session.form_token ?? formTokenOf(value ?? newCookie!);
      const seen = { browser, address };
      return {
        user: found?.user,
        csrfToken,
        stored: found?.session,
        isKept: value !== undefined,
        newCookie,
        startFor: ({ user, requestToken = null }) =>
          add({ user_id: user, form_token: secret(), login_for: requestToken, ...seen }, idHash),
        async renew() {
          if (!found) return undefined;
          const next = secret();
          const changes = { id_hash: hashOf(next), authenticated_at: formatInstant(clock.now()) };
          const isDone = await store.write((tx) => tx.sessions.change(idHash!, changes));
          // If a simultaneous request was first, the browser has its value.
          return isDone ? next : undefined;
        },
        async end() {
          if (idHash !== undefined) await store.write((tx) => tx.sessions.remove(idHash));
        },
      };
    },
  };
}

/** The form token of a browser without a login: pages of other sites cannot read its cookie. */
function formTokenOf(cookie: string): string {
  return hash('sha256', `form token ${cookie}`, 'base64url');
}

function hashOf(value: string): string {
  return hash('sha256', value);
}

/** Patterns of user agents; those that also name other browsers come first. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * A readable name of a browser, such as "Firefox on Linux"; '' when it is unknown. Coarse, so that it identifies nobody.
 * @source decision 510
 */
export function browserName(userAgent = ''): string {
  const [, browser] = BROWSERS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  const [, system] = SYSTEMS.find(([pattern]) => pattern.test(userAgent)) ?? [];
  if (!browser) return system ?? '';
  return system ? `${browser} on ${system}` : browser;
}
