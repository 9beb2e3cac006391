import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';

/** An operator who is signed in. */
export interface OperatorSession {
  readonly operator: string;
  readonly csrfToken: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  seenAt: number;
}

/** Without a request for this long, a session ends. */
const IDLE_MS = 30 * 60_000;
/** No session lasts longer. */
const LIFE_MS = 8 * 3_600_000;
const SESSIONS_MAX = 1000;

/** The sessions of operators: in the memory of this process, so that a restart signs everybody out. */
export interface OperatorSessions {
  find(cookie: string | undefined): OperatorSession | undefined;
  /** Returns the value of the cookie. */
  start(operator: string): string;
  end(cookie: string): void;
}

/** Creates the sessions of a process. */
export function operatorSessions(clock: Clock, random: Random): OperatorSessions {
  const byHash = new Map<string, OperatorSession>();
  const hashOf = (cookie: string): string => hash('sha256', cookie);
  const isOver = ({ startedAt, seenAt }: OperatorSession, now: number): boolean =>
    now - seenAt > IDLE_MS || now - startedAt > LIFE_MS;
  return {
    find(cookie) {
      const session = cookie === undefined ? undefined : byHash.get(hashOf(cookie));
      const now = clock.now();
      if (!session || isOver(session, now)) return undefined;
      session.seenAt = now;
      return session;
    },
    start(operator) {
      const now = clock.now();
      for (const [key, session] of byHash) if (isOver(session, now)) byHash.delete(key);
      if (byHash.size >= SESSIONS_MAX) byHash.delete(byHash.keys().next().value!);
      const cookie = random.bytes(32).toString('base64url');
      const csrfToken = random.bytes(32).toString('base64url');
      byHash.set(hashOf(cookie), { operator, csrfToken, startedAt: now, seenAt: now });
      return cookie;
    },
    end: (cookie) => void byHash.delete(hashOf(cookie)),
  };
}
