import { type Language, language } from '../base/language.ts';

const formats = new Map<string, Intl.NumberFormat>();

/** Formats micros as an amount, such as `$1,250.00`, in the language of the page. */
export function moneyText(micros: number, currency: string): string {
  return formatOf(currency).format(micros / 1e6);
}

function formatOf(currency: string): Intl.NumberFormat {
  const key = `${language()} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language(), { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
    formats.set(key, format);
  }
  return format;
}

/** How each language writes amounts. */
const AMOUNTS: Readonly<Record<Language, RegExp>> = {
  en: /^(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,6}))?$/,
  de: /^(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,6}))?$/,
};

/** The smallest unit of a currency, in micros. */
function smallestMicros(currency: string): number {
  return 10 ** (6 - (formatOf(currency).resolvedOptions().maximumFractionDigits ?? 2));
}

/**
 * An amount that a person wrote in the language of the page, such as `1,250.5`, in micro units; undefined unless it is one
 * of the currency. There is no negative money.
 * @source decision 1003
 */
export function microsOf(text: string, currency: string): number | undefined {
  const [, whole, parts = ''] = AMOUNTS[language()].exec(text.trim()) ?? [];
  if (whole === undefined) return undefined;
  const micros = Number(`${whole.replaceAll(/\D/g, '')}${parts.padEnd(6, '0')}`);
  return Number.isSafeInteger(micros) && micros % smallestMicros(currency) === 0 ? micros : undefined;
}
