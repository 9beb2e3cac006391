import { type Html, html } from '../base/html.ts';

// Created on first use, which takes 20 ms.
let format: Intl.DateTimeFormat | undefined;

/** Renders a `<time>` element with the date of a UTC text. */
export function dateElement(instant: string): Html {
  format ??= new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
  return html`<time datetime="${instant}">${format.format(new Date(instant))}</time>`;
}

/** Renders a `<time>` element with a UTC text to the second. */
export function timestampElement(instant: string): Html {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
