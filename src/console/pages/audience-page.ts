import { html, joinHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import type { Page, PageCallReply, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type AudienceRule, audiencesOf, ruleText } from '../parts/audience-rule.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { compareEdits, conflictProblems, editForm } from '../parts/edited-form.ts';
import {
  createInputs,
  type EntityField,
  postForm,
  readFields,
  readTyped,
  removeForm,
  savedNotice,
  textIn,
} from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { audiencesWith } from './audience-section.ts';
import { type Audience, canChangeAudiences, PATH, stateOf } from './audiences-page.ts';

const words = texts.audiences;

const fields = (): readonly EntityField[] => [
  { name: 'name', label: words.name, kind: 'text', isRequired: true },
  { name: 'description', label: words.description, kind: 'text' },
];
const NAMES = ['name', 'description'];

interface Use {
  readonly campaign_id: string;
  readonly campaign_name: string;
  readonly line_items: readonly { readonly id: string; readonly name: string | null }[];
}

/** `/ads/:account_id/audiences/:audience_id`: an audience, its members and the line items that use it. */
export function audiencePage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/:audience_id`, ['GET', 'POST'], async (visit) => {
    const { request, call, find } = visit;
    const custom_audience_id = request.pathParams.audience_id!;
    const audience = await find<Audience>('custom_audiences.get', { custom_audience_id });
    if (!audience) return deps.notFound();
    const page = { visit, audience, loginPath: deps.redirectToLogin(request.path).location! };
    const after = (reply: PageCallReply, path: string, fields: readonly string[] = []) =>
      reply.isDone ? redirectTo(visit, path) : show(page, problemsOf(reply, fields));
    const path = `${PATH}/${custom_audience_id}`;
    const act = request.method === 'POST' ? request.parameter('act') : undefined;
    if (act === 'save') return save(page);
    if (act === 'share') {
      const granted_account_id = textIn(request, 'granted_account_id');
      const permission_level = request.parameter('permission_level') ?? '';
      const parameters = { custom_audience_id, granted_account_id, permission_level };
      const reply = await call('custom_audience_permissions.create', parameters);
      return after(reply, path, ['granted_account_id', 'permission_level']);
    }
    if (act === 'unshare') {
      const custom_audience_permission_id = request.parameter('permission') ?? '';
      const parameters = { custom_audience_id, custom_audience_permission_id };
      return after(await call('custom_audience_permissions.remove', parameters), path);
    }
    if (act === 'remove') return after(await call('custom_audiences.remove', { custom_audience_id }), PATH);
    return show(page);
  });
}

interface AudienceVisit {
  readonly visit: AccountVisit;
  readonly audience: Audience;
  /** Where the script sends the user if the session has ended. */
  readonly loginPath: string;
}

const storedValues = ({ name, description }: Audience): Record<string, string> => ({
  name,
  description: description ?? '',
});

async function save(page: AudienceVisit): Promise<PageResponse> {
  const { visit, audience } = page;
  const entered = readFields(fields(), visit.request);
  const edit = compareEdits(visit.request, entered, storedValues(audience));
  if (edit.conflicts.size > 0) return show(page, conflictProblems(edit), entered);
  const path = `${PATH}/${audience.id}`;
  if (edit.changed.size === 0) return redirectTo(visit, path);
  const parameters = Object.fromEntries(Object.entries(entered).filter(([name]) => edit.changed.has(name)));
  const reply = await visit.call('custom_audiences.update', { custom_audience_id: audience.id, ...parameters });
  return reply.isDone ? redirectTo(visit, `${path}?saved=1`) : show(page, problemsOf(reply, NAMES), entered);
}

async function show(
  page: AudienceVisit,
  problems: Problems = new Map(),
  entered = storedValues(page.audience),
): Promise<PageResponse> {
  const { visit, audience } = page;
  const { request, account } = visit;
  const isOurs = audience.is_owner;
  const rule = audience.metadata?.find(({ segments }) => segments !== undefined)?.segments;
  const mayFill = canChangeAudiences(visit) && audience.permission_level === 'READ_WRITE' && !rule;
  const size = audience.audience_size === null ? '–' : numberText(audience.audience_size);
  const uses = await usesOf(page);
  return consolePage(visit, {
    problems,
    title: audience.name,
    trail: [[`/ads/${account.id}${PATH}`, words.title]],
    islands: mayFill ? ['people-file'] : [],
    content: html`${savedNotice(request, 'saved', words.saved)}${problemSummary(problems)}
<section class="card"><dl class="facts"><dt>${words.state}</dt><dd>${stateOf(audience)}</dd><dt>${words.size}</dt><dd>${size}</dd>${isOurs ? '' : html`<dt>${words.owner}</dt><dd>${words.shared}</dd>`}${rule ? html`<dt>${texts.combine.rule}</dt><dd>${await ruleOf(visit, rule)}.</dd>` : ''}</dl></section>
${mayFill ? html`<section class="card"><h2>${words.people}</h2>${peopleFile(page)}</section>` : ''}
<section class="card"><h2>${words.usedBy}</h2>${uses.length === 0 ? html`<p class="soft">${words.notUsed}</p>` : useList(account.id, uses)}</section>
${
  canChangeAudiences(visit) && isOurs
    ? html`<section class="card"><h2>${words.edit}</h2>${editForm(request, { fields: fields(), stored: storedValues(audience), entered, problems })}</section>
${await sharingSection(page, problems)}
<details class="card"><summary>${words.remove}</summary><p>${words.removeAbout}</p>${uses.length === 0 ? '' : html`<p>${words.usedBy}:</p>${useList(account.id, uses)}`}${removeForm(request)}</details>`
    : ''
}`,
  });
}

/** Maximum number of audiences named in a rule. */
const NAMED_MAX = 200;

/** The rule of a flexible audience as display text. */
async function ruleOf(visit: AccountVisit, rule: AudienceRule): Promise<string> {
  const custom_audience_ids = [...new Set(audiencesOf(rule))].join(',');
  const rows = await audiencesWith(visit, { custom_audience_ids, count: NAMED_MAX });
  return ruleText(rule, new Map(rows.map(({ id, name }) => [id, name])));
}

interface Permission {
  readonly id: string;
  readonly granted_account_id: string;
  readonly permission_level: string;
}

/** The accounts that the audience is shared with, and a form to share it with another. */
async function sharingSection({ visit, audience }: AudienceVisit, problems: Problems) {
  const { request, read } = visit;
  const parameters = { custom_audience_id: audience.id, count: NAMED_MAX };
  const permissions: readonly Permission[] = await read('custom_audience_permissions.list', parameters);
  const items = permissions.map(
    ({ id, granted_account_id, permission_level }) =>
      html`<li><span>${granted_account_id}: ${words.levels[permission_level] ?? permission_level}</span><form method="post">${hiddenFields({ ...request.formFields, act: 'unshare', permission: id })}<button type="submit" aria-label="${words.unshare(granted_account_id)}">${words.unshareShort}</button></form></li>`,
  );
  const input = createInputs(readTyped(request), problems);
  const fields = html`${input('granted_account_id', words.withAccount, html`required maxlength="32" autocomplete="off" spellcheck="false"`)}
${selectField('permission_level', words.level, Object.entries(words.levels), request.parameter('permission_level'), { error: problems.get('permission_level') })}`;
  return html`<section class="card"><h2>${words.sharing}</h2><p class="soft">${words.sharingAbout}</p>
${items.length === 0 ? html`<p>${words.notShared}</p>` : html`<ul class="criteria">${joinHtml(items, '\n')}</ul>`}
${postForm(request, 'share', fields, words.share)}</section>`;
}

/** The mount point of the upload form, which needs a script; without scripts, the equivalent command. */
function peopleFile({ visit: { account }, audience, loginPath }: AudienceVisit) {
  const path = `/console/api/${account.environment}/12/accounts/${account.id}/custom_audiences/${audience.id}`;
  const sandbox = account.environment === 'sandbox' ? ' --sandbox' : '';
  const isProcessing = audience.reasons_not_targetable.includes('PROCESSING');
  const input = JSON.stringify({ path, loginPath, isProcessing, words: texts.peopleFile });
  return html`<div data-island="people-file" data-input="${input}"><p>${words.uploadAbout}</p>
<pre tabindex="0">barker audience upload people.csv --account ${account.id} --audience ${audience.id}${sandbox}</pre></div>`;
}

/** The line items that target or exclude the audience. */
function usesOf({ visit: { read }, audience }: AudienceVisit): Promise<readonly Use[]> {
  const parameters = { custom_audience_id: audience.id, with_active: false };
  return read('custom_audiences.targeted', parameters);
}

function useList(account: string, uses: readonly Use[]) {
  const items = uses.flatMap(({ campaign_name, line_items }) =>
    line_items.map(
      ({ id, name }) =>
        html`<li><a href="/ads/${account}/line_items/${id}">${name ?? id}</a> <span class="soft">${campaign_name}</span></li>`,
    ),
  );
  return html`<ul>${joinHtml(items, '\n')}</ul>`;
}
