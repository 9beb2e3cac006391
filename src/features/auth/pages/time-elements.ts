import { type Html, html } from '../../../base/html.ts';

const FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A `<time>` element with the day of a UTC text. */
export function dateElement(instant: string): Html {
  return html`<time datetime="${instant}">${FORMAT.format(new Date(instant))}</time>`;
}

/** A `<time>` element with a UTC text to the second. */
export function timestampElement(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
