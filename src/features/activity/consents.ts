import type { Store } from '../../contract/store/store.ts';

/** Which users let which applications see their messages, kept in memory. */
export interface Consents {
  /** Reads what is not known of these pairs; afterwards `has` answers for them. */
  learn(pairs: readonly Consent[]): Promise<void>;
  has(pair: Consent): boolean;
}

/** A user, and an application that may have a token of theirs. */
export interface Consent {
  readonly user: string;
  readonly application: string;
}

const KNOWN_MAX = 100_000;

/**
 * A user lets an application see messages for as long as it holds a token of theirs that is not revoked and reaches
 * that far. What is known is forgotten before a change of tokens is acknowledged.
 * @source activity gaps 16.9
 */
export function consentsOf(store: Store): Consents {
  const known = new Map<string, boolean>();
  const keyOf = ({ user, application }: Consent): string => `${user} ${application}`;
  let changes = 0;
  store.onInvalidate((tags) => {
    if (tags !== 'everything' && ![...tags].some((tag) => tag.startsWith('token:'))) return;
    known.clear();
    changes += 1;
  });
  return {
    async learn(pairs) {
      for (;;) {
        const before = changes;
        const missing = pairs.filter((pair) => !known.has(keyOf(pair)));
        if (missing.length === 0) return;
        if (known.size + missing.length > KNOWN_MAX) known.clear();
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
        // What changed while it was read is read again.
        if (changes !== before) continue;
        for (const [key, has] of found) known.set(key, has);
      }
    },
    has: (pair) => known.get(keyOf(pair)) ?? false,
  };
}
