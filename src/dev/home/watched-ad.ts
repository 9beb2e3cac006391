import { formatInstant } from '../../base/instants.ts';
import { consoleCaller } from '../../contract/declare/callers.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import { Problem, wordingOf } from '../../contract/problems/problems.ts';
import { accountAccessCache } from '../../features/ads/account-access-cache.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { readDevFile } from '../dev-folder.ts';
import { DevError } from '../surface/call.ts';
import { performCall } from '../worlds/calls.ts';
import type { ExportParts } from '../worlds/export-world.ts';

/** The dependencies of the watched ad. */
export interface WatchedAdOptions {
  readonly store: Store;
  readonly dataFolder: string;
  readonly exporting: () => Promise<ExportParts>;
}

/** The spend of the ad that the home page shows. */
export interface AdSpend {
  readonly account: string;
  /** Undefined as long as there is none. */
  readonly lineItem: string | undefined;
  readonly currency: string;
  /** Begun hours since its creation. */
  readonly elapsed_h: number;
  /** Its spend in each hour from its creation on; the last ones are to come. */
  readonly hours: readonly { readonly hour: string; readonly micros: number }[];
}

const NAME = 'Watch it spend';
/** The daily budget of its campaign. */
export const DAILY_BUDGET_MICROS = 50_000_000;
const HOUR_MS = 3_600_000;
/** The hours of the chart: a day at first, and later the last three. */
const HOURS = { min: 24, max: 72 };

type Call = (
  operation: string,
  members: Readonly<Record<string, RawValue>>,
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
) => Promise<any>;

/** Creates and shows an ad in the first production account of the first user, by operations. @source decision 1130 */
export class WatchedAd {
  readonly #options: WatchedAdOptions;
  readonly #accesses: ReturnType<typeof accountAccessCache>;

  constructor(options: WatchedAdOptions) {
    this.#options = options;
    this.#accesses = accountAccessCache(options.store);
  }

  /** Undefined without an account, and where delivery is not simulated. */
  async #open(): Promise<{ readonly account: string; readonly now_ms: number; readonly call: Call } | undefined> {
    const { store, dataFolder, exporting } = this.#options;
    const user = readDevFile(dataFolder)?.user_id;
    if (user === undefined) return undefined;
    const [account] = await store.read((tx) => tx.accountMembers.listAccounts(user, 'production', 1));
    const access = account === undefined ? undefined : await this.#accesses.find(user, account);
    if (!access) return undefined;
    const { services, operations } = await exporting();
    if (services.delivery.mode('production') !== 'simulated') return undefined;
    await services.delivery.settle(access.account);
    const now_ms = services.clock.now();
    const call: Call = (operation, members) =>
      performCall(services, {
        operation: operations.get(operation)!,
        principal: consoleCaller(user),
        access,
        raw: new Map(Object.entries(members)),
        now: formatInstant(now_ms),
      });
    return { account: access.account.id, now_ms, call };
  }

  async show(): Promise<AdSpend | undefined> {
    const opened = await this.#open();
    if (!opened) return undefined;
    const { account, now_ms, call } = opened;
    const [line] = await call('line_items.list', { q: NAME, sort_by: 'created_at-desc', count: 1 });
    if (!line) return { account, lineItem: undefined, currency: '', elapsed_h: 0, hours: [] };
    const begun = Math.floor(Date.parse(line.created_at) / HOUR_MS);
    const elapsed = Math.ceil(now_ms / HOUR_MS) - begun;
    const first = begun + Math.max(0, elapsed - HOURS.max);
    const count = Math.min(Math.max(elapsed, HOURS.min), HOURS.max);
    const { data } = await call('stats.get', {
      ...{ entity: 'LINE_ITEM', entity_ids: line.id, placement: 'ALL_ON_SERVICE' },
      ...{ metric_groups: 'BILLING', granularity: 'HOUR' },
      start_time: formatInstant(first * HOUR_MS),
      end_time: formatInstant((first + count) * HOUR_MS),
    });
    const spent = data[0].id_data[0].metrics.billed_charge_local_micro ?? [];
    const hours = Array.from({ length: count }, (_, at) => ({
      hour: formatInstant((first + at) * HOUR_MS),
      micros: Number(spent[at] ?? 0),
    }));
    return { account, lineItem: line.id, currency: line.currency, elapsed_h: elapsed, hours };
  }

  /** @throws DevError */
  async create(text: string): Promise<void> {
    const opened = await this.#open();
    if (!opened) throw new DevError(409, 'ACCOUNT_MISSING', 'there is no account whose delivery is simulated');
    const { call } = opened;
    try {
      const [funding] = await call('funding_instruments.list', { count: 1 });
      if (!funding) throw new DevError(409, 'FUNDING_MISSING', 'the account has no funding instrument');
      const post = await call('posts.create', { text, nullcast: true });
      const campaign = await call('campaigns.create', {
        ...{ name: NAME, funding_instrument_id: funding.id },
        daily_budget_amount_local_micro: DAILY_BUDGET_MICROS,
      });
      const line = await call('line_items.create', {
        ...{ campaign_id: campaign.id, name: NAME, start_time: campaign.created_at },
        ...{ objective: 'ENGAGEMENTS', bid_strategy: 'AUTO' },
        ...{ product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE' },
      });
      await call('promoted_posts.create', { line_item_id: line.id, post_ids: post.id_str });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new DevError(409, 'REFUSED', wordingOf(error.errors[0]!, 'ads').message);
    }
  }
}
