/** What became of a write, as far as its client knows. */
export type Fate = 'acknowledged' | 'unknown';

/** A campaign that a load has sent. */
export interface SentCampaign {
  /** Once it was acknowledged. */
  id?: string;
  isDeleted: boolean;
  /** A deletion was sent, and nothing came back. */
  isDeletionOpen: boolean;
  /** The purchase order number that was acknowledged last, and the last that was sent. */
  acknowledged: number;
  sent: number;
}

/** What clients sent and what they were told, over all restarts of a service. */
export interface Ledger {
  /** By name; those of a batch are `<batch> part <n>`. */
  readonly campaigns: Map<string, SentCampaign>;
  /** Line items by name. */
  readonly lineItems: Map<string, Fate>;
  /** Texts of posts. */
  readonly posts: Map<string, Fate>;
  /** Uploads of people, by number. */
  readonly people: Map<number, Fate>;
  /** Ids of media whose upload was acknowledged. */
  readonly media: Set<string>;
  /** Bearer tokens whose revocation was acknowledged. */
  readonly revoked: string[];
  /** Authorization headers of requests to `/12/accounts` that were answered. */
  readonly used: string[];
  /** Replies that nobody should get, and 503 without `retry-after`. */
  readonly wrong: string[];
  /** How many replies of each status came. */
  readonly statuses: Map<number, number>;
}

/** An empty ledger. */
export function openLedger(): Ledger {
  return {
    campaigns: new Map(),
    lineItems: new Map(),
    posts: new Map(),
    people: new Map(),
    media: new Set(),
    revoked: [],
    used: [],
    wrong: [],
    statuses: new Map(),
  };
}

/** How much was acknowledged. */
export function acknowledgedIn({ campaigns, lineItems, posts, people, media, revoked }: Ledger): number {
  const made = [...campaigns.values()].filter(({ id }) => id !== undefined).length;
  const others = [lineItems, posts, people].map(
    (fates) => [...fates.values()].filter((fate) => fate === 'acknowledged').length,
  );
  return [made, media.size, revoked.length, ...others].reduce((total, count) => total + count, 0);
}

/** How many replies came. */
export function repliesIn({ statuses }: Ledger): number {
  let total = 0;
  for (const count of statuses.values()) total += count;
  return total;
}
