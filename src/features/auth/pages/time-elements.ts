import { html } from 'ghtml';

const FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The day of a UTC text, for people and for programs. */
export function dateElement(instant: string): string {
  return html`<time datetime="${instant}">${FORMAT.format(new Date(instant))}</time>`;
}

/** A UTC text to the second, for people and for programs. */
export function timestampElement(instant: string): string {
  return html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;
}
