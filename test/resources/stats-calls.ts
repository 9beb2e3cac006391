import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { localDay } from '../../src/base/zones.ts';
import type { DeliveryMetric } from '../../src/contract/delivery/metrics.ts';
import { accounts } from '../../src/features/ads/accounts.ts';
import { STATS_JOB } from '../../src/features/ads/analytics/stats-job.ts';
import { addToLedger, type Delivered, type HourlyNumbers } from '../../src/features/delivery/ledger-writer.ts';
import type { WriteTransaction } from '../../src/storage/unit-of-work.ts';
import type { Reply } from '../rig/client.ts';
import { ownText } from '../rig/foreign-words.ts';
import { openAccount, type World } from '../rig/world.ts';

/** Numbers by hour: the others are zero. */
export type ByHour = Readonly<Record<number, number>>;
/** Numbers of metrics. */
type Numbers = Readonly<Partial<Record<DeliveryMetric, ByHour>>>;

/** An account with two campaigns of two line items, each with two promoted posts. */
export interface StatsPlace {
  readonly account: string;
  readonly instrument: string;
  readonly zone: string;
  readonly campaigns: readonly string[];
  readonly lines: readonly { readonly id: string; readonly campaign: string; readonly creatives: readonly string[] }[];
}

/** What is delivered on a day. */
export interface DayOfDelivery {
  readonly line: number;
  readonly creative?: number;
  readonly day: string;
  readonly numbers: Numbers;
  readonly placement?: string;
  readonly segments?: Readonly<Record<string, Readonly<Record<string, Numbers>>>>;
  /** When it was stored. */
  readonly now?: string;
}

/** Calls for statistics, and what they are about. */
export function statsCalls(world: () => World) {
  const call = (method: string, path: string, params: Record<string, string> = {}): Promise<Reply> =>
    world().sandbox.call(method, `/12/stats${path}`, { params });

  async function create(path: string, params: Record<string, string>): Promise<string> {
    const made = await world().sandbox.call('POST', path, { params });
    assert.equal(made.status, 200, made.text);
    const [row] = [made.body.data].flat();
    return row.id;
  }

  return {
    call,

    /** Opens a place in a time zone. */
    async openPlace(zone = 'America/Los_Angeles'): Promise<StatsPlace> {
      const { account, instrument, path } = await openAccount(world().sandbox);
      await world().service.store.write(async (tx) => {
        await tx.records.update(accounts, { account: undefined, id: account }, { timezone: zone });
        tx.invalidate(`account:${account}`);
      });
      const campaigns: string[] = [];
      const lines: StatsPlace['lines'][number][] = [];
      for (const name of ['one', 'two']) {
        const budget = { daily_budget_amount_local_micro: '100000000', entity_status: 'PAUSED' };
        const of = { name, funding_instrument_id: instrument, ...budget };
        const campaign = await create(`${path}/campaigns`, of);
        campaigns.push(campaign);
        for (let at = 0; at < 2; at++) {
          const id = await create(`${path}/line_items`, {
            ...{ campaign_id: campaign, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS' },
            ...{ placements: 'ALL_ON_SERVICE', bid_amount_local_micro: '1000000', bid_strategy: 'MAX' },
            ...{ entity_status: 'PAUSED', start_time: '2026-01-01T00:00:00Z', end_time: '2027-01-01T00:00:00Z' },
          });
          const creatives: string[] = [];
          for (const text of [`${name} ${at} first`, `${name} ${at} second`]) {
            const post = await create(`${path}/post`, { text });
            creatives.push(await create(`${path}/promoted_posts`, { line_item_id: id, post_ids: post }));
          }
          lines.push({ id, campaign, creatives });
        }
      }
      return { account, instrument, zone, campaigns, lines };
    },

    /** Writes days of delivery into the ledger, as whoever delivers does. */
    async deliver(place: StatsPlace, ...days: readonly DayOfDelivery[]): Promise<void> {
      await world().service.store.write(async (tx) => {
        for (const day of days) {
          const { creative, line, from, until } = facts(place, day);
          const { hours } = localDay(day.day, place.zone);
          const added = hourly(day.numbers, hours);
          const bySegment = Object.entries(day.segments ?? {}).map(([type, values]) => {
            const numbers = Object.entries(values).map(([value, of]) => [value, hourly(of, hours)] as const);
            return [type, new Map(numbers)] as const;
          });
          const delivered: Delivered = {
            line_item: { id: line.id, campaign_id: line.campaign, funding_instrument_id: place.instrument },
            ...{ creative_id: creative, placement: day.placement ?? 'ALL_ON_SERVICE', day: day.day, hours, added },
            ...{ segments: new Map(bySegment), from, until },
          };
          await addToLedger(tx, { id: place.account, timezone: place.zone }, [delivered], day.now ?? until);
        }
      });
    },

    /** Stores what the directory counted. */
    async count(
      place: StatsPlace,
      audiences: Readonly<
        Record<string, { people: number; shares?: Record<string, Record<string, number>>; from?: string }>
      >,
    ): Promise<void> {
      await world().service.store.write((tx: WriteTransaction) =>
        tx.deliveryLedger.saveAudiences(
          Object.entries(audiences).map(([subject, { people, shares = {}, from = '2026-01-01T00:00:00Z' }]) => ({
            ...{ account_id: place.account, subject, applies_from: from, people, shares },
            ...{ question_hash: 'asked', directory_mark: 'mark' },
          })),
        ),
      );
    },

    /** Parameters of statistics. */
    asking: (ids: readonly string[], more: Record<string, string> = {}): Record<string, string> => ({
      ...{ entity: 'LINE_ITEM', entity_ids: ids.join(','), granularity: 'TOTAL', placement: 'ALL_ON_SERVICE' },
      ...{ metric_groups: 'ENGAGEMENT,BILLING', ...more },
    }),

    /** Statistics at once. */
    get: (place: StatsPlace, params: Record<string, string>) => call('GET', `/accounts/${place.account}`, params),

    /** Creates a job, runs it and returns it. */
    // biome-ignore lint/suspicious/noExplicitAny: tests look into what came back
    async runJob(place: StatsPlace, params: Record<string, string>): Promise<any> {
      const made = await call('POST', `/jobs/accounts/${place.account}`, params);
      assert.equal(made.status, 200, made.text);
      const { id_str } = made.body.data;
      world().clock.advance(1);
      await world().service.services.jobs.runNow(STATS_JOB, `${place.account}/${id_str}`);
      const listed = await call('GET', `/jobs/accounts/${place.account}`, { job_ids: id_str });
      return listed.body.data[0];
    },

    /** The text in the file of a job. */
    async textOf({ url }: { readonly url: string }): Promise<string> {
      const reply = await fetch(url);
      assert.equal(reply.status, 200);
      return ownText(gunzipSync(Buffer.from(await reply.arrayBuffer())).toString());
    },
  };
}

function facts(place: StatsPlace, { line: at, creative: which = 0, day }: DayOfDelivery) {
  const line = place.lines[at]!;
  const { start_ms, end_ms } = localDay(day, place.zone);
  const text = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
  return { line, creative: line.creatives[which]!, from: text(start_ms), until: text(end_ms) };
}

function hourly(numbers: Numbers, hours: number): HourlyNumbers {
  return new Map(
    Object.entries(numbers).map(([metric, byHour]) => [
      metric as DeliveryMetric,
      Array.from({ length: hours }, (_, hour) => byHour?.[hour] ?? 0),
    ]),
  );
}
