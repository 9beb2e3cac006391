import { type Html, html } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';
import { stateOfRow } from '../lists/cell-text.ts';

/** The fields of campaigns and line items about serving. */
export interface Servable {
  readonly entity_status: string;
  readonly effective_status?: string | undefined;
  readonly reasons_not_servable?: readonly string[] | undefined;
}

/** The status label of a campaign or line item, with the reasons for not serving. */
export function stateMark(servable: Servable): Html {
  const { state, text, why } = stateOfRow(servable, texts);
  return html`<span class="state ${state}">${text}</span>${why === '' ? '' : html` <span class="why">${why}</span>`}`;
}
