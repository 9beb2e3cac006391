import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { ShownCall } from '../../contract/declare/pages.ts';
import { callText } from '../../markup/call-text.ts';
import { texts } from '../../texts/texts.ts';

/** The calls behind a page, as developers would make them; scripts add theirs. */
export function shownCalls(calls: readonly ShownCall[]): Html {
  if (calls.length === 0) return noHtml;
  return html`<details class="calls" data-base-url="${calls[0]!.base_url}"><summary>${texts.frame.apiCall}</summary>
<p class="soft">${texts.frame.apiCalls}</p>
${joinHtml(calls.map(callText), '\n')}
</details>`;
}
