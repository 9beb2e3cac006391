import { text } from 'node:stream/consumers';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import type { Store } from '../../../storage/unit-of-work.ts';
import { findEntities, STATS_ENTITIES, type StatsEntity, type StatsEntityName } from './entities.ts';
import { readStats, type Stats, type StatsQuery, statsPlacement } from './read-stats.ts';
import { statsDocument } from './stats-document.ts';
import {
  checkRole,
  checkStats,
  parseStatsRequest,
  STATS_AND_ORGANIC_READERS,
  STATS_PROBLEMS,
  statsParameters,
  toStatsQuery,
} from './stats-parameters.ts';
import { statsSchema } from './stats-schemas.ts';

const DAYS_MAX = 7;

/**
 * Returns delivery and cost of entities, synchronously.
 * @source analytics 2 to 6; decision 955
 */
export const getStats: AccountOperation = {
  id: 'stats.get',
  method: 'GET',
  path: '/12/stats/accounts/:account_id',
  description: `Get what up to 20 entities delivered and cost in up to ${DAYS_MAX} days.`,
  group: 'stats',
  groupDescription: 'What ads delivered and cost.',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  rate: 'analytics_sync',
  parameters: statsParameters,
  body: 'form',
  shape: 'bare',
  reply: statsSchema,
  problems: STATS_PROBLEMS,
  validate: (input, account) => checkStats(input, account, DAYS_MAX),
  async perform(call) {
    const { services, input } = call;
    const account = call.account;
    checkRole(call, input.entity);
    await services.delivery.settle(account);
    const request = parseStatsRequest(input, account.timezone);
    const query = toStatsQuery(request, account);
    const stats = await readStats(services.store, query);
    return {
      data: await text(statsDocument([stats], query.groups, request)),
      hint: () => emptyReason(services.store, query, stats),
    };
  },
};

/** Explains to developers why statistics are empty; undefined if they are not. @source analytics 12 */
async function emptyReason(store: Store, query: StatsQuery, stats: Stats): Promise<string | undefined> {
  if (stats.entities.length === 0) return findActualKind(store, query);
  if (stats.entities.some(({ parts }) => parts.some(({ series }) => series.size > 0))) return undefined;
  return findActiveTime(store, query);
}

/** Names the kind of entity that the ids belong to. */
function findActualKind(store: Store, { account, entity, entity_ids }: StatsQuery): Promise<string> {
  return store.read(async (tx) => {
    for (const name of Object.keys(STATS_ENTITIES) as StatsEntityName[]) {
      const { ids } = await findEntities(tx, account, name, entity_ids);
      if (ids.length > 0) return `The entity is ${entity}, but ${ids.join(', ')} can be found with ${name}.`;
    }
    return `The account has no entities with the ids ${entity_ids.join(', ')}.`;
  });
}

/** Names the placements or days in which the entities were active instead. */
function findActiveTime(store: Store, query: StatsQuery): Promise<string> {
  const { account, entity, entity_ids, placement } = query;
  return store.read(async (tx) => {
    const { lines, ownerOf } = await findEntities(tx, account, entity, entity_ids);
    const { by }: StatsEntity = STATS_ENTITIES[entity];
    if (by === 'nothing') return 'Posts that nobody pays for are not measured.';
    const all = { account: account.id, from: '', until: '~', ...(lines && { line_items: lines }) };
    const own = (await tx.deliveryLedger.listDays(all)).filter((day) => ownerOf(day) !== undefined);
    if (own.length === 0) return 'Nothing was ever delivered.';
    const matching = own.filter((day) => statsPlacement(day.placement) === placement);
    if (matching.length === 0) {
      const others = [...new Set(own.map((day) => statsPlacement(day.placement)))].sort();
      return `Nothing was delivered with the placement ${placement}, but with ${others.join(', ')}.`;
    }
    const days = matching.map(({ day }) => day).sort();
    return `Nothing of these metrics in this range; something was delivered from ${days[0]} to ${days.at(-1)}, days in ${account.timezone}.`;
  });
}
