import { type Html, html } from '../../base/html.ts';
import { plusDays } from '../../base/zones.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { csvText } from '../csv.ts';
import { timeText } from '../days.ts';
import { breakdownForm, breakdownResults, startBreakdown } from '../parts/breakdown.ts';
import { consolePage, redirectTo } from '../parts/console-document.ts';
import { problemSummary, whyRefused } from '../parts/form-problems.ts';
import { pacingSection } from '../parts/pacing.ts';
import { dailyCharts, resultCards, resultTable } from '../parts/result-tables.ts';
import { whySection } from '../parts/why-section.ts';
import { daysBefore, daysBetween, daysOfPreset, isDay, PRESETS, type Preset, RANGE_DAYS_MAX } from '../ranges.ts';
import { bodyOf, foundIn } from '../refused-call.ts';
import { type DailyNumbers, dailyNumbers, type StatisticsEntity, summed, totalOf } from '../statistics.ts';

const words = texts.results;
const DEFAULT: Preset = 'last_14';
/** Twenty of them are one call for each week. */
const ROWS_MAX = 40;
const LEVELS = ['campaigns', 'line_items', 'ads'] as const;
/** Characters of the name of an ad. */
const NAME_MAX = 40;
type Level = (typeof LEVELS)[number];
const ENTITIES: Readonly<Record<Level, StatisticsEntity>> = {
  campaigns: 'CAMPAIGN',
  line_items: 'LINE_ITEM',
  ads: 'PROMOTED_POST',
};

/** Something with results: a campaign, a line item, or an ad. */
interface Subject {
  readonly id: string;
  readonly name: string;
  /** Its page; undefined for ads, which have none. */
  readonly href: string | undefined;
}

/** What is looked at: all of an account, or one campaign or line item. */
interface Scope {
  readonly campaign_id: string | undefined;
  readonly line_item_id: string | undefined;
  readonly name: string;
  readonly currency: string;
  readonly daily_budget_local_micro: number | null;
}

/** What was asked for, as the address has it. */
interface Question {
  readonly level: Level;
  readonly range: string;
  readonly from: string;
  readonly to: string;
  readonly isCompared: boolean;
}

/** `/ads/:account_id/results`: what was delivered in some days, by campaign, line item or ad, and CSV of it. */
export function resultsPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/results', ['GET', 'POST'], async (visit) => {
    const scope = await scopeOf(visit);
    if (!scope) return deps.notFound();
    const question = questionOf(visit, scope);
    const problems = new Map<string, string>();
    const days = daysOf(visit, question, problems);
    if (!days) return shown(visit, scope, question, { problems });
    const { subjects, isCut } = await subjectsOf(visit, scope, question.level);
    const ids = subjects.map(({ id }) => id);
    const entity = ENTITIES[question.level];
    const numbers = await dailyNumbers(visit, entity, ids, days);
    const before = question.isCompared ? await dailyNumbers(visit, entity, ids, daysBefore(days)) : undefined;
    if (visit.request.method === 'POST') {
      const spendOf = (id: string): number => totalOf(numbers.get(id)!.spend);
      const busiest = ids.toSorted((one, other) => spendOf(other) - spendOf(one));
      const started = await startBreakdown(visit, { entity, ids: busiest, days }, problems);
      if (started?.isDone) return redirectTo(visit, jobPath(scope, question, started.reply.data.id_str));
      if (started) problems.set('', whyRefused(started));
    }
    const all = summed(numbers.values(), days.length);
    const results = { days, all, before: before && summed(before.values(), days.length), subjects, isCut };
    if (visit.request.parameter('format') === 'csv') return csvOf(visit, { ...results, found: numbers });
    return shown(visit, scope, question, {
      problems,
      content: html`${resultsOf(scope, question, { ...results, found: numbers })}
${await breakdownResults(visit, deps, scope.currency)}
${ids.length === 0 ? '' : breakdownForm(visit, ids.length, askedIn(scope, question), problems)}
${await pacingOf(visit, scope)}
${scope.line_item_id === undefined ? '' : await whySection(visit, deps, { line_item_id: scope.line_item_id, currency: scope.currency })}
<p class="soft">${words.asOf(timeText(visit.now, visit.account.timezone), visit.account.timezone)}${deps.isSimulated(visit.account.environment) ? ` ${words.simulated}` : ''}</p>`,
    });
  });
}

async function scopeOf({ request, call, account }: AccountVisit): Promise<Scope | undefined> {
  const line_item_id = request.parameter('line_item_id') || undefined;
  const campaign_id = request.parameter('campaign_id') || undefined;
  if (line_item_id !== undefined) {
    const line = foundIn(await call('line_items.get', { parameters: { line_item_id, with_deleted: true } }));
    if (!line) return undefined;
    const { name, currency, campaign_id: above, daily_budget_amount_local_micro: daily_budget_local_micro } = line;
    return { line_item_id, campaign_id: above, name: name ?? line_item_id, currency, daily_budget_local_micro };
  }
  if (campaign_id !== undefined) {
    const campaign = foundIn(await call('campaigns.get', { parameters: { campaign_id, with_deleted: true } }));
    if (!campaign) return undefined;
    const { name, currency, daily_budget_amount_local_micro: daily_budget_local_micro } = campaign;
    return { campaign_id, line_item_id: undefined, name, currency, daily_budget_local_micro };
  }
  const [first] = bodyOf(await call('campaigns.list', { parameters: { count: 1 } })).data;
  const currency: string = first?.currency ?? 'USD';
  return { campaign_id, line_item_id, name: account.name, currency, daily_budget_local_micro: null };
}

/** The parameter with what is looked at; none for all of an account. */
function withinOf({ campaign_id, line_item_id }: Scope): Record<string, string> {
  return line_item_id ? { line_item_id } : campaign_id ? { campaign_id } : {};
}

/** What the address of the page says, so that a form and what follows it say the same. */
function askedIn(scope: Scope, { level, range, from, to }: Question): Record<string, string> {
  return { ...withinOf(scope), level, range, from, to };
}

function jobPath(scope: Scope, question: Question, job: string): string {
  return `/results?${new URLSearchParams({ ...askedIn(scope, question), job }).toString()}#breakdown`;
}

function pacingOf(visit: AccountVisit, scope: Scope): Promise<Html | string> {
  const { line_item_id, campaign_id, daily_budget_local_micro, currency } = scope;
  const [entity, id] = line_item_id
    ? (['LINE_ITEM', line_item_id] as const)
    : (['CAMPAIGN', campaign_id ?? ''] as const);
  return pacingSection(visit, { entity, id, daily_budget_local_micro, currency });
}

function questionOf({ request }: AccountVisit, { campaign_id, line_item_id }: Scope): Question {
  const asked = (request.parameter('level') ?? '') as Level;
  const usual = line_item_id ? 'ads' : campaign_id ? 'line_items' : 'campaigns';
  return {
    level: levelsOf({ line_item_id }).includes(asked) ? asked : usual,
    range: request.parameter('range') ?? DEFAULT,
    from: request.parameter('from')?.trim() ?? '',
    to: request.parameter('to')?.trim() ?? '',
    isCompared: request.parameter('compare') === 'yes',
  };
}

/** What can be below something. */
function levelsOf({ line_item_id }: Pick<Scope, 'line_item_id'>): readonly Level[] {
  return line_item_id ? ['line_items', 'ads'] : LEVELS;
}

/** The days that were asked for; undefined, with problems at the fields, when there are none. */
function daysOf(
  { now, account }: AccountVisit,
  { range, from, to }: Question,
  problems: Map<string, string>,
): string[] | undefined {
  if (range !== 'own') {
    return daysOfPreset(PRESETS.includes(range as Preset) ? (range as Preset) : DEFAULT, now, account.timezone);
  }
  if (!isDay(from)) problems.set('from', texts.campaign.dayProblem(words.from));
  if (!isDay(to)) problems.set('to', texts.campaign.dayProblem(words.to));
  if (problems.size > 0) return undefined;
  if (to < from) problems.set('to', words.endsBefore);
  else if (to > plusDays(from, RANGE_DAYS_MAX - 1)) problems.set('to', words.tooLong(RANGE_DAYS_MAX));
  return problems.size > 0 ? undefined : daysBetween(from, to);
}

/** What there is at a level, deleted ones too: what they delivered stays. */
async function subjectsOf({ call, account }: AccountVisit, scope: Scope, level: Level) {
  const page = { count: ROWS_MAX, with_deleted: true };
  const cut = (reply: { readonly next_cursor: string | null }): boolean => reply.next_cursor !== null;
  const { campaign_id, line_item_id } = scope;
  if (level === 'campaigns') {
    const reply = bodyOf(await call('campaigns.list', { parameters: { ...page, campaign_ids: campaign_id } }));
    const rows: readonly { id: string; name: string }[] = reply.data;
    return { subjects: rows.map((row) => subjectOf(row, `/ads/${account.id}/campaigns/${row.id}`)), isCut: cut(reply) };
  }
  const within = line_item_id ? { line_item_ids: line_item_id } : { campaign_ids: campaign_id };
  const lines = bodyOf(await call('line_items.list', { parameters: { ...page, ...within } }));
  const rows: readonly { id: string; name: string | null }[] = lines.data;
  if (level === 'line_items') {
    const subjects = rows.map((row) => subjectOf(row, `/ads/${account.id}/line_items/${row.id}`));
    return { subjects, isCut: cut(lines) };
  }
  if (rows.length === 0) return { subjects: [], isCut: false };
  const line_item_ids = rows.map(({ id }) => id).join(',');
  const reply = bodyOf(await call('promoted_posts.list', { parameters: { ...page, line_item_ids } }));
  const ads: readonly { id: string; post_id: string }[] = reply.data;
  const parameters = { post_type: 'PUBLISHED', timeline_type: 'ALL', trim_user: true };
  const written: readonly { post_id: string; full_text: string }[] = bodyOf(
    await call('posts.list', { parameters }),
  ).data;
  const textOf = new Map(written.map(({ post_id, full_text }) => [String(post_id), full_text]));
  const subjects = ads.map(({ id, post_id }) => {
    const text = textOf.get(String(post_id));
    return subjectOf({ id, name: text === undefined ? words.post(String(post_id)) : shortened(text) });
  });
  return { subjects, isCut: cut(reply) || cut(lines) };
}

const subjectOf = ({ id, name }: { readonly id: string; readonly name: string | null }, href?: string): Subject => ({
  ...{ id, href },
  name: name ?? id,
});

/** The beginning of a text, by which people know it again. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= NAME_MAX ? text : `${characters.slice(0, NAME_MAX - 1).join('')}…`;
}

interface Results {
  readonly days: readonly string[];
  readonly all: DailyNumbers;
  readonly before: DailyNumbers | undefined;
  readonly subjects: readonly Subject[];
  readonly found: ReadonlyMap<string, DailyNumbers>;
  readonly isCut: boolean;
}

function resultsOf({ currency }: Scope, { level }: Question, of: Results): Html {
  const { days, all, before, subjects, found, isCut } = of;
  if (totalOf(all.impressions) === 0 && !before) return html`<div class="empty"><p>${words.none}</p></div>`;
  const active = subjects.filter(({ id }) => totalOf(found.get(id)!.impressions) > 0);
  active.sort((one, other) => totalOf(found.get(other.id)!.spend) - totalOf(found.get(one.id)!.spend));
  const rows = active.map(({ id, name, href }) => ({
    name: href === undefined ? name : html`<a href="${href}">${name}</a>`,
    of: found.get(id)!,
  }));
  return html`${resultCards(all, currency, before)}
${days.length > 1 ? dailyCharts(days, all, currency) : ''}
<h2>${words.levels[level]}</h2>
${resultTable(words.one[level], [...rows, { name: words.total, of: all }], currency)}${isCut ? html`<p class="soft">${texts.campaign.onlyFirst(ROWS_MAX)}</p>` : ''}
<h2>${words.byDay}</h2>
${resultTable(words.day, [...days.map((name, at) => ({ name, of: all, at })), { name: words.sum, of: all }], currency)}`;
}

function shown(
  visit: AccountVisit,
  scope: Scope,
  question: Question,
  { problems, content = html`` }: { readonly problems: ReadonlyMap<string, string>; readonly content?: Html },
): PageResponse {
  const { campaign_id, line_item_id, name } = scope;
  const { level, range, from, to, isCompared } = question;
  const csv = new URLSearchParams({ ...askedIn(scope, question), format: 'csv' });
  const link = line_item_id ? `line_items/${line_item_id}` : `campaigns/${campaign_id}`;
  const form = html`<form class="filters" method="get">${hiddenFields(withinOf(scope))}
${selectField(
  'level',
  words.level,
  levelsOf(scope).map((each) => [each, words.levels[each]] as const),
  level,
)}
${selectField('range', words.range, Object.entries(words.presets), range)}
${formField({ member: 'from', label: words.from, type: 'date', attributes: html`` }, from, problems.get('from'))}
${formField({ member: 'to', label: words.to, type: 'date', attributes: html`` }, to, problems.get('to'))}
${selectField('compare', words.compare, Object.entries(words.compares), isCompared ? 'yes' : 'no')}
<button type="submit">${words.show}</button>
<a class="button" href="?${csv.toString()}">${words.csv}</a></form>`;
  const isWhole = campaign_id === undefined;
  return consolePage(visit, {
    status: problems.size > 0 ? 400 : 200,
    title: isWhole ? words.results : words.resultsOf(name),
    ...(!isWhole && { trail: [[`/ads/${visit.account.id}/${link}`, name]] }),
    content: html`${problemSummary(problems)}${form}
${content}`,
  });
}

/** What each subject delivered on each day. */
function csvOf({ account }: AccountVisit, { days, subjects, found }: Results): PageResponse {
  const metrics = [words.spend, words.impressions, words.engagements, words.clicks, words.views];
  const rows = subjects.flatMap(({ id, name }) => {
    const { spend, impressions, engagements, clicks, views } = found.get(id)!;
    return days.map((day, at) => [
      ...[day, id, name, spend[at]! / 1e6],
      ...[impressions, engagements, clicks, views].map((list) => list[at]!),
    ]);
  });
  return {
    status: 200,
    html: { title: words.results, content: html`<h1>${words.results}</h1>` },
    file: {
      name: `results-${account.id}-${days[0]}-${days.at(-1)}.csv`,
      type: 'text/csv',
      text: csvText([[words.day, words.id, words.name, ...metrics], ...rows]),
    },
  };
}
