import { instantMs } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { addDays, localDateAt } from '../../../base/zones.ts';
import type { AccountState } from '../../../contract/declare/account-state.ts';
import { id, itemsOf, listOf } from '../../../contract/declare/fields.ts';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import { STATS_READERS } from '../../../contract/declare/roles.ts';
import { expectedReach } from '../../../contract/delivery/reach.ts';
import type { DeliveryAudience } from '../../../contract/store/delivery-ledger.ts';
import type { ReadTransaction, Store } from '../../../storage/unit-of-work.ts';
import { lineItems } from '../line-items.ts';
import { findEntities } from './entities.ts';
import { readImpressions } from './read-stats.ts';
import { checkRange, parseTimeRange, RANGE_PROBLEMS, type TimeRange, timeBound } from './time-range.ts';

const DAYS_MAX = 90;
const IDS_MAX = 20;

/** Returns how many people campaigns reached. @source analytics 10; decision 965 */
export const getCampaignReach = reachOperation('CAMPAIGN', 'campaign');
/** Returns how many people the ads of funding instruments reached. @source analytics 10; decision 965 */
export const getFundingInstrumentReach = reachOperation('FUNDING_INSTRUMENT', 'funding_instrument');

function reachOperation(
  entity: 'CAMPAIGN' | 'FUNDING_INSTRUMENT',
  name: 'campaign' | 'funding_instrument',
): AccountOperation {
  const parameter = `${name}_ids`;
  return {
    id: `reach.${name}s`,
    method: 'GET',
    path: `/12/stats/accounts/:account_id/reach/${name}s`,
    description: `Get how many people up to ${IDS_MAX} ${name.replace('_', ' ')}s reached, and how often.`,
    group: 'stats',
    family: 'ads',
    roles: STATS_READERS,
    rate: 'analytics_sync',
    parameters: {
      [parameter]: listOf(id(), { max: IDS_MAX }).required().describe('Ids; unknown ids are omitted from the reply.'),
      start_time: timeBound()
        .required()
        .describe(
          'Start of the range, on the hour; a date means midnight UTC, not in the time zone of the account as in other statistics.',
        ),
      end_time: timeBound()
        .required()
        .describe(`End of the range, exclusive, at most ${DAYS_MAX} days after the start; a date means midnight UTC.`),
    },
    body: 'form',
    shape: 'bare',
    reply: Type.Closed({
      request: Type.Closed({
        params: Type.Closed({
          [parameter]: Type.Array(Type.String()),
          start_time: Type.String({ format: 'date-time' }),
          end_time: Type.String({ format: 'date-time' }),
          account_id: Type.String(),
        }),
      }),
      data_type: Type.Literal('reach'),
      data: Type.Array(
        Type.Closed({
          id: Type.String(),
          total_audience_reach: Type.Integer({ minimum: 0 }),
          average_frequency: Type.Number({ minimum: 0 }),
        }),
      ),
    }),
    problems: RANGE_PROBLEMS,
    validate: (input, account) => checkRange(input, { zone: account.timezone, dateZone: 'UTC', days_max: DAYS_MAX }),
    async perform({ services, account, input }) {
      await services.delivery.settle(account);
      const range = parseTimeRange(input, { zone: account.timezone, dateZone: 'UTC' });
      const requested = itemsOf(input[parameter]);
      const { ids } = await services.store.read((tx) => findEntities(tx, account, entity, requested));
      const data: string[] = [];
      for (const id of ids) {
        const reach = await readReach(services.store, account, { name, id, range });
        data.push(`{"id":"${id}","total_audience_reach":${reach.people},"average_frequency":${frequencyOf(reach)}}`);
      }
      const { from: start_time, until: end_time } = range;
      const params = JSON.stringify({ [parameter]: requested, start_time, end_time, account_id: account.id });
      return { data: `{"request":{"params":${params}},"data_type":"reach","data":[${data.join(',')}]}` };
    },
  };
}

/**
 * Counts people identified by publishers, and adds an estimate for the other impressions from the audiences: overlaps are
 * unknown.
 */
async function readReach(
  store: Store,
  account: AccountState,
  of: { readonly name: 'campaign' | 'funding_instrument'; readonly id: string; readonly range: TimeRange },
): Promise<Reach> {
  const { name, id, range } = of;
  const lines = await store.read((tx) =>
    tx.records.getMany(lineItems, account.id, [id], { deleted: 'shown', column: `${name}_id` }),
  );
  const ids = lines.map((line) => line.id);
  const impressions = await readImpressions(store, account, ids, range);
  return store.read(async (tx) => {
    const subject = `${name}/${id}`;
    const people = await peopleOf(tx, account.id, [...ids, subject], range);
    const seen = await readSeen(tx, account, ids, range);
    const parts = ids.map((line) => {
      const named = Math.min(seen.impressions.get(line) ?? 0, impressions.get(line) ?? 0);
      return { named, impressions: (impressions.get(line) ?? 0) - named, people: people.get(line) };
    });
    const estimated = estimateReach(parts, people.get(subject));
    const named = parts.reduce((sum, each) => sum + each.named, 0);
    return {
      people: Math.min(seen.people, named) + estimated.people,
      impressions: named + estimated.impressions,
    };
  });
}

/** Returns the largest audience of each subject in a range, so that a longer range never reaches fewer people. */
async function peopleOf(
  tx: ReadTransaction,
  account: string,
  subjects: readonly string[],
  { from, until }: TimeRange,
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const bySubject = Map.groupBy(await tx.deliveryLedger.listAudiences(account, subjects), ({ subject }) => subject);
  for (const [subject, audiences] of bySubject) {
    const last = audiences.findLastIndex(({ applies_from }: DeliveryAudience) => applies_from <= from);
    const inForce = audiences.slice(Math.max(0, last)).filter(({ applies_from }) => applies_from < until);
    if (inForce.length > 0) found.set(subject, Math.max(...inForce.map(({ people }) => people)));
  }
  return found;
}

/** Returns the people identified by publishers. Their impressions are stored by day: the range is widened to whole days. */
async function readSeen(
  tx: ReadTransaction,
  account: AccountState,
  lines: readonly string[],
  range: TimeRange,
): Promise<{ readonly people: number; readonly impressions: ReadonlyMap<string, number> }> {
  const from = localDateAt(instantMs(range.from), account.timezone);
  const until = addDays(localDateAt(instantMs(range.until) - 1000, account.timezone), 1);
  const query = { account: account.id, from, until };
  const { people } = await tx.deliveryLedger.findReach({ ...query, line_items: lines });
  const impressions = new Map<string, number>();
  if (people === 0) return { people, impressions };
  for (const line of lines) {
    const own = await tx.deliveryLedger.findReach({ ...query, line_items: [line] });
    impressions.set(line, own.impressions);
  }
  return { people, impressions };
}

/** Impressions, and the size of their audience; undefined if not counted. */
export interface Exposure {
  readonly impressions: number;
  readonly people: number | undefined;
}

/**
 * Estimates how many people saw ads: the expected number for impressions distributed at random over the audience, at most
 * the sum over the line items. Impressions on uncounted audiences are ignored.
 * @param union size of the union of the audiences
 * @source decision 965
 */
export function estimateReach(parts: readonly Exposure[], union: number | undefined): Reach {
  const counted = parts.filter(({ impressions, people }) => impressions > 0 && people !== undefined && people > 0);
  const impressions = counted.reduce((sum, part) => sum + part.impressions, 0);
  const each = counted.map((part) => expectedReach(part.impressions, part.people!));
  const together = counted.reduce((sum, { people }) => sum + people!, 0);
  // The union is at most the sum of the parts, and at least the largest of them.
  const people = Math.max(Math.min(union ?? together, together), ...counted.map((part) => part.people!), 0);
  const sum = each.reduce((total, reached) => total + reached, 0);
  return { people: Math.min(expectedReach(impressions, people), sum), impressions };
}

/** People, and their impressions. */
interface Reach {
  readonly people: number;
  readonly impressions: number;
}

/** Returns impressions per person, with two decimals; 0 without people. @source analytics 10 */
export function frequencyOf({ people, impressions }: Reach): number {
  return people === 0 ? 0 : Math.round((impressions / people) * 100) / 100;
}
