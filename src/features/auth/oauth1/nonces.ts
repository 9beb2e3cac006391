import { elapsed_ms } from '../../../base/timers.ts';
import type { NonceReservation } from '../../../contract/declare/callers.ts';
import { type NonceLog, nonceDigest } from '../../../contract/store/nonces.ts';
import { credentialProblem } from './credential-problem.ts';
import { nonceSet } from './nonce-set.ts';

/** The used nonces of one timestamp. */
interface Second {
  readonly digests: ReturnType<typeof nonceSet>;
  /** By the monotonic clock. */
  lastUsedAt_ms: number;
}

/** The used nonces of a service. */
export type Nonces = ReturnType<typeof inMemoryNonces>;

/**
 * Used nonces in memory, by the second of their timestamp, and in a log that survives a restart: each is accepted once per
 * token and timestamp. A timestamp outside the window is refused anyway, so its nonces are dropped. The system clock may be
 * set back: a second is dropped only after none of its nonces was used for a whole window, and a dropped second is never
 * accepted again.
 * @source authentication 2.5; RFC 5849 3.3; decision 430; decision 13
 */
export function inMemoryNonces(
  log: NonceLog,
  window_s: number,
  { elapsed = elapsed_ms }: { readonly elapsed?: () => number } = {},
) {
  const bySecond = new Map<number, Second>();
  const window_ms = window_s * 1000;
  let sweptAt_ms = elapsed();
  let forgottenUntil = log.forgottenUntil();

  const remember = (timestamp: number, digest: string): boolean => {
    let second = bySecond.get(timestamp);
    if (!second) {
      second = { digests: nonceSet(), lastUsedAt_ms: 0 };
      bySecond.set(timestamp, second);
    }
    if (!second.digests.add(digest)) return false;
    second.lastUsedAt_ms = elapsed();
    return true;
  };
  const sweep = (now: number): void => {
    sweptAt_ms = elapsed();
    for (const [second, { lastUsedAt_ms }] of bySecond) {
      if (second >= now - window_s || sweptAt_ms - lastUsedAt_ms < window_ms) continue;
      forgottenUntil = Math.max(forgottenUntil, second);
      bySecond.delete(second);
    }
  };

  for (const { timestamp, digest } of log.read()) remember(timestamp, digest);
  return {
    /**
     * Reserves a nonce for one request. Timestamp and `now` are in Unix seconds, the timestamp inside the window.
     * @throws SIGNATURE_REFUSED when it was used before.
     */
    use(tokenId: string, timestamp: number, nonce: string, now: number): NonceReservation {
      if (elapsed() - sweptAt_ms >= 1000) sweep(now);
      if (timestamp <= forgottenUntil) {
        throw credentialProblem('SIGNATURE_REFUSED', 'the clock was set back: the nonces of this second are forgotten');
      }
      const digest = nonceDigest(tokenId, timestamp, nonce);
      if (!remember(timestamp, digest)) throw credentialProblem('SIGNATURE_REFUSED', 'nonce used before');
      const release = (): void => void bySecond.get(timestamp)?.digests.delete(digest);
      return {
        release,
        commit: (use) =>
          log.append({ timestamp, digest }, use).then(
            (isNew) => {
              if (!isNew) throw credentialProblem('SIGNATURE_REFUSED', 'nonce used before');
            },
            (error) => {
              // A request whose nonce was not written is not performed, so its nonce is free again.
              release();
              throw error;
            },
          ),
      };
    },
    /** The number of nonces in memory. */
    size: (): number => [...bySecond.values()].reduce((sum, { digests }) => sum + digests.size, 0),
  };
}
