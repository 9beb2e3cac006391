import { type Html, html } from '../../base/html.ts';
import type { MemberWords } from '../../engine/describe/reply-words.ts';
import { breakableCode, enumValues, proseHtml } from './operation-section.ts';

/** A table of the members of an object in a reply. */
export function memberTable(members: readonly MemberWords[]): Html {
  return html`<table class="rows"><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${members.map(memberRow)}</tbody></table>`;
}

function memberRow({ name, type, limits, choices, isNullable, isOptional, about }: MemberWords): Html {
  return html`<tr><th scope="row"><code>${breakableCode(name)}</code>${isOptional ? html` <span class="chip">not always</span>` : ''}</th>
    <td>${type}${isNullable && type !== 'null' ? html` <span class="soft">or null</span>` : ''}${limits ? html`<span class="limits">${limits}</span>` : ''}</td>
    <td>${proseHtml(about)}${enumValues(choices)}</td></tr>`;
}
