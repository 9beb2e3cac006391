import type { Clock } from '../../../base/clock.ts';
import { instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import type { SecretBox } from '../../../base/secret-box.ts';
import type { User } from '../../../contract/store/credentials.ts';

/** How long a browser is recognized after a login. @source decision 504 */
const KNOWN_S = 180 * 86_400;
/** How many users of one browser are remembered; the latest to log in come first. @source decision 504 */
const USERS_MAX = 5;
const CONTEXT = 'known_browser';

type Entry = readonly [user: string, browser: string, since_s: number];

/** The sealed cookie that names who has logged in with a browser before. It is not a session. @source decision 504 */
export interface DeviceCookies {
  /** The id of the browser, if this user has logged in with it since the password was last changed. */
  browserIdFor(cookie: string | undefined, user: User): string | undefined;
  /** The new value of the cookie after this user has logged in. */
  afterLogin(cookie: string | undefined, user: string): string;
}

/** Device cookies sealed with the box, so that they cannot be forged. */
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
