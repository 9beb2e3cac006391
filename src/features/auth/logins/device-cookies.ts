import type { Clock } from '../../../base/clock.ts';
import { instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { User } from '../../../contract/store/credentials.ts';

/** How long a browser is known after a login. */
const KNOWN_S = 180 * 86_400;
/** As many users of one browser are known. */
const USERS_MAX = 5;
const CONTEXT = 'known_browser';

type Entry = readonly [user: string, browser: string, since_s: number];

/** The cookie that says who has logged in with a browser before. It is sealed, and logs nobody in. */
export interface DeviceCookies {
  /** The id of the browser, when this user has logged in with it since the password was last changed. */
  browserIdFor(cookie: string | undefined, user: User): string | undefined;
  /** The value of the cookie once this user has logged in. */
  afterLogin(cookie: string | undefined, user: string): string;
}

/** Known browsers, whose cookies nobody else can make. */
export function deviceCookies(deps: { box: SecretBox; clock: Clock; random: Random }): DeviceCookies {
  const { box, clock, random } = deps;
  const entriesOf = (cookie: string | undefined): readonly Entry[] => {
    if (cookie === undefined) return [];
    try {
      const entries: readonly Entry[] = JSON.parse(box.open(cookie, CONTEXT));
      return entries.filter(([, , since_s]) => clock.now() < (since_s + KNOWN_S) * 1000);
    } catch {
      return [];
    }
  };
  return {
    browserIdFor(cookie, { id, password_changed_at: changed }) {
      const found = entriesOf(cookie).find(([user]) => user === id);
      if (!found) return undefined;
      const [, browser, since_s] = found;
      return changed !== null && since_s < Math.floor(instantMs(changed) / 1000) ? undefined : browser;
    },
    afterLogin(cookie, user) {
      const known = entriesOf(cookie);
      const browser = known.find(([each]) => each === user)?.[1] ?? random.bytes(9).toString('base64url');
      const others = known.filter(([each]) => each !== user).slice(0, USERS_MAX - 1);
      const entry: Entry = [user, browser, Math.floor(clock.now() / 1000)];
      return box.seal(JSON.stringify([entry, ...others]), CONTEXT);
    },
  };
}
