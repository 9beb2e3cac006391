import type { Store } from '../../../storage/unit-of-work.ts';
import { findEntities, STATS_ENTITIES, type StatsEntity, type StatsEntityName } from './entities.ts';
import { type Stats, type StatsQuery, statsPlacement } from './read-stats.ts';

/** Why statistics show nothing, for developers; undefined when they show something. @source analytics 12 */
export async function emptyReason(store: Store, query: StatsQuery, stats: Stats): Promise<string | undefined> {
  if (stats.entities.length === 0) return wrongKind(store, query);
  if (stats.entities.some(({ parts }) => parts.some(({ series }) => series.size > 0))) return undefined;
  return activeTime(store, query);
}

/** The kind of entity that the ids are of. */
function wrongKind(store: Store, { account, entity, entity_ids }: StatsQuery): Promise<string | undefined> {
  return store.read(async (tx) => {
    for (const name of Object.keys(STATS_ENTITIES) as StatsEntityName[]) {
      const { ids } = await findEntities(tx, account, name, entity_ids);
      if (ids.length > 0) return `The entity is ${entity}, but ${ids.join(', ')} can be found with ${name}.`;
    }
    return `The account has no entities with the ids ${entity_ids.join(', ')}.`;
  });
}

/** When the entities were active instead. */
function activeTime(store: Store, query: StatsQuery): Promise<string | undefined> {
  const { account, entity, entity_ids, placement } = query;
  return store.read(async (tx) => {
    const { lines, ownerOf } = await findEntities(tx, account, entity, entity_ids);
    const { by }: StatsEntity = STATS_ENTITIES[entity];
    if (by === 'nothing') return 'Posts that nobody pays for are not measured.';
    const all = { account: account.id, from: '', until: '~', ...(lines && { line_items: lines }) };
    const own = (await tx.deliveryLedger.listDays(all)).filter((day) => ownerOf(day) !== undefined);
    if (own.length === 0) return 'Nothing was ever delivered.';
    const there = own.filter((day) => statsPlacement(day.placement) === placement);
    if (there.length === 0) {
      const others = [...new Set(own.map((day) => statsPlacement(day.placement)))].sort();
      return `Nothing was delivered with the placement ${placement}, but with ${others.join(', ')}.`;
    }
    const days = there.map(({ day }) => day).sort();
    return `Nothing of these metrics in this range; something was delivered from ${days[0]} to ${days.at(-1)}, days in ${account.timezone}.`;
  });
}
