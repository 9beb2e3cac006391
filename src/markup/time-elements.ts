import { type Html, html } from '../base/html.ts';

// Made with its first use: it takes 20 ms.
let format: Intl.DateTimeFormat | undefined;

/** A `<time>` element with the day of a UTC text. */
export function dateElement(instant: string): Html {
  format ??= new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return html`<time datetime="${instant}">${format.format(new Date(instant))}</time>`;
}

/** A `<time>` element with a UTC text to the second. */
export function timestampElement(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
