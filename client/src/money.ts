/**
 * An amount in micros, a millionth of a unit of a currency: `micros('12.34')` is 12340000. Digits are read exactly, so pass
 * amounts that people entered as texts.
 */
export function micros(amount: number | string): number {
  const [, minus, whole, part = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(String(amount).trim()) ?? [];
  const value = Number(`${minus}${whole}${part.padEnd(6, '0')}`);
  if (whole === undefined || !Number.isSafeInteger(value)) throw new RangeError(`Not an amount in micros: ${amount}`);
  return value;
}

/** The decimal form of micros: `fromMicros(12340000)` is `'12.34'`. */
export function fromMicros(amount: number): string {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`Not an amount in micros: ${amount}`);
  const digits = String(Math.abs(amount)).padStart(7, '0');
  const part = digits.slice(-6).replace(/0+$/, '').padEnd(2, '0');
  return `${amount < 0 ? '-' : ''}${digits.slice(0, -6)}.${part}`;
}

/** Micros as people read them: `formatMicros(12340000, 'USD', 'en-US')` is `'$12.34'`. */
export function formatMicros(amount: number, currency: string, locale?: string): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(Number(fromMicros(amount)));
}
