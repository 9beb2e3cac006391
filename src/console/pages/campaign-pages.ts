import { type Html, html, joinHtml } from '../../base/html.ts';
import { dateLocale } from '../../base/language.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage, canChange } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { type DeliveryStatuses, switchOf, withDeliveryStatus } from '../lists/cell-text.ts';
import { moneyText } from '../money.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { draftProgress, draftSteps } from '../parts/draft-steps.ts';
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
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';
import { historySection } from '../parts/history-section.ts';
import { type Servable, stateMark } from '../parts/state-mark.ts';

const words = texts.campaign;
const PATH = '/campaigns';
const LINES_MAX = 200;

/** A campaign as the API returns it. */
export interface Campaign extends Servable {
  readonly id: string;
  readonly name: string;
  readonly currency: string;
  readonly daily_budget_amount_local_micro: number | null;
  readonly total_budget_amount_local_micro: number | null;
}

interface LineItem {
  readonly id: string;
  readonly name: string | null;
  readonly objective: string;
  readonly entity_status: string;
}

interface Instrument {
  readonly id: string;
  readonly description: string;
  readonly currency: string;
  readonly able_to_fund: boolean;
}

/** `/ads/:account_id/campaigns/new`: the first step of creating a campaign; saves it as a draft. */
export function newCampaignPage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/new`, ['GET', 'POST'], async (visit) => {
    if (!canChange(visit)) return deps.notFound();
    const { request, call, read } = visit;
    const instruments: readonly Instrument[] = await read('funding_instruments.list');
    if (instruments.length === 0) return withoutFunding(visit);
    if (request.method === 'GET') return showForm(visit, instruments, {}, new Map());
    const entered = readFields(newFields(instruments, undefined), request);
    const currency = chosenIn(instruments, entered)?.currency ?? 'USD';
    const problems = new Map<string, string>();
    const budgets = budgetsIn(entered, currency, problems);
    if (problems.size > 0) return showForm(visit, instruments, entered, problems);
    const reply = await call('campaigns.create', {
      name: entered.name,
      funding_instrument_id: entered.funding_instrument_id,
      entity_status: 'DRAFT',
      ...Object.fromEntries(Object.entries(budgets).filter(([, micros]) => micros !== '')),
    });
    if (!reply.isDone) return showForm(visit, instruments, entered, problemsOf(reply, NAMES));
    return redirectTo(visit, `${PATH}/${reply.reply.data.id}`);
  });
}

type Entered = Readonly<Record<string, string>>;

const BUDGETS = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'] as const;
const NAMES = ['name', 'funding_instrument_id', ...BUDGETS];

const budgetFields = (currency: string): EntityField[] => [
  {
    name: 'daily_budget_amount_local_micro',
    label: words.fields.daily_budget_amount_local_micro,
    hint: words.hints.daily(currency),
    kind: 'money',
  },
  {
    name: 'total_budget_amount_local_micro',
    label: words.fields.total_budget_amount_local_micro,
    hint: words.hints.total(currency),
    kind: 'money',
  },
];

function chosenIn(instruments: readonly Instrument[], entered: Entered): Instrument | undefined {
  return instruments.find(({ id }) => id === entered.funding_instrument_id);
}

/** @param chosen the funding instrument whose currency applies; undefined while none is chosen */
function newFields(instruments: readonly Instrument[], chosen: Instrument | undefined): EntityField[] {
  const currencies = new Set((chosen ? [chosen] : instruments).map(({ currency }) => currency));
  return [
    { name: 'name', label: words.fields.name, kind: 'text', isRequired: true },
    {
      name: 'funding_instrument_id',
      label: words.fields.funding_instrument_id,
      kind: 'choice',
      options: instruments.map(({ id, description, currency }) => [id, `${description} (${currency})`]),
    },
    ...budgetFields(new Intl.ListFormat(dateLocale(), { type: 'disjunction' }).format(currencies)),
  ];
}

function budgetsIn(entered: Entered, currency: string, problems: Map<string, string>): Record<string, string> {
  const message = words.amountProblem(currency);
  return Object.fromEntries(BUDGETS.map((name) => [name, parseAmount(entered, name, currency, problems, message)]));
}

function showForm(
  visit: AccountVisit,
  instruments: readonly Instrument[],
  entered: Entered,
  problems: Problems,
): PageResponse {
  return consolePage(visit, {
    problems,
    title: words.new,
    trail: [[`/ads/${visit.account.id}${PATH}`, texts.campaigns.title]],
    content: html`${draftSteps({ links: {}, done: [], current: 'campaign' })}${problemSummary(problems)}<div class="card"><p class="soft">${words.newAbout}</p>
${postForm(visit.request, 'create', entityFields(newFields(instruments, chosenIn(instruments, entered)), entered, problems), words.create)}</div>`,
  });
}

/** A campaign needs a funding instrument; in the sandbox, users create one here. */
async function withoutFunding(visit: AccountVisit): Promise<PageResponse> {
  const { request, call, account } = visit;
  const isSandbox = account.environment === 'sandbox';
  if (request.method === 'POST' && isSandbox) {
    const reply = await call('funding_instruments.create', {
      type: 'CREDIT_CARD',
      currency: 'USD',
      start_time: visit.now,
    });
    if (reply.isDone) return redirectTo(visit, `${PATH}/new`);
  }
  return consolePage(visit, {
    title: words.noFunding,
    trail: [[`/ads/${account.id}${PATH}`, texts.campaigns.title]],
    content: html`<div class="empty"><p>${words.noFundingAbout}</p>
${isSandbox ? html`<p>${words.noFundingSandbox}</p>${postForm(request, 'fund', html``, words.addFunding)}` : ''}</div>`,
  });
}

/** `/ads/:account_id/campaigns/:campaign_id`: a campaign and its line items. */
export function campaignPage(deps: ConsoleDeps): Page {
  return accountPage(deps, `${PATH}/:campaign_id`, ['GET', 'POST'], async (visit) => {
    const { request, call, find } = visit;
    const campaign_id = request.pathParams.campaign_id!;
    const campaign = await find<Campaign>('campaigns.get', { campaign_id });
    if (!campaign) return deps.notFound();
    const act = request.method === 'POST' ? request.parameter('act') : undefined;
    const page = { visit, deps, campaign };
    if (act === 'save') return save(page);
    const isStatus = act === 'ACTIVE' || act === 'PAUSED';
    if (!isStatus && act !== 'remove') return show(page);
    const reply = isStatus
      ? await call('campaigns.update', { campaign_id, entity_status: act })
      : await call('campaigns.remove', { campaign_id });
    if (!reply.isDone) return show(page, problemsOf(reply, []));
    return redirectTo(visit, isStatus ? `${PATH}/${campaign_id}` : PATH);
  });
}

const editFields = ({ currency }: Campaign): EntityField[] => [
  { name: 'name', label: words.fields.name, kind: 'text', isRequired: true },
  ...budgetFields(currency),
];

function storedValues(campaign: Campaign): Record<string, string> {
  return {
    name: campaign.name,
    ...Object.fromEntries(BUDGETS.map((name) => [name, amountText(campaign[name], campaign.currency)])),
  };
}

/** A request for the page of a campaign. */
interface CampaignPage {
  readonly visit: AccountVisit;
  readonly deps: ConsoleDeps;
  readonly campaign: Campaign;
}

async function save(page: CampaignPage): Promise<PageResponse> {
  const { visit, campaign } = page;
  const { request, call } = visit;
  const entered = readFields(editFields(campaign), request);
  const problems = new Map<string, string>();
  const budgets = budgetsIn(entered, campaign.currency, problems);
  if (problems.size > 0) return show(page, problems, entered);
  const edit = compareEdits(request, entered, storedValues(campaign));
  if (edit.conflicts.size > 0) return show(page, conflictProblems(edit), entered);
  const parameters = Object.entries({ name: entered.name!, ...budgets }).filter(([name]) => edit.changed.has(name));
  if (parameters.length === 0) return redirectTo(visit, `${PATH}/${campaign.id}`);
  const reply = await call('campaigns.update', { campaign_id: campaign.id, ...Object.fromEntries(parameters) });
  if (!reply.isDone) return show(page, problemsOf(reply, NAMES), entered);
  return redirectTo(visit, `${PATH}/${campaign.id}?saved=1#edit`);
}

async function show(
  { visit, deps, campaign }: CampaignPage,
  problems: Problems = new Map(),
  entered: Readonly<Record<string, string>> = storedValues(campaign),
): Promise<PageResponse> {
  const { request, account, read, now } = visit;
  const parameters = { campaign_ids: campaign.id, with_draft: true, count: LINES_MAX };
  const lines: readonly LineItem[] = await read('line_items.list', parameters);
  const ids = lines.map(({ id }) => id);
  const { line_items, campaigns } = await deps.readStandings(account, now, ids);
  const mayChange = canChange(visit);
  const facts = html`<dl class="facts"><dt>${words.state}</dt><dd>${stateMark(withDeliveryStatus('campaigns', campaign, campaigns))}</dd><dt>${words.spent}</dt><dd>${budgetText(campaign)}</dd></dl>`;
  const isDraft = campaign.entity_status === 'DRAFT';
  const content = html`${isDraft && mayChange ? draftProgress(account.id, campaign.id, 'campaign') : ''}${problemSummary(problems)}
<section class="card">${facts}${mayChange ? (isDraft ? reviewLink(visit, campaign.id) : statusButton(visit, campaign)) : ''}</section>
<section class="card"><div class="heading"><h2>${words.lineItems}</h2>${mayChange ? html`<a class="button" href="/ads/${account.id}/line_items/new?campaign_id=${campaign.id}">${words.addLine}</a>` : ''}</div>
${lines.length === 0 ? html`<p class="soft">${words.noLines}</p>` : linesTable(visit, lines, line_items)}${truncationNote(lines, LINES_MAX)}</section>
${
  mayChange
    ? html`<section class="card" id="edit"><h2>${words.edit}</h2>${savedNotice(request, 'saved', words.saved)}${editForm(request, { fields: editFields(campaign), stored: storedValues(campaign), entered, problems })}</section>
<details class="card"><summary>${words.remove}</summary><p>${words.removeAbout}</p>${removeForm(request)}</details>`
    : ''
}
${await historySection(visit, 'CAMPAIGN', campaign.id, campaign.currency)}`;
  return consolePage(visit, {
    problems,
    title: campaign.name,
    actions: html`<a class="button" href="/ads/${account.id}/results?campaign_id=${campaign.id}">${texts.results.results}</a>`,
    trail: [[`/ads/${account.id}${PATH}`, texts.campaigns.title]],
    content,
  });
}

/** The note that only the first `max` rows are listed; '' if all are. */
export function truncationNote(rows: readonly unknown[], max: number): Html | string {
  return rows.length < max ? '' : html`<p class="soft">${words.onlyFirst(max)}</p>`;
}

/** The link to the review page, where a draft goes live. */
export function reviewLink({ account }: AccountVisit, campaign: string): Html {
  return html`<p><a class="main" href="/ads/${account.id}/campaigns/${campaign}/review">${words.review}</a></p>`;
}

/** The Activate or Pause button; '' for drafts. */
export function statusButton({ request }: AccountVisit, row: Pick<Servable, 'entity_status'>): Html | string {
  const found = switchOf(row, words);
  if (!found) return '';
  const { status, label } = found;
  const members = { ...request.formFields, act: status };
  return html`<form method="post">${hiddenFields(members)}<button type="submit"${status === 'ACTIVE' ? html` class="main"` : ''}>${label}</button></form>`;
}

/** The budgets of a campaign or line item as display text. */
export function budgetText(
  row: Pick<Campaign, 'currency' | (typeof BUDGETS)[number]>,
  none: string = texts.campaigns.noBudget,
): string {
  const parts = BUDGETS.flatMap((name) => {
    const micros = row[name];
    return micros === null ? [] : [words.budgets[name](moneyText(micros, row.currency))];
  });
  return parts.join(', ') || none;
}

function linesTable({ account }: AccountVisit, lines: readonly LineItem[], standings: DeliveryStatuses): Html {
  const rows = lines.map((line) => {
    const { id, name, objective } = line;
    return html`<tr><th scope="row"><a href="/ads/${account.id}/line_items/${id}">${name ?? id}</a></th><td>${words.objectives[objective] ?? objective}</td><td class="prose">${stateMark(withDeliveryStatus('line_items', line, standings))}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">${words.fields.name}</th><th scope="col">${words.fields.objective}</th><th scope="col">${words.fields.entity_status}</th></tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div>`;
}
