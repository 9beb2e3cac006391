import { type Html, html } from '../../base/html.ts';
import { texts } from '../texts/texts.ts';

/** What campaigns and line items have in common about serving. */
export interface Servable {
  readonly entity_status: string;
  readonly effective_status: string;
  readonly reasons_not_servable: readonly string[];
}

/** The state of a campaign or line item in a word, and why it does not serve. */
export function stateMark({ effective_status: state, reasons_not_servable: reasons }: Servable): Html {
  const why = reasons.map((reason) => texts.reasons[reason] ?? reason).join('. ');
  return html`<span class="state ${state.toLowerCase()}">${texts.states[state] ?? state}</span>${why === '' ? '' : html` <span class="why">${why}</span>`}`;
}
