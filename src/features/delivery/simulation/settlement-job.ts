import { addSeconds } from '../../../base/instants.ts';
import type { Environment } from '../../../contract/declare/account-state.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import { accounts } from '../../ads/accounts.ts';
import { readBookings } from '../bookings.ts';
import { servesWithin } from '../serving-times.ts';

/** The job kind that settles the delivery of an account. */
export const DELIVERY_SETTLEMENT = 'delivery.settle';

const FOREVER = '9999-12-31T23:59:59Z';

/** The key of the job of an account. */
export function jobKeyOfAccount({ environment, id }: Pick<SettledAccount, 'environment' | 'id'>): string {
  return `${environment}/${id}`;
}

interface Outcome {
  readonly account: SettledAccount;
  readonly step_s: number;
}

/** Settles the delivery of an account again and again while something in it can serve. @source decision 942 */
export const deliverySettlement: JobKind<Outcome | undefined> = {
  name: DELIVERY_SETTLEMENT,
  async prepare({ key }, { store, delivery }) {
    const [environment, id = ''] = key.split('/') as [Environment, string];
    if (delivery.mode(environment) !== 'simulated') return undefined;
    const row = await store.read((tx) => tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden' }));
    if (!row) return undefined;
    const account = { id, environment, timezone: String(row.timezone) };
    await delivery.settle(account);
    return { account, step_s: delivery.step_s };
  },
  async store(tx, { kind, key }, outcome, now) {
    if (!outcome) return;
    const bookings = await readBookings(tx, outcome.account);
    if (!bookings.lines.some((line) => servesWithin(bookings, line, [now, FOREVER]))) return;
    await tx.jobs.planNoLaterThan({ kind, key, run_at: addSeconds(now, outcome.step_s) });
  },
};
