import { type Html, html, joinHtml } from '../../base/html.ts';
import type { Page, PageCallReply, PageResponse } from '../../contract/declare/pages.ts';
import type { LineItemStatus } from '../../contract/delivery/delivery-status.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage, canChange } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { endOf, firstDay, lastDay, startOf } from '../days.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { draftProgress } from '../parts/draft-steps.ts';
import { compareEdits, conflictProblems, editForm } from '../parts/edited-form.ts';
import {
  amountText,
  type EntityField,
  entityFields,
  parseAmount,
  postForm,
  readFields,
  removeForm,
  savedNotice,
} from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf, refusalReasons } from '../parts/form-problems.ts';
import { historySection } from '../parts/history-section.ts';
import { stateMark } from '../parts/state-mark.ts';
import { bodyOf } from '../refused-call.ts';
import { type Choice, criteriaSection, readCriterion, readPickedCriterion } from './audience-section.ts';
import { type Campaign, reviewLink, statusButton, truncationNote } from './campaign-pages.ts';

const words = texts.campaign;
const PATH = '/line_items';
const MONEY = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro', 'bid_amount_local_micro'] as const;
const [CRITERIA_MAX, ADS_MAX] = [500, 200] as const;
const NAMES = ['name', 'objective', 'start_time', 'end_time', 'bid_strategy', ...MONEY];

/** Objectives that the console offers; the others need apps or account media. */
const OFFERED: readonly string[] = ['ENGAGEMENTS', 'WEBSITE_CLICKS', 'FOLLOWERS', 'REACH', 'VIDEO_VIEWS'];

/** A line item as the API returns it, with the bid strategies of its objective. */
export interface LineItem {
  readonly id: string;
  readonly campaign_id: string;
  readonly name: string | null;
  readonly objective: string;
  readonly entity_status: string;
  readonly currency: string;
  readonly placements: readonly string[];
  readonly start_time: string | null;
  readonly end_time: string | null;
  readonly bid_strategy: string | null;
  readonly strategies: readonly string[];
  readonly bid_amount_local_micro: number | null;
  readonly daily_budget_amount_local_micro: number | null;
  readonly total_budget_amount_local_micro: number | null;
}

function fieldsOf({ account }: AccountVisit, currency: string, strategies: readonly string[]): EntityField[] {
  const { fields, hints } = words;
  const options = Object.entries<string>(words.strategies).filter(([strategy]) => strategies.includes(strategy));
  return [
    { name: 'name', label: fields.name, kind: 'text', isRequired: true },
    { name: 'start_time', label: fields.start_time, hint: hints.start(account.timezone), kind: 'day' },
    { name: 'end_time', label: fields.end_time, hint: hints.end, kind: 'day' },
    { name: 'bid_strategy', label: fields.bid_strategy, kind: 'choice', options },
    { name: 'bid_amount_local_micro', label: fields.bid_amount_local_micro, hint: hints.bid(currency), kind: 'money' },
    {
      name: 'daily_budget_amount_local_micro',
      label: fields.daily_budget_amount_local_micro,
      hint: hints.daily(currency),
      kind: 'money',
    },
    {
      name: 'total_budget_amount_local_micro',
      label: fields.total_budget_amount_local_micro,
      hint: hints.total(currency),
      kind: 'money',
    },
  ];
}

/** Parses the form into parameters; unparsable values become problems at their fields. */
function parametersOf(
  { account }: AccountVisit,
  entered: Readonly<Record<string, string>>,
  currency: string,
  problems: Map<string, string>,
): Record<string, string> {
  const start = startOf(entered.start_time!, account.timezone);
  const end = endOf(entered.end_time!, account.timezone);
  if (start === undefined) problems.set('start_time', words.dayProblem(words.fields.start_time));
  if (end === undefined) problems.set('end_time', words.dayProblem(words.fields.end_time));
  const message = words.amountProblem(currency);
  const amounts = MONEY.map((name) => [name, parseAmount(entered, name, currency, problems, message)]);
  const bids = entered.bid_strategy === 'AUTO' ? { bid_amount_local_micro: '' } : {};
  return {
    name: entered.name!,
    start_time: start ?? '',
    end_time: end ?? '',
    bid_strategy: entered.bid_strategy!,
    ...Object.fromEntries(amounts),
    ...bids,
  };
}

/** `/ads/:account_id/line_items/new`: creates a line item as a draft. */
export function newLineItemPage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/new`, ['GET', 'POST'], async (visit) => {
    const { request, call, find, read } = visit;
    const campaign_id = request.parameter('campaign_id') ?? '';
    const campaign = await find<Campaign>('campaigns.get', { campaign_id });
    if (!campaign || !canChange(visit)) return deps.notFound();
    const { name, currency } = campaign;
    const parametersOfOthers = { campaign_ids: campaign_id, with_draft: true, count: 1 };
    const [other] = await read<LineItem[]>('line_items.list', parametersOfOthers);
    // All line items of a campaign have one objective.
    const objective: string = other?.objective ?? request.parameter('objective') ?? '';
    if (!OFFERED.includes(objective)) return objectiveChoice(visit, { campaign_id, name });
    const steps = campaign.entity_status === 'DRAFT' ? draftProgress(visit.account.id, campaign_id, 'line') : '';
    const fields = fieldsOf(visit, currency, deps.bidStrategies(objective));
    const showForm = (entered: Record<string, string>, problems: Problems): PageResponse =>
      consolePage(visit, {
        problems,
        title: words.addLine,
        trail: trailOf(visit, campaign_id, name),
        content: html`${steps}${problemSummary(problems)}<div class="card">${postForm(
          request,
          'create',
          html`<dl class="facts"><dt>${words.fields.objective}</dt><dd>${words.objectives[objective]!}</dd></dl>${hiddenFields({ campaign_id, objective })}${entityFields(fields, entered, problems)}`,
          words.create,
        )}</div>`,
      });
    if (request.method === 'GET') return showForm({}, new Map());
    const entered = readFields(fields, request);
    const problems = new Map<string, string>();
    const parameters = parametersOf(visit, entered, currency, problems);
    if (problems.size > 0) return showForm(entered, problems);
    const filled = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
    const reply = await call('line_items.create', {
      ...filled,
      campaign_id,
      objective,
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_SERVICE',
      entity_status: 'DRAFT',
    });
    return reply.isDone
      ? redirectTo(visit, `${PATH}/${reply.reply.data.id}`)
      : showForm(entered, problemsOf(reply, NAMES));
  });
}

/** The choice of the objective, on which the other fields depend. */
function objectiveChoice(
  visit: AccountVisit,
  { campaign_id, name }: { readonly campaign_id: string; readonly name: string },
): PageResponse {
  const items = OFFERED.map(
    (objective) =>
      html`<li><a href="?${new URLSearchParams({ campaign_id, objective }).toString()}">${words.objectives[objective]!}</a></li>`,
  );
  return consolePage(visit, {
    title: words.addLine,
    trail: trailOf(visit, campaign_id, name),
    content: html`<section class="card"><h2>${words.whatFor}</h2><p class="soft">${words.whatForAbout}</p><ul class="choices">${items}</ul></section>`,
  });
}

function trailOf({ account }: AccountVisit, id: string, name: string): readonly (readonly [string, string])[] {
  const campaigns = `/ads/${account.id}/campaigns`;
  return [
    [campaigns, texts.campaigns.title],
    [`${campaigns}/${id}`, name],
  ];
}

/** `/ads/:account_id/line_items/:line_item_id`: budget, schedule, targeting and ads of a line item. */
export function lineItemPage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/:line_item_id`, ['GET', 'POST'], async (visit) => {
    const { request, find } = visit;
    const line_item_id = request.pathParams.line_item_id!;
    const stored = await find<Omit<LineItem, 'strategies'>>('line_items.get', { line_item_id });
    if (!stored) return deps.notFound();
    const line: LineItem = { ...stored, strategies: deps.bidStrategies(stored.objective) };
    const page = { visit, deps, line };
    return request.method === 'GET' ? show(page) : change(page, request.parameter('act') ?? '');
  });
}

/** A request for the page of a line item. */
interface LinePage {
  readonly visit: AccountVisit;
  readonly deps: ConsoleDeps;
  readonly line: LineItem;
}

async function change(page: LinePage, act: string): Promise<PageResponse> {
  const { visit, line } = page;
  const { request, call } = visit;
  const line_item_id = line.id;
  if (act === 'save') return save(page);
  if (act === 'pick' || act === 'add') {
    const found = act === 'pick' ? { criterion: readPickedCriterion(visit) } : await readCriterion(visit);
    const field = act === 'pick' ? 'pick' : 'value';
    if (!('criterion' in found)) return show(page, new Map([[field, found.problem]]), undefined, found.choices);
    const reply = await call('targeting_criteria.create', { line_item_id, ...found.criterion });
    if (reply.isDone) return redirectTo(visit, `${PATH}/${line.id}#audience`);
    // The form has one field, so every error belongs to it.
    return show(page, new Map([[field, refusalReasons(reply)]]));
  }
  const text = (name: string): string => request.parameter(name) ?? '';
  const calls: Readonly<Record<string, () => Promise<PageCallReply>>> = {
    take: () => call('targeting_criteria.remove', { targeting_criterion_id: text('criterion') }),
    promote: () => call('promoted_posts.create', { line_item_id, post_ids: text('post') }),
    unpromote: () => call('promoted_posts.remove', { promoted_post_id: text('ad') }),
    ACTIVE: () => call('line_items.update', { line_item_id, entity_status: act }),
    PAUSED: () => call('line_items.update', { line_item_id, entity_status: act }),
    remove: () => call('line_items.remove', { line_item_id }),
  };
  const perform = calls[act];
  if (!perform) return show(page);
  const reply = await perform();
  if (!reply.isDone) return show(page, problemsOf(reply, NAMES));
  if (act === 'remove') return redirectTo(visit, `/campaigns/${line.campaign_id}`);
  const part = act === 'take' ? '#audience' : act === 'promote' || act === 'unpromote' ? '#ads' : '';
  return redirectTo(visit, `${PATH}/${line.id}${part}`);
}

function storedValues({ account }: AccountVisit, line: LineItem): Record<string, string> {
  return {
    name: line.name ?? '',
    start_time: firstDay(line.start_time, account.timezone),
    end_time: lastDay(line.end_time, account.timezone),
    bid_strategy: line.bid_strategy ?? 'AUTO',
    ...Object.fromEntries(MONEY.map((name) => [name, amountText(line[name], line.currency)])),
  };
}

async function save(page: LinePage): Promise<PageResponse> {
  const { visit, line } = page;
  const { request, call } = visit;
  const entered = readFields(fieldsOf(visit, line.currency, line.strategies), request);
  const problems = new Map<string, string>();
  const parameters = parametersOf(visit, entered, line.currency, problems);
  if (problems.size > 0) return show(page, problems, entered);
  const edit = compareEdits(request, entered, storedValues(visit, line));
  if (edit.conflicts.size > 0) return show(page, conflictProblems(edit), entered);
  // The bid amount and the bid strategy are saved together.
  const isSaved = (name: string): boolean =>
    edit.changed.has(name) || (name === 'bid_amount_local_micro' && edit.changed.has('bid_strategy'));
  // Unchanged dates are not sent: the stored time need not be midnight.
  const saved = Object.entries(parameters).filter(([name]) => isSaved(name));
  if (saved.length === 0) return redirectTo(visit, `${PATH}/${line.id}`);
  const reply = await call('line_items.update', { line_item_id: line.id, ...Object.fromEntries(saved) });
  return reply.isDone
    ? redirectTo(visit, `${PATH}/${line.id}?saved=1#edit`)
    : show(page, problemsOf(reply, NAMES), entered);
}

interface Promoted {
  readonly id: string;
  readonly post_id: string;
  readonly entity_status: string;
}

interface Post {
  readonly post_id: string;
  readonly full_text: string;
}

async function show(
  { visit, deps, line }: LinePage,
  problems: Problems = new Map(),
  entered: Readonly<Record<string, string>> = storedValues(visit, line),
  choices: readonly Choice[] = [],
): Promise<PageResponse> {
  const { request, call, account, now } = visit;
  const replies = await Promise.all([
    call('campaigns.get', { campaign_id: line.campaign_id }),
    call('targeting_criteria.list', { line_item_ids: line.id, count: CRITERIA_MAX }),
    call('promoted_posts.list', { line_item_ids: line.id, count: ADS_MAX }),
    call('posts.list', { post_type: 'PUBLISHED', timeline_type: 'ALL', trim_user: true }),
  ]);
  const [campaign, criteria, promoted, posts] = replies.map((reply) => bodyOf(reply).data);
  const mayChange = canChange(visit);
  const standing = (await deps.readStandings(account, now, [line.id])).line_items[line.id];
  const isDraft = mayChange && (campaign.entity_status === 'DRAFT' || line.entity_status === 'DRAFT');
  const hasAudience = criteria.length > 0;
  const hasAds = promoted.length > 0;
  const current = !hasAudience ? 'audience' : !hasAds ? 'ads' : 'line';
  const steps = isDraft
    ? draftProgress(visit.account.id, line.campaign_id, current, { id: line.id, hasAudience, hasAds })
    : '';
  const content = html`${steps}${problemSummary(problems)}
<section class="card"><dl class="facts"><dt>${words.fields.objective}</dt><dd>${words.objectives[line.objective] ?? line.objective}</dd><dt>${words.state}</dt><dd>${stateMark({ ...line, ...standing })}</dd></dl>${isDraft ? reviewLink(visit, line.campaign_id) : mayChange ? statusButton(visit, line) : ''}</section>
<section class="card" id="audience"><h2>${words.audience}</h2>${await criteriaSection(visit, deps, criteria, { mayChange, problems, choices })}${truncationNote(criteria, CRITERIA_MAX)}</section>
<section class="card" id="ads"><h2>${words.ads}</h2>${adsSection(visit, { promoted, posts, ads: standing?.ads ?? {} }, mayChange)}${truncationNote(promoted, ADS_MAX)}</section>
${
  mayChange
    ? html`<section class="card" id="edit"><h2>${words.schedule}</h2>${savedNotice(request, 'saved', words.saved)}${editForm(request, { fields: fieldsOf(visit, line.currency, line.strategies), stored: storedValues(visit, line), entered, problems })}</section>
<details class="card"><summary>${words.remove}</summary><p>${words.removeAbout}</p>${removeForm(request)}</details>`
    : ''
}
${await historySection(visit, 'LINE_ITEM', line.id, line.currency)}`;
  return consolePage(visit, {
    problems,
    title: line.name ?? line.id,
    actions: html`<a class="button" href="/ads/${visit.account.id}/results?line_item_id=${line.id}">${texts.results.results}</a>`,
    trail: trailOf(visit, line.campaign_id, campaign.name),
    content,
  });
}

function adsSection(
  { request, account }: AccountVisit,
  {
    promoted,
    posts,
    ads,
  }: { readonly promoted: readonly Promoted[]; readonly posts: readonly Post[]; readonly ads: LineItemStatus['ads'] },
  mayChange: boolean,
): Html {
  const textOf = new Map(posts.map(({ post_id, full_text }) => [String(post_id), full_text]));
  const promotedIds = new Set(promoted.map(({ post_id }) => String(post_id)));
  const rows = promoted.map((ad) => {
    const { id, post_id } = ad;
    const text = textOf.get(String(post_id)) ?? String(post_id);
    const take = mayChange
      ? html`<td><form method="post">${hiddenFields({ ...request.formFields, act: 'unpromote', ad: id })}<button type="submit" aria-label="${words.take(text)}">${words.takeShort}</button></form></td>`
      : '';
    return html`<tr><th scope="row" class="prose">${text}</th><td class="prose">${stateMark({ ...ad, ...ads[id] })}</td>${take}</tr>`;
  });
  const others = [...textOf].filter(([id]) => !promotedIds.has(id));
  const form = !mayChange
    ? ''
    : others.length === 0
      ? html`<p>${words.noPosts} <a href="/ads/${account.id}/creatives">${words.writePost}</a></p>`
      : html`<form method="post">${hiddenFields({ ...request.formFields, act: 'promote' })}${selectField(
          'post',
          words.post,
          others.map(([id, text]) => [id, text.slice(0, 120)]),
        )}<div class="buttons"><button type="submit">${words.addAd}</button></div></form>`;
  const table = html`<div class="scroll"><table><thead><tr><th scope="col">${words.post}</th><th scope="col">${words.state}</th>${mayChange ? html`<td></td>` : ''}</tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`;
  return html`${rows.length === 0 ? html`<p class="soft">${words.noAds}</p>` : table}${form}`;
}
