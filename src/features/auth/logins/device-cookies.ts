import type { Clock } from '../../../base/clock.ts';
import { instantMs } from '../../../base/instants.ts';
import type { Random } from '../../../base/random.ts';
import { type SecretBox, tryOpen } from '../../../base/secret-box.ts';
import type { User } from '../../../contract/store/credentials.ts';

/** How long a browser is recognized after a login. @source decision 504 */
const KNOWN_S = 180 * 86_400;
/** How many users of one browser are remembered; the latest to log in come first. @source decision 504 */
const USERS_MAX = 5;
const CONTEXT = 'known_browser';

type Entry = readonly [user: string, browser: string, since_s: number];

/** The cookie that lists the users who have logged in with a browser before. It is not a session. @source decision 504 */
export type DeviceCookies = ReturnType<typeof deviceCookies>;

/** Device cookies sealed with the box, so that they cannot be forged. */
export function deviceCookies({ box, clock, random }: { box: SecretBox; clock: Clock; random: Random }) {
  const entriesOf = (cookie = ''): readonly Entry[] => {
    const entries: readonly Entry[] = JSON.parse(tryOpen(box, cookie, CONTEXT) ?? '[]');
    return entries.filter(([, , since_s]) => clock.now() < (since_s + KNOWN_S) * 1000);
  };
  return {
    /** The id of the browser, if this user has logged in with it since the password was last changed. */
    browserIdFor(cookie: string | undefined, { id, password_changed_at: changed }: User): string | undefined {
      const found = entriesOf(cookie).find(([user]) => user === id);
      if (!found) return undefined;
      const [, browser, since_s] = found;
      return changed !== null && since_s < Math.floor(instantMs(changed) / 1000) ? undefined : browser;
    },
    /** The new value of the cookie after this user has logged in. */
    afterLogin(cookie: string | undefined, user: string): string {
      const known = entriesOf(cookie);
      const browser = known.find(([each]) => each === user)?.[1] ?? random.bytes(9).toString('base64url');
      const others = known.filter(([each]) => each !== user).slice(0, USERS_MAX - 1);
      const entry: Entry = [user, browser, Math.floor(clock.now() / 1000)];
      return box.seal(JSON.stringify([entry, ...others]), CONTEXT);
    },
  };
}
