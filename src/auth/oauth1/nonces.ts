import type { NonceLog, UsedNonce } from '../../contract/callers.ts';

/**
 * Nonces that were used: each is good once per token and timestamp. A timestamp outside the window is refused anyway,
 * so a second's nonces are forgotten when the window has passed it.
 * @source authentication gaps 2.5; RFC 5849 3.3
 */
export interface Nonces {
  /** Uses up a nonce; false when it was used before. The timestamp is in Unix seconds and inside the window. */
  use(tokenId: string, timestamp: number, nonce: string, nowSeconds: number): boolean;
  /** Resolves when all that were used so far are where they outlive the process. */
  settled(): Promise<void>;
  /** How many are remembered. */
  size(): number;
}

/** Nonces in memory, by the second that they were signed in, over a log. */
export function nonceMemory(log: NonceLog, window_s: number, nowSeconds: number): Nonces {
  const bySecond = new Map<number, Set<string>>();
  let sweptAt = nowSeconds;

  const remember = (entry: UsedNonce): boolean => {
    let used = bySecond.get(entry.timestamp);
    if (!used) {
      used = new Set();
      bySecond.set(entry.timestamp, used);
    }
    const key = `${entry.tokenId} ${entry.nonce}`;
    if (used.has(key)) return false;
    used.add(key);
    return true;
  };
  const sweep = (now: number): void => {
    sweptAt = now;
    for (const second of bySecond.keys()) if (second < now - window_s) bySecond.delete(second);
  };

  for (const entry of log.read()) if (entry.timestamp >= nowSeconds - window_s) remember(entry);
  return {
    use(tokenId, timestamp, nonce, now) {
      if (now > sweptAt) sweep(now);
      const entry = { tokenId, timestamp, nonce };
      if (!remember(entry)) return false;
      log.append(entry);
      return true;
    },
    settled: () => log.written(),
    size: () => [...bySecond.values()].reduce((total, used) => total + used.size, 0),
  };
}
