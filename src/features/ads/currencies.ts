import { type Field, field, oneOf } from '../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';

/**
 * Supported currencies by number of decimals.
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

/** A currency code (ISO 4217), case-insensitive. @source decision 156 and 172 */
export function currencyCode(): Field<string> {
  const { kind } = oneOf(...CURRENCIES);
  return field<string>({
    ...kind,
    name: 'currency',
    read(raw, parameter) {
      const read = kind.read(typeof raw === 'string' ? raw.trim().toUpperCase() : raw, parameter);
      // Errors quote the value as it was sent.
      return typeof read === 'string' ? read : kind.read(raw, parameter);
    },
  });
}

/** Returns the smallest unit of a currency in micro units; amounts are multiples of it. @source campaigns 6.1 */
export function minimumDenomination(currency: string): number {
  const found = Object.entries(decimals).find(([, codes]) => codes.includes(currency));
  return 10 ** (6 - Number(found?.[0] ?? 2));
}

/** Returns errors of amounts that are not multiples of the smallest unit of the currency. */
export function checkDenominations<K extends string>(
  row: { readonly [P in K]: number | null },
  amounts: readonly K[],
  currency: string,
): ErrorDetail[] {
  const unit = minimumDenomination(currency);
  return amounts.flatMap((parameter): ErrorDetail[] => {
    const raw = row[parameter];
    if (raw === null || raw % unit === 0) return [];
    return [{ problem: 'INVALID_DENOMINATION', parameter, words: { unit, currency, raw } }];
  });
}
