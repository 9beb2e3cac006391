import { html, joinHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import type { AudienceRule } from '../parts/audience-rule.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { createInputs, postForm, readTyped, textIn } from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { audiencesWith } from './audience-section.ts';

const words = texts.audiences;
/** The path of the audiences page, relative to the account. */
export const PATH = '/audiences';
const WRITERS = ['ACCOUNT_ADMIN', 'AD_MANAGER', 'PARTNER_AUDIENCE_MANAGER'];
const NAMES = ['name', 'description'];

/** An audience as the API returns it. */
export interface Audience {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly audience_size: number | null;
  readonly targetable: boolean;
  readonly reasons_not_targetable: readonly string[];
  readonly is_owner: boolean;
  readonly permission_level: 'READ_ONLY' | 'READ_WRITE';
  /** `FLEXIBLE` audiences combine others. */
  readonly audience_type: string;
  readonly metadata?: readonly { readonly segments?: AudienceRule }[];
}

/** Whether the user may change audiences. */
export function canChangeAudiences({ permissions }: AccountVisit): boolean {
  return permissions.some((each) => WRITERS.includes(each));
}

/** `/ads/:account_id/audiences`: custom audiences, and a form to create one. */
export function audiencesPage(deps: ConsoleDeps): Page {
  return accountPage(deps, PATH, ['GET', 'POST'], async (visit) => {
    const { request, call } = visit;
    if (request.method === 'GET') return show(visit);
    const [name, description] = NAMES.map((each) => textIn(request, each));
    const reply = await call('custom_audiences.create', { name, ...(description && { description }) });
    return reply.isDone ? redirectTo(visit, `${PATH}/${reply.reply.data.id}`) : show(visit, problemsOf(reply, NAMES));
  });
}

async function show(visit: AccountVisit, problems: Problems = new Map()): Promise<PageResponse> {
  const { request, account } = visit;
  const audiences = await audiencesWith<Audience>(visit, { count: 200 });
  const rows = audiences.map(
    (audience) =>
      html`<tr><th scope="row"><a href="/ads/${account.id}${PATH}/${audience.id}">${audience.name}</a></th><td>${audience.description ?? ''}</td><td class="number">${audience.audience_size === null ? '' : numberText(audience.audience_size)}</td><td>${stateOf(audience)}</td></tr>`,
  );
  const input = createInputs(readTyped(request), problems);
  const form = html`${input('name', words.name, html`required maxlength="255"`)}
${input('description', words.description, html`maxlength="255"`)}`;
  return consolePage(visit, {
    problems,
    title: words.title,
    ...(canChangeAudiences(visit) && {
      actions: html`<a class="button" href="/ads/${account.id}${PATH}/combine">${texts.combine.title}</a>`,
    }),
    content: html`${problemSummary(problems)}
${
  rows.length === 0
    ? html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p></div>`
    : html`<p class="soft">${words.about}</p><div class="scroll"><table><thead><tr><th scope="col">${words.name}</th><th scope="col">${words.description}</th><th scope="col" class="number">${words.size}</th><th scope="col">${words.state}</th></tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`
}
${
  canChangeAudiences(visit)
    ? html`<section class="card after"><h2>${words.create}</h2>${postForm(request, 'create', form, words.create)}</section>`
    : ''
}`,
  });
}

/** Whether the audience can be targeted, as display text. */
export function stateOf({ targetable, reasons_not_targetable }: Audience): string {
  if (targetable) return words.ready;
  if (reasons_not_targetable.includes('PERMISSION_REVOKED')) return words.revoked;
  if (reasons_not_targetable.includes('PROCESSING')) return words.processing;
  return reasons_not_targetable.includes('TOO_SMALL') ? words.small : words.waiting;
}
