import { type Html, html } from '../../../base/html.ts';

// Made with its first use: it takes 20 ms.
let format: Intl.DateTimeFormat | undefined;

/** A time element for a UTC text. */
export function timeHtml(at: string): Html {
  format ??= new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return html`<time datetime="${at}">${format.format(new Date(at))} UTC</time>`;
}
