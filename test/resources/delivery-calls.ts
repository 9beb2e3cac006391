import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openAccount, type World } from '../rig/world.ts';
import { good } from './post-calls.ts';

type Params = Readonly<Record<string, string | number | boolean>>;

/** What a creative delivered in an hour of a day, by metric. */
export interface DeliveredHour {
  readonly line: string;
  readonly creative: string;
  readonly placement: string;
  readonly day: string;
  readonly hour: number;
  readonly [metric: string]: string | number;
}

/** An account whose line items deliver. */
export interface DeliveringAccount {
  readonly account: string;
  readonly path: string;
  readonly instrument: string;
  campaign(params?: Params): Promise<string>;
  line(campaign: string, params?: Params): Promise<string>;
  promote(line: string, posts?: number): Promise<void>;
  put(end: string, params: Params): Promise<void>;
  remove(end: string): Promise<void>;
  post(end: string, params: Params): Promise<void>;
  /** What the ledger has, once the account is settled. */
  hours(): Promise<DeliveredHour[]>;
  /** Everything that delivery has stored, except when, as text. */
  rows(): Promise<string>;
  settle(): Promise<void>;
}

/** Takes some thousand people into the directory. */
export async function fillDirectory(world: World, count: number): Promise<void> {
  const people = Array.from({ length: count }, (_, at) =>
    person(String(1_000_000 + at), {
      country: at % 3 === 0 ? 'US' : 'JP',
      gender: String(1 + (at % 2)),
      age: 18 + (at % 40),
      platform: String(at % 2),
    }),
  );
  await settlePeople(world, people);
}

/** Opens an account; delivery in the sandbox must be simulated. */
export async function openDelivering(world: World): Promise<DeliveringAccount> {
  const { account, instrument, path } = await openAccount(world.sandbox);
  const call = async (method: string, end: string, params: Params) =>
    good(await world.sandbox.call(method, `${path}/${end}`, { params }));
  const settled = { id: account, environment: 'sandbox', timezone: 'America/Los_Angeles' } as const;
  const settle = async (): Promise<void> => void (await world.service.services.delivery.settle(settled));
  const days = () => world.service.store.read((tx) => tx.deliveryLedger.listDays({ account, from: '', until: '9' }));
  return {
    ...{ account, path, instrument, settle },
    async campaign(params = {}) {
      const campaign = {
        ...{ name: 'Bread', funding_instrument_id: instrument, daily_budget_amount_local_micro: 50_000_000 },
        ...params,
      };
      return (await call('POST', 'campaigns', campaign)).id;
    },
    async line(campaign_id, params = {}) {
      const line = {
        ...{ campaign_id, objective: 'ENGAGEMENTS', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' },
        ...{ start_time: '2026-03-01', end_time: '2026-12-01' },
        ...params,
      };
      return (await call('POST', 'line_items', line)).id;
    },
    async promote(line_item_id, posts = 1) {
      const ids: string[] = [];
      for (let at = 0; at < posts; at++) ids.push((await call('POST', 'post', { text: `Fresh bread ${at}` })).id);
      await call('POST', 'promoted_posts', { line_item_id, post_ids: ids.join(',') });
    },
    async post(end, params) {
      await call('POST', end, params);
    },
    async remove(end) {
      await call('DELETE', end, {});
    },
    async put(end, params) {
      await call('PUT', end, params);
    },
    async hours() {
      await settle();
      const found: DeliveredHour[] = [];
      for (const row of await days()) {
        const { hours, metrics } = unpackHours(new Uint8Array(row.hours));
        for (let hour = 0; hour < hours; hour++) {
          const numbers = [...metrics].map(([metric, list]) => [metric, list[hour]!] as const);
          if (numbers.every(([, number]) => number === 0)) continue;
          const place = { line: row.line_item_id, creative: row.creative_id, placement: row.placement };
          found.push({ ...place, day: row.day, hour, ...Object.fromEntries(numbers) });
        }
      }
      return found;
    },
    async rows() {
      const audiences = await world.service.store.read((tx) => tx.deliveryLedger.listAudiences(account));
      const shown = (await days()).map(({ settled_until, changed_at, ...row }) => ({
        ...row,
        hours: Buffer.from(row.hours).toString('hex'),
      }));
      return [...shown, ...audiences].map((row) => JSON.stringify(row)).join('\n');
    },
  };
}

/** The sum of a metric. */
export function sumOf(hours: readonly DeliveredHour[], metric: string): number {
  return hours.reduce((sum, each) => sum + Number(each[metric] ?? 0), 0);
}
