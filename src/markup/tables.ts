import { type Html, html, joinHtml } from '../base/html.ts';

/** A table whose first column names its rows; a sentence where it has none. Empty heads stand above buttons. */
export function tableOf(heads: readonly string[], rows: readonly (readonly (Html | string)[])[], none: string): Html {
  if (rows.length === 0) return html`<p class="soft">${none}</p>`;
  const head = heads.map((each) => (each === '' ? html`<td></td>` : html`<th scope="col">${each}</th>`));
  const body = rows.map(
    ([first, ...rest]) => html`<tr><th scope="row">${first!}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  // Keys scroll it where it is wider than the page.
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${heads.filter((each) => each !== '').join(', ')}"><table><thead><tr>${head}</tr></thead><tbody>
${joinHtml(body, '\n')}
</tbody></table></div>`;
}
