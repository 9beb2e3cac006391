import type { Logger } from 'pino';
import { exchangeRates } from '../base/exchange-rates.ts';
import type { Environment } from '../contract/declare/account-state.ts';
import type { Services } from '../contract/declare/operation.ts';
import type { Delivery, SettledAccount } from '../contract/services/delivery.ts';
import type { AdServing } from '../contract/services/serving.ts';
import { roundedPeople } from '../contract/store/audiences.ts';
import { audienceCounter } from '../features/delivery/audiences/count-audiences.ts';
import { type SimulatedDelivery, simulatedDelivery } from '../features/delivery/simulation/simulated-delivery.ts';
import type { Mode } from '../settings/kinds.ts';
import type { Settings } from '../settings.ts';

/** While nobody develops with the clock, reads settle an account at most this often. */
const READ_PERIOD_S = 10;

/** What delivery needs of the other services; they are asked once it is used. */
export interface DeliveryParts extends Pick<Services, 'store' | 'clock' | 'audiences' | 'keywords'> {
  /** Those who serve ads, who are opened after what they need, delivery included. */
  readonly serving: () => AdServing;
}

/**
 * Opens the delivery of both environments: nothing, simulated, or served by publishers, as the settings say. To settle
 * what is served is to store what this process has counted.
 */
export function openDelivery(mode: Mode, settings: Settings, parts: DeliveryParts, log: Logger): Delivery {
  const modeOf = (environment: Environment) => settings[`delivery_${environment}`];
  const unitsPerDollar = exchangeRates(settings.exchange_rates);
  /** In `serve` the directory has real people: simulated numbers must reveal nothing about one of them. @source decision 1278 */
  const roundedInServe = (people: number): number =>
    people < parts.audiences.rules.size_min ? 0 : roundedPeople(people);
  let simulated: SimulatedDelivery | undefined;
  const simulation = (): SimulatedDelivery => {
    simulated ??= simulatedDelivery({
      ...{ store: parts.store, clock: parts.clock, step_s: settings.delivery_step_s, unitsPerDollar },
      counter: mode === 'dev' ? audienceCounter(parts) : audienceCounter(parts, roundedInServe),
      readPeriod_s: mode === 'dev' ? 0 : READ_PERIOD_S,
      onError: (err, account) => log.error({ err, account }, 'could not settle the delivery of an account'),
    });
    return simulated;
  };
  const settle = (account: SettledAccount, isBeforeChange: boolean): Promise<void> | undefined => {
    const is = modeOf(account.environment);
    if (is === 'off') return undefined;
    return is === 'simulated' ? simulation().settle(account, isBeforeChange) : parts.serving().flush(account);
  };
  return {
    mode: modeOf,
    step_s: settings.delivery_step_s,
    unitsPerDollar,
    settle: (account) => settle(account, false),
    settleBeforeChange: (account) => settle(account, true),
  };
}
