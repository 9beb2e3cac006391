import { type Html, html, joinHtml } from '../base/html.ts';

/** A column head: its text, and whether the column has numbers. */
type TableHead = string | { readonly number: string };

/** Renders a table whose first column names its rows, or a sentence if it has none. Columns of buttons have empty heads. */
export function tableOf(
  heads: readonly TableHead[],
  rows: readonly (readonly (Html | string)[])[],
  none: string,
): Html {
  if (rows.length === 0) return html`<p class="soft">${none}</p>`;
  const texts = heads.map((each) => (typeof each === 'string' ? each : each.number));
  const align = heads.map((each) => (typeof each === 'string' ? '' : html` class="number"`));
  const head = texts.map((each, at) =>
    each === '' ? html`<td></td>` : html`<th scope="col"${align[at]!}>${each}</th>`,
  );
  const body = rows.map(
    ([first, ...rest]) =>
      html`<tr><th scope="row">${first!}</th>${rest.map((cell, at) => html`<td${align[at + 1]!}>${cell}</td>`)}</tr>`,
  );
  // Keys scroll it where it is wider than the page.
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${texts.filter((each) => each !== '').join(', ')}"><table><thead><tr>${head}</tr></thead><tbody>
${joinHtml(body, '\n')}
</tbody></table></div>`;
}

/** Renders a list of names and values, without those that have no value. */
export function definitionList(
  rows: readonly (readonly [name: string, value: Html | string | number | undefined])[],
  style = 'facts',
): Html {
  const items = rows.flatMap(([name, value]) => (value === undefined ? [] : html`<dt>${name}</dt><dd>${value}</dd>`));
  return html`<dl class="${style}">
${joinHtml(items, '\n')}
</dl>`;
}
