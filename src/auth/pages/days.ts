import { html } from 'ghtml';

const FORMAT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The day of a UTC text, for people and for programs. */
export function dayElement(instant: string): string {
  return html`<time datetime="${instant}">${FORMAT.format(new Date(instant))}</time>`;
}
