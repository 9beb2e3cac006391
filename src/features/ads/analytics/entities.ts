import type { Environment } from '../../../contract/declare/account-state.ts';
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
import type { MetricGroup } from './metrics.ts';

/** A kind of entity with statistics. */
export interface StatsEntity {
  /** The groups that it has; all other metrics are null. */
  readonly groups: readonly MetricGroup[];
  /** The only metrics of the group ENGAGEMENT that it has; all by default. */
  readonly engagement?: readonly DeliveryMetric[];
  /** Its rows; undefined for accounts and posts. */
  readonly resource?: AnyResource;
  /** How its deliveries are found: by a column of line items, or as creatives. */
  readonly by: 'account' | 'id' | 'campaign_id' | 'funding_instrument_id' | 'creative' | 'nothing';
}

const EVERYTHING: readonly MetricGroup[] = [
  'ENGAGEMENT',
  'BILLING',
  'VIDEO',
  'MEDIA',
  'WEB_CONVERSION',
  'MOBILE_CONVERSION',
  'LIFE_TIME_VALUE_MOBILE_CONVERSION',
];
const SIX = ['engagements', 'impressions', 'reposts', 'replies', 'likes', 'follows'] as const;

/** Every kind of entity. @source analytics 5 and 6; decision 958 */
export const STATS_ENTITIES = {
  ACCOUNT: { groups: ['ENGAGEMENT'], engagement: SIX, by: 'account' },
  CAMPAIGN: { groups: EVERYTHING, resource: campaigns, by: 'campaign_id' },
  FUNDING_INSTRUMENT: {
    groups: ['ENGAGEMENT', 'BILLING'],
    engagement: SIX,
    resource: fundingInstruments,
    by: 'funding_instrument_id',
  },
  LINE_ITEM: { groups: EVERYTHING, resource: lineItems, by: 'id' },
  PROMOTED_ACCOUNT: { groups: EVERYTHING, resource: promotedAccounts, by: 'creative' },
  PROMOTED_POST: { groups: EVERYTHING, resource: promotedPosts, by: 'creative' },
  MEDIA_CREATIVE: { groups: EVERYTHING, resource: mediaCreatives, by: 'creative' },
  // Organic delivery is not in the ledger.
  ORGANIC_POST: { groups: ['ENGAGEMENT', 'VIDEO'], by: 'nothing' },
} as const satisfies Readonly<Record<string, StatsEntity>>;

/** The name of a kind of entity. */
export type StatsEntityName = keyof typeof STATS_ENTITIES;

/** Entities of an account, and which deliveries are theirs. */
export interface FoundEntities {
  /** Those that exist, deleted or not, in the order of the request. */
  readonly ids: readonly string[];
  /** The line items whose deliveries are looked at; undefined for all. */
  readonly lines: readonly string[] | undefined;
  /** The entity of a delivery, by its place in `ids`. */
  ownerOf(delivery: Pick<DeliveryHours, 'line_item_id' | 'creative_id'>): number | undefined;
}

/** Finds entities of a kind by their ids; ids that are not of this kind and account are left out. @source analytics 5 */
export async function findEntities(
  tx: ReadTransaction,
  account: { readonly id: string; readonly environment: Environment },
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

/** The posts of users whom the account may promote. */
async function ownPosts(
  tx: ReadTransaction,
  account: { readonly id: string; readonly environment: Environment },
  ids: readonly string[],
): Promise<string[]> {
  const posts = await tx.posts.list(account.environment, ids);
  const authors = posts.map(({ user_id }) => user_id);
  const options = { deleted: 'hidden', column: 'user_id' } as const;
  const promotable = await tx.records.getMany(promotableUsers, account.id, authors, options);
  const users = new Set(promotable.map(({ user_id }) => String(user_id)));
  const own = new Set(posts.filter(({ user_id }) => users.has(user_id)).map(({ id }) => id));
  return ids.filter((id) => own.has(id));
}
