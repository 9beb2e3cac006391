import type { Logger } from 'pino';
import { exchangeRates } from '../base/exchange-rates.ts';
import type { Services } from '../contract/declare/operation.ts';
import type { Delivery } from '../contract/services/delivery.ts';
import type { AdServing } from '../contract/services/serving.ts';
import { roundedPeople } from '../contract/store/audiences.ts';
import { audienceCounter } from '../features/delivery/audiences/count-audiences.ts';
import { Settlement } from '../features/delivery/settle.ts';
import type { Mode } from '../settings/kinds.ts';
import type { Settings } from '../settings.ts';

/** Outside development, reads settle an account at most this often. */
const READ_PERIOD_S = 10;

/** The services that delivery depends on; `serving` is resolved lazily. */
interface DeliveryParts extends Pick<Services, 'store' | 'clock' | 'audiences' | 'keywords'> {
  readonly serving: () => AdServing;
}

/** Configures the delivery of both environments. */
export function createDelivery(mode: Mode, settings: Settings, parts: DeliveryParts, log: Logger): Delivery {
  /** In `serve` the directory has real people: simulated numbers must not reveal individuals. @source decision 1278 */
  const roundedInServe = (people: number): number =>
    people < parts.audiences.rules.size_min ? 0 : roundedPeople(people);
  return new Settlement({
    ...parts,
    mode: (environment) => settings[`delivery_${environment}`],
    step_s: settings.delivery_step_s,
    unitsPerDollar: exchangeRates(settings.exchange_rates),
    counter: mode === 'dev' ? audienceCounter(parts) : audienceCounter(parts, roundedInServe),
    readPeriod_s: mode === 'dev' ? 0 : READ_PERIOD_S,
    onError: (err, account) => log.error({ err, account }, 'could not settle the delivery of an account'),
  });
}
