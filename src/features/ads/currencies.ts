import { type Field, field, oneOf } from '../../contract/declare/fields.ts';

/**
 * The currencies of the service and how many decimals each has.
 * @source campaigns 1.3
 */
const decimals: Readonly<Record<number, readonly string[]>> = {
  0: ['VND', 'KRW', 'CLP', 'JPY'],
  2: [
    'AED',
    'VEF',
    'PKR',
    'IDR',
    'HKD',
    'QAR',
    'PHP',
    'NZD',
    'INR',
    'EUR',
    'ARS',
    'THB',
    'MXN',
    'EGP',
    'DZD',
    'SAR',
    'LBP',
    'COP',
    'TRY',
    'SGD',
    'MAD',
    'AUD',
    'USD',
    'MYR',
    'CAD',
    'BRL',
    'GBP',
  ],
  3: ['KWD', 'IQD', 'BHD', 'TND'],
};

/** Every currency, sorted. */
export const CURRENCIES: readonly string[] = Object.values(decimals).flat().sort();

/** One of the currencies; lower-case letters are folded. */
export function currencyCode(): Field<string> {
  const { kind } = oneOf(...CURRENCIES);
  return field<string>({
    ...kind,
    name: 'currency',
    read(raw, parameter) {
      const read = kind.read(typeof raw === 'string' ? raw.trim().toUpperCase() : raw, parameter);
      // What is refused is told as it came.
      return typeof read === 'string' ? read : kind.read(raw, parameter);
    },
  });
}

/** Amounts of a currency are multiples of this many micro units. @source campaigns 6.1 */
export function minimumDenomination(currency: string): number {
  const found = Object.entries(decimals).find(([, words]) => words.includes(currency));
  return 10 ** (6 - Number(found?.[0] ?? 2));
}
