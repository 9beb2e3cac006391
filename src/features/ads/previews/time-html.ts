import { type Html, html } from '../../../base/html.ts';

const TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** A time element for a UTC text. */
export function timeHtml(at: string): Html {
  return html`<time datetime="${at}">${TIME.format(new Date(at))} UTC</time>`;
}
