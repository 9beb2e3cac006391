import { Type } from '../../../base/json-schema.ts';
import { id, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { AccountOperation, Input } from '../../../contract/declare/operation.ts';
import { STATS_READERS } from '../../../contract/declare/roles.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { DeliveryChange } from '../../../contract/store/delivery-ledger.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { type LineItem, lineItems } from '../line-items.ts';
import { STATS_ENTITIES, type StatsEntity, type StatsEntityName } from './entities.ts';
import { statsPlacement } from './read-stats.ts';
import { anyCaseOneOf, STATS_PLACEMENTS } from './stats-parameters.ts';
import { checkRange, parseTimeRange, RANGE_PROBLEMS, timeBound } from './time-range.ts';

const DAYS_MAX = 90;
const IDS_MAX = 200;
const KINDS = [
  'CAMPAIGN',
  'FUNDING_INSTRUMENT',
  'LINE_ITEM',
  'MEDIA_CREATIVE',
  'PROMOTED_ACCOUNT',
  'PROMOTED_POST',
] as const satisfies StatsEntityName[];

/** The filters and their columns of line items; a call has at most one filter. */
const FILTERS = {
  campaign_ids: 'campaign_id',
  funding_instrument_ids: 'funding_instrument_id',
  line_item_ids: 'id',
} as const satisfies Readonly<Record<string, keyof LineItem>>;
type FilterName = keyof typeof FILTERS;
const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

const filter = (parents: string) => listOf(id(), { max: IDS_MAX }).describe(`Only entities of these ${parents}.`);

/**
 * Lists entities whose statistics changed, by the hours in which the changes were recorded.
 * @source analytics 9; decision 961
 */
export const listActiveEntities: AccountOperation = {
  id: 'active_entities.list',
  method: 'GET',
  path: '/12/stats/accounts/:account_id/active_entities',
  description: 'List entities whose statistics changed in a range of hours, with the time range of the changes.',
  group: 'stats',
  family: 'ads',
  roles: STATS_READERS,
  rate: 'analytics_sync',
  parameters: {
    entity: anyCaseOneOf(...KINDS)
      .required()
      .describe('Entity kind.'),
    start_time: timeBound()
      .required()
      .describe('Start of the range, on the hour; a date means midnight in the time zone of the account.'),
    end_time: timeBound()
      .required()
      .describe(
        `End of the range, exclusive, at most ${DAYS_MAX} days after the start; a date means midnight in the time zone of the account.`,
      ),
    campaign_ids: filter('campaigns'),
    funding_instrument_ids: filter('funding instruments'),
    line_item_ids: filter('line items'),
  },
  body: 'form',
  shape: 'one',
  reply: Type.Array(
    Type.Closed({
      entity_id: Type.String(),
      activity_start_time: Type.String({ format: 'date-time' }),
      activity_end_time: Type.String({ format: 'date-time' }),
      placements: Type.Array(Type.Literals(STATS_PLACEMENTS)),
    }),
  ),
  problems: [...RANGE_PROBLEMS, 'EXCLUSIVE_PARAMETERS'],
  validate: (input, account) => [
    ...checkRange(input, { zone: account.timezone, days_max: DAYS_MAX }),
    ...checkFilters(input),
  ],
  async perform({ services, account, input }) {
    await services.delivery.settle(account);
    const { from, until } = parseTimeRange(input, { zone: account.timezone });
    const entity = input.entity as StatsEntityName;
    const active = await services.store.read(async (tx) => {
      const changes = await tx.deliveryLedger.listChanges(account.id, from, until);
      return activeEntities(changes, await ownersOf(tx, account.id, { entity, changes, input }));
    });
    const name = FILTER_NAMES.find((each) => input[each] != null);
    const filters = name && { [name]: itemsOf(input[name]) };
    const params = { account_id: account.id, entity, start_time: from, end_time: until, ...filters };
    return { data: JSON.stringify(active), request: `{"params":${JSON.stringify(params)}}` };
  },
};

function checkFilters(input: Input): ErrorDetail[] {
  const [a, b] = FILTER_NAMES.filter((name) => input[name] != null);
  if (a === undefined || b === undefined) return [];
  return [{ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${a}, ${b}`, words: { a, b } }];
}

type OwnerOf = (change: DeliveryChange) => string | undefined;

/** Returns a function that finds the entity of a change; undefined if it is filtered out. */
async function ownersOf(
  tx: ReadTransaction,
  account: string,
  of: { readonly entity: StatsEntityName; readonly changes: readonly DeliveryChange[]; readonly input: Input },
): Promise<OwnerOf> {
  const { entity, changes, input } = of;
  const { by, resource }: StatsEntity = STATS_ENTITIES[entity];
  const options = { deleted: 'shown' } as const;
  const lineIds = [...new Set(changes.map(({ line_item_id }) => line_item_id))];
  const lines = new Map(
    (await tx.records.getMany(lineItems, account, lineIds, options)).map((line) => [line.id, line]),
  );
  const name = FILTER_NAMES.find((each) => input[each] != null);
  const wanted = name && new Set(itemsOf(input[name]));
  const isIn = (line: LineItem | undefined): line is LineItem =>
    line !== undefined && (!wanted || wanted.has(String(line[FILTERS[name!]])));
  if (by === 'creative') {
    const creatives = [...new Set(changes.map(({ creative_id }) => creative_id))];
    const known = new Set((await tx.records.getMany(resource!, account, creatives, options)).map((row) => row.id));
    return ({ line_item_id, creative_id }) =>
      known.has(creative_id) && isIn(lines.get(line_item_id)) ? creative_id : undefined;
  }
  return ({ line_item_id }) => {
    const line = lines.get(line_item_id);
    return isIn(line) ? String(line[by as 'id' | 'campaign_id' | 'funding_instrument_id']) : undefined;
  };
}

/** Merges the changes of each entity, in the order of the ids. */
function activeEntities(changes: readonly DeliveryChange[], ownerOf: OwnerOf) {
  const found = new Map<string, { from: string; until: string; readonly placements: Set<string> }>();
  for (const change of changes) {
    const owner = ownerOf(change);
    if (owner === undefined) continue;
    const { applies_from: from, applies_until: until, placement } = change;
    const known = found.get(owner) ?? { from, until, placements: new Set() };
    if (from < known.from) known.from = from;
    if (until > known.until) known.until = until;
    known.placements.add(statsPlacement(placement));
    found.set(owner, known);
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([entity_id, { from, until, placements }]) => ({
      entity_id,
      activity_start_time: from,
      activity_end_time: until,
      placements: STATS_PLACEMENTS.filter((each) => placements.has(each)),
    }));
}
