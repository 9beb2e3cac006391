import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { AccessLevel, Application, HeldToken } from '../../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../../contract/store/store.ts';
import { dateElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { LEVEL_NAMES } from '../access-levels.ts';

const words = texts.developer.tokens;

/** The number of tokens that are listed one by one. */
const NAMED_MAX = 50;

/** The access tokens of users for an application, by access level. */
export interface UserTokens {
  readonly counts: readonly { readonly access_level: AccessLevel; readonly count: number }[];
  /** The oldest tokens whose access level is not that of the application. */
  readonly otherLevels: readonly HeldToken[];
}

/** Reads the access tokens of users for an application. */
export async function readUserTokens(tx: ReadTransaction, { id, access_level }: Application): Promise<UserTokens> {
  return {
    counts: await tx.credentials.listTokenCounts(id),
    otherLevels: await tx.credentials.listOtherTokens(id, access_level, NAMED_MAX),
  };
}

/** How many users gave access, and which tokens still have another access level. @source authentication gaps 4 */
export function userTokensSection({ access_level: level }: Application, { counts, otherLevels }: UserTokens): Html {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const atLevel = counts.find(({ access_level }) => access_level === level)?.count ?? 0;
  const rows = counts.map(({ access_level, count }) => html`<dt>${LEVEL_NAMES[access_level]}</dt><dd>${count}</dd>`);
  const levels = total === 0 ? html`<p>${words.none}</p>` : html`<dl class="facts">${rows}</dl>`;
  return html`<section><h2>${words.title}</h2>
${levels}
${otherLevels.length === 0 ? '' : besideTable(level, otherLevels, total - atLevel)}
</section>`;
}

function besideTable(level: AccessLevel, otherLevels: readonly HeldToken[], total: number): Html {
  const rows = otherLevels.map(
    (held) => html`<tr><th scope="row">@${held.screen_name}</th><td>${LEVEL_NAMES[held.access_level]}</td>
<td>${dateElement(held.created_at)}</td><td>${held.last_used_at === null ? words.never : dateElement(held.last_used_at)}</td></tr>`,
  );
  const more = total > otherLevels.length ? html`<p class="soft">${words.first(otherLevels.length, total)}</p>` : '';
  return html`<p class="doubt">${words.differ(total, LEVEL_NAMES[level])}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${words.otherLevels}"><table>
<thead><tr><th scope="col">${words.user}</th><th scope="col">${words.level}</th><th scope="col">${words.issued}</th><th scope="col">${words.lastUsed}</th></tr></thead>
<tbody>${joinHtml(rows, '\n')}</tbody></table></div>
${more}`;
}
