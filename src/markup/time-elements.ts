import { type Html, html } from '../base/html.ts';
import { dateLocale } from '../base/language.ts';

// Created on first use, which takes 20 ms.
const formats = new Map<string, Intl.DateTimeFormat>();

/** Renders a `<time>` element with the date of a UTC text. */
export function dateElement(instant: string): Html {
  const locale = dateLocale();
  const format =
    formats.get(locale) ??
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  formats.set(locale, format);
  return html`<time datetime="${instant}">${format.format(new Date(instant))}</time>`;
}

/** Renders a `<time>` element with a UTC text to the second. */
export function timestampElement(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
