import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import type { Random } from '../../base/random.ts';
import type { User } from '../../contract/credentials.ts';
import type { Session } from '../../contract/grants.ts';
import type { Store } from '../../contract/store.ts';

/** A session is over when it was not used for this long, and this long after its login. @source authentication gaps 15.2 */
const IDLE_S = 30 * 60;
const WHOLE_S = 12 * 60 * 60;
/** How exactly its last use is noted: each note is a write. */
const TOUCHED_S = 60;
/** Sessions that are over are removed this many at a time, with each new one. */
const REMOVED_MAX = 20;

/** A session as one visit sees it. */
export interface OpenSession {
  readonly user: User | undefined;
  readonly formToken: string;
  /** Stored already, and known to the browser. */
  readonly isKept: boolean;
  /** Stores it; the answer is the value for the cookie, when the browser does not have it yet. */
  keep(): Promise<string | undefined>;
  /** Puts a new session, of this user, in its place. */
  login(user: string): Promise<string>;
  end(): Promise<void>;
}

/** The sessions of browsers. Values are stored hashed. */
export interface BrowserSessions {
  open(value: string | undefined): Promise<OpenSession>;
}

/** Sessions in the database. */
export function browserSessions(parts: { store: Store; clock: Clock; random: Random }): BrowserSessions {
  const { store, clock, random } = parts;
  const secret = (): string => random.bytes(32).toString('base64url');

  const add = async (user: string | null, formToken: string, former: string | undefined): Promise<string> => {
    const value = secret();
    const now = clock.now();
    await store.write(async (tx) => {
      if (former !== undefined) await tx.sessions.remove(former);
      await tx.sessions.removeIdle(formatInstant(now - IDLE_S * 1000), REMOVED_MAX);
      await tx.sessions.add({
        id_hash: hashOf(value),
        user_id: user,
        form_token: formToken,
        created_at: formatInstant(now),
        last_seen_at: formatInstant(now),
      });
    });
    return value;
  };

  const find = async (idHash: string): Promise<{ session: Session; user: User | undefined } | undefined> => {
    const found = await store.read(async (tx) => {
      const session = await tx.sessions.find(idHash);
      const user = session?.user_id ? await tx.credentials.findUser(session.user_id) : undefined;
      return session && { session, user };
    });
    return found && isLive(found.session, clock.now()) ? found : undefined;
  };

  return {
    async open(value) {
      const idHash = value === undefined ? undefined : hashOf(value);
      const found = idHash === undefined ? undefined : await find(idHash);
      if (found && clock.now() - instantMs(found.session.last_seen_at) >= TOUCHED_S * 1000) {
        await store.write((tx) => tx.sessions.touch(idHash!, formatInstant(clock.now())));
      }
      const formToken = found?.session.form_token ?? secret();
      return {
        user: found?.user,
        formToken,
        isKept: found !== undefined,
        keep: async () => (found ? undefined : add(null, formToken, idHash)),
        login: (user) => add(user, secret(), idHash),
        async end() {
          if (idHash !== undefined) await store.write((tx) => tx.sessions.remove(idHash));
        },
      };
    },
  };
}

function isLive(session: Session, now: number): boolean {
  return now - instantMs(session.last_seen_at) < IDLE_S * 1000 && now - instantMs(session.created_at) < WHOLE_S * 1000;
}

function hashOf(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
