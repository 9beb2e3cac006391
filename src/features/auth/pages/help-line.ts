import { type Html, html } from '../../../base/html.ts';

/**
 * The line that names the support contact for users who cannot log in.
 * @param contact an e-mail address, a URL or a sentence; empty when unknown.
 */
export function helpLine(contact: string): Html {
  return html`<p class="soft help">Can’t log in? ${wayTo(contact)}</p>`;
}

function wayTo(contact: string): Html {
  if (contact === '') return html`Contact the operator of this service.`;
  if (/^https?:\/\/\S+$/.test(contact)) return html`<a href="${contact}">Get help</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return html`Write to <a href="mailto:${contact}">${contact}</a>.`;
  return html`${contact}`;
}
