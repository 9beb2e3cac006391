import { type Html, html, joinHtml } from '../../base/html.ts';
import type { OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';

/** A form of one button, which does `act`. */
export function actButton(
  { csrfToken }: OperatorRequest,
  act: string,
  label: string,
  more: { readonly about?: string; readonly isBad?: boolean; readonly fields?: Readonly<Record<string, string>> } = {},
): Html {
  const { about, isBad = false, fields = {} } = more;
  const name = about === undefined ? '' : html` aria-label="${label} ${about}"`;
  return html`<form method="post">${hiddenFields({ authenticity_token: csrfToken, act, ...fields })}<button type="submit"${isBad ? html` class="bad"` : ''}${name}>${label}</button></form>`;
}

/** A table, or the sentence in its place when it has no rows. */
export function tableOf(heads: readonly string[], rows: readonly (readonly (Html | string)[])[], none: string): Html {
  if (rows.length === 0) return html`<p class="soft">${none}</p>`;
  const head = heads.map((each) => (each === '' ? html`<td></td>` : html`<th scope="col">${each}</th>`));
  const body = rows.map(
    ([first, ...rest]) => html`<tr><th scope="row">${first!}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  return html`<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>
${joinHtml(body, '\n')}
</tbody></table></div>`;
}

/** A page with its heading. */
export function operatorPage(
  title: string,
  content: Html,
  status = 200,
  actions: Html | string = '',
): OperatorResponse {
  return { status, html: { title, content: html`<div class="heading"><h1>${title}</h1>${actions}</div>\n${content}` } };
}

/** Leads to another page after something was done; the path is below `/operator`. */
export function done(location: string): OperatorResponse {
  return { ...operatorPage('Done', html``, 303), location };
}
