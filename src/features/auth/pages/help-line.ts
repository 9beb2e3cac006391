import { html } from 'ghtml';

/** Whom to turn to without a password. `contact` is an address of mail or of the web, or a sentence; empty when unknown. */
export function helpLine(contact: string): string {
  return html`<p class="soft help">Can’t log in? !${wayTo(contact)}</p>`;
}

function wayTo(contact: string): string {
  if (contact === '') return 'Contact the operator of this service.';
  if (/^https?:\/\/\S+$/.test(contact)) return html`<a href="${contact}">Get help</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return html`Write to <a href="mailto:${contact}">${contact}</a>.`;
  return html`${contact}`;
}
