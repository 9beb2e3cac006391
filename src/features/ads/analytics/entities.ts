import type { AccountState } from '../../../contract/declare/account-state.ts';
import type { AnyResource } from '../../../contract/declare/resource.ts';
import type { DeliveryMetric } from '../../../contract/delivery/metrics.ts';
import type { DeliveryHours } from '../../../contract/store/delivery-ledger.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { campaigns } from '../campaigns.ts';
import { fundingInstruments } from '../funding-instruments.ts';
import { lineItems } from '../line-items.ts';
import { mediaCreatives } from '../media-creatives.ts';
import { promotableUsers } from '../promotable-users.ts';
import { promotedAccounts } from '../promoted-accounts.ts';
import { promotedPosts } from '../promoted-posts.ts';
import { METRIC_GROUP_NAMES, type MetricGroup } from './metrics.ts';

/** An entity kind with statistics. */
export interface StatsEntity {
  /** Its metric groups; all other metrics are null. */
  readonly groups: readonly MetricGroup[];
  /** Its metrics of the group ENGAGEMENT; all by default. */
  readonly engagement?: readonly DeliveryMetric[];
  /** The resource of its rows; undefined for accounts and posts. */
  readonly resource?: AnyResource;
  /** How its deliveries are found: by a column of line items, or by creative. */
  readonly by: 'account' | 'id' | 'campaign_id' | 'funding_instrument_id' | 'creative' | 'nothing';
}

const SIX = ['engagements', 'impressions', 'reposts', 'replies', 'likes', 'follows'] as const;

/** Every entity kind. @source analytics 5 and 6; decision 958 */
export const STATS_ENTITIES = {
  ACCOUNT: { groups: ['ENGAGEMENT'], engagement: SIX, by: 'account' },
  CAMPAIGN: { groups: METRIC_GROUP_NAMES, resource: campaigns, by: 'campaign_id' },
  FUNDING_INSTRUMENT: {
    groups: ['ENGAGEMENT', 'BILLING'],
    engagement: SIX,
    resource: fundingInstruments,
    by: 'funding_instrument_id',
  },
  LINE_ITEM: { groups: METRIC_GROUP_NAMES, resource: lineItems, by: 'id' },
  PROMOTED_ACCOUNT: { groups: METRIC_GROUP_NAMES, resource: promotedAccounts, by: 'creative' },
  PROMOTED_POST: { groups: METRIC_GROUP_NAMES, resource: promotedPosts, by: 'creative' },
  MEDIA_CREATIVE: { groups: METRIC_GROUP_NAMES, resource: mediaCreatives, by: 'creative' },
  // Organic delivery is not in the ledger.
  ORGANIC_POST: { groups: ['ENGAGEMENT', 'VIDEO'], by: 'nothing' },
} as const satisfies Readonly<Record<string, StatsEntity>>;

/** The name of an entity kind. */
export type StatsEntityName = keyof typeof STATS_ENTITIES;

type StatsAccount = Pick<AccountState, 'id' | 'environment'>;

/** Entities of an account, and how to find their deliveries. */
export interface FoundEntities {
  /** Ids of the existing ones, deleted or not, in the order of the request. */
  readonly ids: readonly string[];
  /** The line items of their deliveries; undefined for all. */
  readonly lines: readonly string[] | undefined;
  /** Returns the index in `ids` of the entity of a delivery. */
  ownerOf(delivery: Pick<DeliveryHours, 'line_item_id' | 'creative_id'>): number | undefined;
}

/** Finds entities of a kind by id; ids of another kind or account are ignored. @source analytics 5 */
export async function findEntities(
  tx: ReadTransaction,
  account: StatsAccount,
  entity: StatsEntityName,
  ids: readonly string[],
): Promise<FoundEntities> {
  const { by, resource }: StatsEntity = STATS_ENTITIES[entity];
  if (by === 'account') {
    const isOwn = ids.includes(account.id);
    return { ids: isOwn ? [account.id] : [], lines: isOwn ? undefined : [], ownerOf: () => 0 };
  }
  if (by === 'nothing') return { ids: await ownPosts(tx, account, ids), lines: [], ownerOf: () => undefined };
  const rows = await tx.records.getMany(resource!, account.id, ids, { deleted: 'shown' });
  const known = new Map(rows.map((row) => [row.id, row]));
  const found = ids.filter((id) => known.has(id));
  const places = new Map(found.map((id, place) => [id, place]));
  if (by === 'creative') {
    const lines = [...new Set(found.map((id) => String(known.get(id)!.line_item_id)))];
    return { ids: found, lines, ownerOf: ({ creative_id }) => places.get(creative_id) };
  }
  if (by === 'id') return { ids: found, lines: found, ownerOf: ({ line_item_id }) => places.get(line_item_id) };
  const below = await tx.records.getMany(lineItems, account.id, found, { deleted: 'shown', column: by });
  const owners = new Map(below.map((line) => [line.id, places.get(String(line[by]))]));
  return { ids: found, lines: [...owners.keys()], ownerOf: ({ line_item_id }) => owners.get(line_item_id) };
}

/** Returns the posts of users whom the account may promote. */
async function ownPosts(tx: ReadTransaction, account: StatsAccount, ids: readonly string[]): Promise<string[]> {
  const posts = await tx.posts.list(account.environment, ids);
  const authors = posts.map(({ user_id }) => user_id);
  const options = { deleted: 'hidden', column: 'user_id' } as const;
  const promotable = await tx.records.getMany(promotableUsers, account.id, authors, options);
  const users = new Set(promotable.map(({ user_id }) => String(user_id)));
  const own = new Set(posts.filter(({ user_id }) => users.has(user_id)).map(({ id }) => id));
  return ids.filter((id) => own.has(id));
}
