/** Units of a currency that one US dollar buys. */
export type UnitsPerDollar = (currency: string) => number;

/** Rounded rates of 2025-05-28. VEF, which is no longer issued, has its last fixed rate. */
const RATES: Readonly<Record<string, number>> = {
  ...{ AED: 3.67, ARS: 1160, AUD: 1.56, BHD: 0.376, BRL: 5.69, CAD: 1.38, CLP: 940, COP: 4120, DZD: 132, EGP: 49.7 },
  ...{ EUR: 0.886, GBP: 0.743, HKD: 7.84, IDR: 16_300, INR: 85.4, IQD: 1310, JPY: 145, KRW: 1370, KWD: 0.307 },
  ...{ LBP: 89_500, MAD: 9.2, MXN: 19.4, MYR: 4.22, NZD: 1.68, PHP: 55.5, PKR: 282, QAR: 3.64, SAR: 3.75, SGD: 1.29 },
  ...{ THB: 32.7, TND: 2.97, TRY: 39.1, USD: 1, VEF: 10, VND: 25_950 },
};

/** Reads rates such as `EUR=0.9`, units of a currency for one US dollar; undefined when one of them is invalid. */
export function parseRates(rates: readonly string[]): ReadonlyMap<string, number> | undefined {
  const found = new Map<string, number>();
  for (const rate of rates) {
    const [, currency = '', digits = ''] = /^([A-Z]{3})=(\d{1,9}(?:\.\d{1,9})?)$/.exec(rate) ?? [];
    const units = Number(digits);
    if (currency === 'USD' || !Object.hasOwn(RATES, currency) || units === 0) return undefined;
    found.set(currency, units);
  }
  return found;
}

/** The built-in rates, except where the operator's apply. @throws RangeError for a currency without a rate */
export function exchangeRates(own: readonly string[]): UnitsPerDollar {
  const ownRates = parseRates(own);
  return (currency) => {
    const found = ownRates?.get(currency) ?? RATES[currency];
    if (found === undefined) throw new RangeError(`${currency} has no exchange rate`);
    return found;
  };
}

/** The amount that limits a currency where `amount` limits the US dollar; larger in currencies with small units. */
export function amountMax(amount: number, currency: string): number {
  return amount * Math.max(1, RATES[currency] ?? 1);
}
