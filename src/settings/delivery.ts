import { parseRates } from '../base/exchange-rates.ts';
import { amount, choice, list } from './kinds.ts';

const MODES = ['off', 'simulated', 'served'] as const;

/** Settings of delivery. */
export const deliverySettings = {
  delivery_production: choice(
    'Where the numbers of delivery come from in production: nothing is delivered, it is simulated, or publishers show ads. Serve refuses to simulate here: nobody has spent that money.',
    MODES,
    'off',
    'simulated',
  ),
  delivery_sandbox: choice('The same in the sandbox, where serve may simulate.', MODES, 'off', 'simulated'),
  delivery_step_s: amount(
    'How often simulated delivery is settled while nobody asks for it.',
    300,
    'seconds',
    [10, 86_400],
    { default_dev: 3600 },
  ),
  exchange_rates: list('Units of a currency that a US dollar buys, to compare bids; others as of 2025-05-28.', {
    default: [],
    expected: 'a comma list of rates as EUR=0.9,JPY=145',
    parse: (rates) => (parseRates(rates) ? rates : undefined),
  }),
};
