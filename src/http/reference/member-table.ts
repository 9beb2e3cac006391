import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import type { MemberWords } from '../../engine/describe/member-words.ts';

/** Longer lists of enum values are collapsed. */
const CHOICES_SHOWN = 8;

/** Renders a table of the members of an object in a reply or a request body. */
export function memberTable(members: readonly MemberWords[], place: 'reply' | 'request' = 'reply'): Html {
  return html`<table class="rows"><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${members.map((each) => memberRow(each, place))}</tbody></table>`;
}

const CHIPS = {
  reply: (isOptional: boolean) => (isOptional ? html` <span class="chip">not always</span>` : ''),
  request: (isOptional: boolean) => (isOptional ? '' : html` <span class="chip required">required</span>`),
};

function memberRow(
  { name, type, limits, choices, isNullable, isOptional, about }: MemberWords,
  place: 'reply' | 'request',
): Html {
  return html`<tr><th scope="row"><code>${breakableCode(name)}</code>${CHIPS[place](isOptional)}</th>
    <td>${type}${isNullable && type !== 'null' ? html` <span class="soft">or null</span>` : ''}${limits ? html`<span class="limits">${limits}</span>` : ''}</td>
    <td>${proseHtml(about)}${enumValues(choices)}</td></tr>`;
}

/** Renders a sentence, with text between backquotes as code. */
export function proseHtml(text: string): Html {
  return html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;
}

/** Renders the values of an enum; a long list is collapsed. */
export function enumValues(choices: readonly string[]): Html {
  if (choices.length === 0) return noHtml;
  const words = joinHtml(
    choices.map((word) => html`<code>${word}</code>`),
    ' ',
  );
  if (choices.length <= CHOICES_SHOWN) return html`<span class="choices">${words}</span>`;
  return html`<details class="choices"><summary>One of ${choices.length}</summary>${words}</details>`;
}

/** Renders a name with line-break opportunities after underscores and dots, and before capitals. */
export function breakableCode(code: string): Html {
  return joinHtml(code.split(/(?<=[_.])|(?<=[a-z])(?=[A-Z])/), html`<wbr>`);
}
