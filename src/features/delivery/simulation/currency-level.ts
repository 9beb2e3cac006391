/** About how many units of a currency buy what one unit of the others buys; prices of ads are of this magnitude. */
const UNITS: Readonly<Record<string, number>> = {
  ...{ JPY: 150, KRW: 1300, VND: 25_000, CLP: 900, IDR: 15_000, IQD: 1300, LBP: 90_000, COP: 4000, ARS: 900 },
  ...{ INR: 80, PKR: 280, PHP: 55, THB: 35, EGP: 40, DZD: 130, TRY: 30, MXN: 17, BRL: 5, VEF: 10 },
  ...{ AED: 4, SAR: 4, QAR: 4, MYR: 4.5, HKD: 8, MAD: 10, TND: 3, KWD: 0.3, BHD: 0.4 },
};

/** The level of prices in a currency, in micro units: what a price unit of the market is. */
export function currencyLevel(currency: string): number {
  return (UNITS[currency] ?? 1) * 1_000_000;
}
