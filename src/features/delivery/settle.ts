import type { Clock } from '../../base/clock.ts';
import { addSeconds, formatInstant } from '../../base/instants.ts';
import { KeyedMutex } from '../../base/keyed-mutex.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Delivery, DeliveryMode, SettledAccount } from '../../contract/services/delivery.ts';
import type { AdServing } from '../../contract/services/serving.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';
import { accounts } from '../ads/accounts.ts';
import { type Bookings, readBookings } from './bookings.ts';
import { FOREVER, servesWithin } from './serving-times.ts';
import { type SimulationDeps, settleAccount } from './simulation/settlement.ts';

/** Dependencies of settlement. */
interface SettlementDeps extends SimulationDeps {
  readonly clock: Clock;
  mode(environment: Environment): DeliveryMode;
  /** Read once delivery is served; serving itself depends on delivery. */
  serving(): Pick<AdServing, 'flush'>;
  /** Interval of simulated settlements without calls. */
  readonly step_s: number;
  /** Minimum interval between simulated settlements of an account by reads; 0 for none. */
  readonly readPeriod_s: number;
  /** Called when a simulated settlement fails; the call continues with the delivery settled so far. */
  onError(error: unknown, account: string): void;
}

const JOB = 'delivery.settle';
const ACCOUNTS_MAX = 50_000;

/** Brings ledgers up to date by simulation, by storing the beacons of this process, or not at all. @source decision 930 */
export class Settlement implements Delivery {
  readonly unitsPerDollar: Delivery['unitsPerDollar'];
  readonly step_s: number;
  readonly #deps: SettlementDeps;
  readonly #settledAt_ms = new Map<string, number>();
  /** When accounts were settled before a change; nothing can have been delivered until the clock moves on. */
  readonly #changedAt_ms = new Map<string, number>();
  readonly #running = new KeyedMutex();

  constructor(deps: SettlementDeps) {
    this.unitsPerDollar = deps.unitsPerDollar;
    this.step_s = deps.step_s;
    this.#deps = deps;
    // Other contents of the database may be settled less far.
    deps.store.onInvalidate(['account'], (tags) => {
      if (tags !== 'everything') return;
      this.#settledAt_ms.clear();
      this.#changedAt_ms.clear();
    });
  }

  mode(environment: Environment): DeliveryMode {
    return this.#deps.mode(environment);
  }

  settle(account: SettledAccount): Promise<void> | undefined {
    return this.#settle(account, false);
  }

  settleBeforeChange(account: SettledAccount): Promise<void> | undefined {
    return this.#settle(account, true);
  }

  #settle(account: SettledAccount, isChange: boolean): Promise<void> | undefined {
    const mode = this.mode(account.environment);
    if (mode === 'off') return undefined;
    return mode === 'served' ? this.#deps.serving().flush(account) : this.#simulate(account, isChange);
  }

  #simulate(account: SettledAccount, isChange: boolean): Promise<void> | undefined {
    const { clock, readPeriod_s, onError } = this.#deps;
    const now_ms = Math.floor(clock.now() / 1000) * 1000;
    const since_ms = now_ms - (this.#settledAt_ms.get(account.id) ?? Number.NEGATIVE_INFINITY);
    const isChanged = (): boolean => isChange && this.#changedAt_ms.get(account.id) === now_ms;
    if (isChanged()) return undefined;
    if (!isChange && since_ms >= 0 && (since_ms === 0 || since_ms < readPeriod_s * 1000)) return undefined;
    return this.#running
      .run(account.id, async () => {
        // The first of several waiting callers settles for all.
        if (isChanged()) return;
        await settleAccount(this.#deps, account, now_ms, isChange, (tx, bookings) =>
          planNext(tx, bookings, formatInstant(now_ms), { step_s: this.step_s, isChange }),
        );
        if (this.#settledAt_ms.size >= ACCOUNTS_MAX) this.#settledAt_ms.clear();
        this.#settledAt_ms.set(account.id, now_ms);
        if (this.#changedAt_ms.size >= ACCOUNTS_MAX) this.#changedAt_ms.clear();
        if (isChange) this.#changedAt_ms.set(account.id, now_ms);
      })
      .catch((error) => onError(error, account.id));
  }
}

/** Schedules the next settlement: after a change, which may let something serve, or while something can serve. */
async function planNext(
  tx: WriteTransaction,
  bookings: Bookings,
  now: string,
  { step_s, isChange }: { readonly step_s: number; readonly isChange: boolean },
): Promise<void> {
  if (!isChange && !bookings.lines.some((line) => servesWithin(bookings, line, [now, FOREVER]))) return;
  const { environment, id } = bookings.account;
  await tx.jobs.planNoLaterThan({ kind: JOB, key: `${environment}/${id}`, run_at: addSeconds(now, step_s) });
}

/** Settles the simulated delivery of an account repeatedly while something in it can serve. @source decision 942 */
export const settlementJob: JobKind<{ readonly account: SettledAccount; readonly step_s: number } | undefined> = {
  name: JOB,
  async prepare({ key }, { store, delivery }) {
    const [environment, id = ''] = key.split('/') as [Environment, string];
    if (delivery.mode(environment) !== 'simulated') return undefined;
    const row = await store.read((tx) => tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden' }));
    if (!row) return undefined;
    const account = { id, environment, timezone: String(row.timezone) };
    await delivery.settle(account);
    return { account, step_s: delivery.step_s };
  },
  async store(tx, _, outcome, now) {
    if (!outcome) return;
    await planNext(tx, await readBookings(tx, outcome.account), now, { step_s: outcome.step_s, isChange: false });
  },
};
