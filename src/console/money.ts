const formats = new Map<string, Intl.NumberFormat>();

/** Formats micros as an amount, such as `$1,250.00`. */
export function moneyText(micros: number, currency: string): string {
  return formatOf(currency).format(micros / 1e6);
}

function formatOf(currency: string): Intl.NumberFormat {
  let format = formats.get(currency);
  if (!format) {
    format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    formats.set(currency, format);
  }
  return format;
}

/** The smallest unit of a currency, in micros. */
function smallestMicros(currency: string): number {
  return 10 ** (6 - (formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2));
}

/**
 * An amount that a person wrote, such as `1,250.5`, in micro units; undefined unless it is one of the currency.
 * Commas part thousands; there is no negative money.
 * @source decision 1003
 */
export function microsOf(text: string, currency: string): number | undefined {
  const [, whole, parts = ''] = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(`${whole.replaceAll(',', '')}${parts.padEnd(6, '0')}`);
  return Number.isSafeInteger(micros) && micros % smallestMicros(currency) === 0 ? micros : undefined;
}
