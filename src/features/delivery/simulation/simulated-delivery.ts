import type { Clock } from '../../../base/clock.ts';
import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant } from '../../../base/instants.ts';
import { KeyedMutex } from '../../../base/keyed-mutex.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { AudienceCounter } from '../audience-counter.ts';
import type { Bookings } from '../bookings.ts';
import { servesWithin } from '../serving-times.ts';
import { settleAccount } from './settlement.ts';
import { DELIVERY_SETTLEMENT, jobKeyOfAccount } from './settlement-job.ts';

/** Dependencies of simulated delivery. */
interface SimulatedDeliveryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly counter: AudienceCounter;
  readonly unitsPerDollar: UnitsPerDollar;
  /** Interval of settlements without calls. */
  readonly step_s: number;
  /** Reads settle an account at most this often; 0 for always. */
  readonly readPeriod_s: number;
  /** Called when a settlement fails; the call goes on with the delivery settled so far. */
  readonly onError: (error: unknown, account: string) => void;
}

/** The delivery of accounts that is simulated. */
export interface SimulatedDelivery {
  settle(account: SettledAccount, isChange: boolean): Promise<void> | undefined;
}

const FOREVER = '9999-12-31T23:59:59Z';

/** Opens simulated delivery. Starts nothing. @source decision 930 */
export function simulatedDelivery(options: SimulatedDeliveryOptions): SimulatedDelivery {
  const { store, clock, counter, unitsPerDollar, step_s, readPeriod_s, onError } = options;
  const settledAt_ms = new Map<string, number>();
  /** When accounts were settled before a change; nothing can have been delivered until the clock moves on. */
  const changedAt_ms = new Map<string, number>();
  const running = new KeyedMutex();
  // Other contents of the database may be settled less far.
  store.onInvalidate(['account'], (tags) => {
    if (tags !== 'everything') return;
    settledAt_ms.clear();
    changedAt_ms.clear();
  });
  /** The account is settled again later, after a change in any case: it may let something serve. */
  const planNext =
    (account: SettledAccount, now_ms: number, isChange: boolean) =>
    async (tx: WriteTransaction, bookings: Bookings): Promise<void> => {
      const rest = [formatInstant(now_ms), FOREVER] as const;
      if (!isChange && !bookings.lines.some((line) => servesWithin(bookings, line, rest))) return;
      const run_at = formatInstant(now_ms + step_s * 1000);
      await tx.jobs.planNoLaterThan({ kind: DELIVERY_SETTLEMENT, key: jobKeyOfAccount(account), run_at });
    };
  return {
    settle(account, isChange) {
      const now_ms = Math.floor(clock.now() / 1000) * 1000;
      const before_ms = settledAt_ms.get(account.id);
      const since_ms = before_ms === undefined ? Number.POSITIVE_INFINITY : now_ms - before_ms;
      if (isChange && changedAt_ms.get(account.id) === now_ms) return undefined;
      if (!isChange && since_ms >= 0 && (since_ms === 0 || since_ms < readPeriod_s * 1000)) return undefined;
      return running
        .run(account.id, async () => {
          // The first caller has settled it for all that waited.
          if (isChange && changedAt_ms.get(account.id) === now_ms) return;
          const afterSettling = planNext(account, now_ms, isChange);
          await settleAccount({ store, counter, unitsPerDollar }, account, now_ms, { isChange, afterSettling });
          if (settledAt_ms.size >= ACCOUNTS_MAX) settledAt_ms.clear();
          settledAt_ms.set(account.id, now_ms);
          if (changedAt_ms.size >= ACCOUNTS_MAX) changedAt_ms.clear();
          if (isChange) changedAt_ms.set(account.id, now_ms);
        })
        .catch((error) => onError(error, account.id));
    },
  };
}

const ACCOUNTS_MAX = 50_000;
