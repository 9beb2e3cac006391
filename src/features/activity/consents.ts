import type { Store } from '../../storage/unit-of-work.ts';

/** A cache of which users allow which applications to read their messages. */
export interface Consents {
  /** Loads the pairs that are not cached; afterwards `has` covers them. */
  load(pairs: readonly Consent[]): Promise<void>;
  has(pair: Consent): boolean;
}

/** A user, and an application that may hold one of their tokens. */
export interface Consent {
  readonly user: string;
  readonly application: string;
}

const CACHE_MAX = 100_000;

/**
 * A user allows an application to read their messages while it holds a live token of theirs with access to direct
 * messages. The cache is cleared before a change of tokens is acknowledged.
 * @source activity 16.9; decision 339
 */
export function openConsents(store: Store): Consents {
  const cache = new Map<string, boolean>();
  const keyOf = ({ user, application }: Consent): string => `${user} ${application}`;
  let changes = 0;
  store.onInvalidate(['token'], () => {
    cache.clear();
    changes += 1;
  });
  return {
    async load(pairs) {
      for (;;) {
        const before = changes;
        const missing = pairs.filter((pair) => !cache.has(keyOf(pair)));
        if (missing.length === 0) return;
        if (cache.size + missing.length > CACHE_MAX) cache.clear();
        const found = await store.read(async (tx) => {
          const answers: [string, boolean][] = [];
          for (const pair of missing) {
            const tokens = await tx.credentials.findLiveTokens(pair.user, pair.application);
            answers.push([
              keyOf(pair),
              tokens.some(({ access_level: level }) => level === 'read-write-directmessages'),
            ]);
          }
          return answers;
        });
        // Tokens changed during the read: read again.
        if (changes !== before) continue;
        for (const [key, has] of found) cache.set(key, has);
      }
    },
    has: (pair) => cache.get(keyOf(pair)) ?? false,
  };
}
