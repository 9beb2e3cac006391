import { type Html, html } from '../../../base/html.ts';
import { texts } from '../../../texts/texts.ts';

const words = texts.login;

/**
 * The line that names the support contact for users who cannot log in.
 * @param contact an e-mail address, a URL or a sentence; empty when unknown.
 */
export function helpLine(contact: string): Html {
  return html`<p class="soft help">${words.help} ${wayTo(contact)}</p>`;
}

function wayTo(contact: string): Html {
  if (contact === '') return html`${words.helpUnknown}`;
  if (/^https?:\/\/\S+$/.test(contact)) return html`<a href="${contact}">${words.helpLink}</a>`;
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return words.helpMail(html`<a href="mailto:${contact}">${contact}</a>`);
  return html`${contact}`;
}
