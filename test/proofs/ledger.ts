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

/** A time, in milliseconds of the clock of the machine. */
export interface Span {
  readonly from_ms: number;
  readonly until_ms: number;
}

/** A request that was answered, from its sending to its answer. */
export interface UsedRequest extends Span {
  /** Its Authorization header. */
  readonly authorization: string;
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
  /** What was put into the media library: its bytes, by the address that the reply named. */
  readonly library: Map<string, Uint8Array>;
  /** Descriptions of profiles, each of which is an event. */
  readonly events: Map<string, Fate>;
  /** Bearer tokens whose revocation was acknowledged. */
  readonly revoked: string[];
  /** Requests for the user of the keys that were answered. */
  readonly used: UsedRequest[];
  /** Replies that nobody should get, and 503 without `retry-after`. */
  readonly wrong: string[];
  /** Why requests failed that were not wrong: 503, or a connection that was lost. */
  readonly unanswered: string[];
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
    library: new Map(),
    events: new Map(),
    revoked: [],
    used: [],
    wrong: [],
    unanswered: [],
    statuses: new Map(),
  };
}

/** How much was acknowledged. */
export function acknowledgedIn({
  campaigns,
  lineItems,
  posts,
  people,
  media,
  library,
  events,
  revoked,
}: Ledger): number {
  const made = [...campaigns.values()].filter(({ id }) => id !== undefined).length;
  const others = [lineItems, posts, people, events].map(
    (fates) => [...fates.values()].filter((fate) => fate === 'acknowledged').length,
  );
  return [made, media.size, library.size, revoked.length, ...others].reduce((total, count) => total + count, 0);
}

/** How many replies came. */
export function repliesIn({ statuses }: Ledger): number {
  let total = 0;
  for (const count of statuses.values()) total += count;
  return total;
}

/**
 * What a backup must hold that began when a ledger was as it is in `before`: what was acknowledged then is in it, what was
 * sent by the end may be.
 */
export function atBackup(before: Ledger, after: Ledger): Ledger {
  const fates = <K>(then: ReadonlyMap<K, Fate>, now: ReadonlyMap<K, Fate>): Map<K, Fate> =>
    new Map([...now.keys()].map((key) => [key, then.get(key) ?? 'unknown']));
  const campaigns = [...after.campaigns].map(([name, { id: _, ...now }]) => {
    const then = before.campaigns.get(name);
    const isDeletionOpen = !then?.isDeleted && (now.isDeleted || now.isDeletionOpen);
    const known = { isDeleted: then?.isDeleted ?? false, acknowledged: then?.acknowledged ?? 0, isDeletionOpen };
    return [name, { ...now, ...known, ...(then?.id !== undefined && { id: then.id }) }] as const;
  });
  return {
    ...before,
    campaigns: new Map(campaigns),
    lineItems: fates(before.lineItems, after.lineItems),
    posts: fates(before.posts, after.posts),
    people: fates(before.people, after.people),
    events: fates(before.events, after.events),
  };
}
