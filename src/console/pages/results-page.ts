import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import { addDays, localDateAt, startOfDay } from '../../base/zones.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import type { CurrencyReport, DailyNumbers, ReportLevel, ReportRow } from '../../contract/delivery/report.ts';
import { totalOf } from '../../contract/delivery/report.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps, ExplainedHour } from '../console-deps.ts';
import { daysBefore, daysBetween, daysOfPreset, isDay, PRESETS, type Preset, RANGE_DAYS_MAX } from '../days.ts';
import { withDeliveryStatus } from '../lists/cell-text.ts';
import { breakdownForm, breakdownResults, readSegmentation } from '../parts/breakdown.ts';
import { consolePage, csvFile } from '../parts/console-document.ts';
import { createInputs, textIn } from '../parts/entity-form.ts';
import { problemSummary } from '../parts/form-problems.ts';
import { pacingSection, whySection } from '../parts/pacing.ts';
import { asOf, dailyCharts, requireReader, resultCards, resultTable } from '../parts/result-tables.ts';
import type { Campaign } from './campaign-pages.ts';
import type { LineItem } from './line-item-pages.ts';

const words = texts.results;
const DEFAULT: Preset = 'last_14';
/** Maximum number of rows in a table; totals and CSV include all. */
const ROWS_MAX = 100;
const LEVELS = ['campaigns', 'line_items', 'ads'] as const satisfies readonly ReportLevel[];
/** Maximum length of an ad's name. */
const NAME_MAX = 40;
const HOUR_MS = 3_600_000;

/** The whole account, or one campaign or line item. */
interface Scope {
  readonly campaign_id: string | undefined;
  readonly line_item_id: string | undefined;
  readonly name: string;
  /** The currency of the campaign or line item. */
  readonly currency: string;
  readonly daily_budget_local_micro: number | null;
  /** The campaign, if the scope is one. */
  readonly campaign?: Campaign;
}

/** The query parameters of the page. */
interface Question {
  readonly level: ReportLevel;
  readonly range: string;
  readonly from: string;
  readonly to: string;
  readonly isCompared: boolean;
}

/** `/ads/:account_id/results`: delivery in a date range by campaign, line item or ad, as tables and CSV. */
export function resultsPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/results', ['GET'], async (visit) => {
    requireReader(visit);
    const scope = await scopeOf(visit);
    if (!scope) return deps.notFound();
    const question = questionOf(visit, scope);
    const problems = new Map<string, string>();
    const days = daysOf(visit, question, problems);
    if (!days) return show(visit, scope, question, { problems });
    const { account } = visit;
    const wanted = { ...withinOf(scope), level: question.level };
    if (visit.request.parameter('format') === 'csv') {
      return csvOf(visit, days, await deps.readReport(account, { ...wanted, days, isByDay: true }));
    }
    const found = await deps.readReport(account, { ...wanted, days, rows_max: ROWS_MAX });
    const before = question.isCompared
      ? await deps.readReport(account, { ...withinOf(scope), days: daysBefore(days), ...lastHoursOf(visit, days) })
      : undefined;
    const division = await readSegmentation(visit, problems);
    const { line_item_id } = scope;
    const explained = line_item_id ? await deps.explainLastHour(account, line_item_id, visit.now) : undefined;
    return show(visit, scope, question, {
      problems,
      content: html`${resultsOf(visit, question, { days, found, before })}
${division ? await breakdownResults(visit, deps, { ...withinOf(scope), ...division, days }) : ''}
${found.length === 0 ? '' : breakdownForm(visit, addressOf(scope, question), problems)}
${await pacingOf(visit, deps, scope, explained)}
${whySection(visit, explained, scope.currency)}
${asOf(visit, deps)}`,
    });
  });
}

/** Today is compared with the same hours of the earlier day. */
function lastHoursOf({ now, account }: AccountVisit, days: readonly string[]): { readonly lastHours?: number } {
  const now_ms = Date.parse(now);
  const today = localDateAt(now_ms, account.timezone);
  if (days.at(-1) !== today) return {};
  return { lastHours: (now_ms - Date.parse(startOfDay(today, account.timezone))) / HOUR_MS };
}

async function scopeOf({ request, find, account }: AccountVisit): Promise<Scope | undefined> {
  const line_item_id = request.parameter('line_item_id') || undefined;
  const campaign_id = request.parameter('campaign_id') || undefined;
  if (line_item_id !== undefined) {
    const line = await find<LineItem>('line_items.get', { line_item_id, with_deleted: true });
    if (!line) return undefined;
    const { name, currency, campaign_id: above, daily_budget_amount_local_micro: daily_budget_local_micro } = line;
    return { line_item_id, campaign_id: above, name: name ?? line_item_id, currency, daily_budget_local_micro };
  }
  if (campaign_id !== undefined) {
    const campaign = await find<Campaign>('campaigns.get', { campaign_id, with_deleted: true });
    if (!campaign) return undefined;
    const { name, currency, daily_budget_amount_local_micro: daily_budget_local_micro } = campaign;
    return { campaign_id, line_item_id: undefined, name, currency, daily_budget_local_micro, campaign };
  }
  return { campaign_id, line_item_id, name: account.name, currency: '', daily_budget_local_micro: null };
}

/** The filter parameter of the scope; none for the whole account. */
function withinOf({ campaign_id, line_item_id }: Scope): Record<string, string> {
  return line_item_id ? { line_item_id } : campaign_id ? { campaign_id } : {};
}

/** The query parameters for links and forms. */
function addressOf(scope: Scope, { level, range, from, to }: Question): Record<string, string> {
  return { ...withinOf(scope), level, range, from, to };
}

/** Reads the reasons why a campaign or line item shows no ads. */
async function reasonsOf(
  { account, now }: AccountVisit,
  { readStandings }: ConsoleDeps,
  { line_item_id, campaign }: Scope,
): Promise<readonly string[]> {
  const { line_items, campaigns } = await readStandings(account, now, line_item_id ? [line_item_id] : undefined);
  const standing = line_item_id
    ? line_items[line_item_id]
    : campaign && withDeliveryStatus('campaigns', campaign, campaigns);
  return standing?.reasons_not_servable ?? [];
}

async function pacingOf(
  visit: AccountVisit,
  deps: ConsoleDeps,
  scope: Scope,
  explained: ExplainedHour | undefined,
): Promise<Html | string> {
  const { daily_budget_local_micro, currency } = scope;
  if (daily_budget_local_micro === null) return '';
  const reason = explained?.chain.reason_for_nothing;
  const why = {
    reasons: await reasonsOf(visit, deps, scope),
    lastReason: typeof reason === 'string' ? reason : undefined,
  };
  return pacingSection(visit, deps, { ...withinOf(scope), daily_budget_local_micro, currency, ...why });
}

function questionOf({ request }: AccountVisit, { campaign_id, line_item_id }: Scope): Question {
  const level = (request.parameter('level') ?? '') as ReportLevel;
  const usual = line_item_id ? 'ads' : campaign_id ? 'line_items' : 'campaigns';
  return {
    level: levelsOf({ line_item_id }).includes(level) ? level : usual,
    range: request.parameter('range') ?? DEFAULT,
    from: textIn(request, 'from'),
    to: textIn(request, 'to'),
    isCompared: request.parameter('compare') === 'yes',
  };
}

/** Report levels within a scope. */
function levelsOf({ line_item_id }: Pick<Scope, 'line_item_id'>): readonly ReportLevel[] {
  return line_item_id ? ['line_items', 'ads'] : LEVELS;
}

/** The days of the date range; undefined, with problems at the fields, if it is invalid. */
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
  else if (to > addDays(from, RANGE_DAYS_MAX - 1)) problems.set('to', words.tooLong(RANGE_DAYS_MAX));
  return problems.size > 0 ? undefined : daysBetween(from, to);
}

/** Truncates a name. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= NAME_MAX ? text : `${characters.slice(0, NAME_MAX - 1).join('')}…`;
}

/** The name of a row, linked to its page; ads have none. */
function nameOf({ account }: AccountVisit, level: ReportLevel, { id, name, shown_id }: ReportRow): Html | string {
  if (level === 'ads') return name === null ? words.ad(shown_id ?? id) : shortened(name);
  return html`<a href="/ads/${account.id}/${level}/${id}">${name ?? id}</a>`;
}

interface Results {
  readonly days: readonly string[];
  readonly found: readonly CurrencyReport[];
  readonly before: readonly CurrencyReport[] | undefined;
}

/** The results by currency; amounts in different currencies are never added. */
function resultsOf(visit: AccountVisit, { level }: Question, { days, found, before }: Results): Html {
  const nothing: DailyNumbers = { spend: [], impressions: [], engagements: [], clicks: [], views: [] };
  const isNothing = found.length === 0 && (before?.length ?? 0) === 0;
  if (isNothing) return html`<div class="empty"><p>${words.none}</p></div>`;
  const reports = found.length > 0 ? found : before!.map((each) => ({ ...each, totals: nothing, rowCount: 0 }));
  const sections = reports.map(({ currency, totals: all, rows, rowCount }) => {
    const named = rows.map((row) => ({ name: nameOf(visit, level, row), of: row.numbers }));
    const then = before && (before.find((each) => each.currency === currency)?.totals ?? nothing);
    const byDay = days.map((name, at) => ({ name, of: all, at }));
    return html`${reports.length > 1 ? html`<h2>${words.inCurrency(currency)}</h2>` : ''}
${resultCards(all, currency, then)}
${days.length > 1 && rowCount > 0 ? dailyCharts(days, all, currency) : ''}
<h2>${words.levels[level]}</h2>
${resultTable(words.one[level], [...named, { name: words.total, of: all }], currency)}${rowCount > rows.length ? html`<p class="soft">${words.onlyFirst(rows.length, numberText(rowCount))}</p>` : ''}
<h2>${words.byDay}</h2>
${resultTable(words.day, [...(rowCount > 0 ? byDay : []), { name: words.sum, of: all }], currency)}`;
  });
  return joinHtml(sections, '\n');
}

function show(
  visit: AccountVisit,
  scope: Scope,
  question: Question,
  { problems, content = html`` }: { readonly problems: ReadonlyMap<string, string>; readonly content?: Html },
): PageResponse {
  const { campaign_id, line_item_id, name } = scope;
  const { level, range, isCompared } = question;
  const csv = new URLSearchParams({ ...addressOf(scope, question), format: 'csv' });
  const link = line_item_id ? `line_items/${line_item_id}` : `campaigns/${campaign_id}`;
  const input = createInputs((name) => question[name as 'from' | 'to'], problems);
  const form = html`<form class="filters" method="get">${hiddenFields(withinOf(scope))}
${selectField(
  'level',
  words.level,
  levelsOf(scope).map((each) => [each, words.levels[each]] as const),
  level,
)}
${selectField('range', words.range, Object.entries(words.presets), range)}
${input('from', words.from, noHtml, { type: 'date' })}
${input('to', words.to, noHtml, { type: 'date' })}
${selectField('compare', words.compare, Object.entries(words.compares), isCompared ? 'yes' : 'no')}
<button type="submit">${words.show}</button>
<a class="button" href="?${csv.toString()}">${words.csv}</a></form>`;
  const isWhole = campaign_id === undefined;
  return consolePage(visit, {
    problems,
    title: isWhole ? words.results : words.resultsOf(name),
    ...(!isWhole && { trail: [[`/ads/${visit.account.id}/${link}`, name]] }),
    content: html`${problemSummary(problems)}${form}
${content}`,
  });
}

/** The delivery of each row on each day as CSV; days without delivery are left out. */
function csvOf({ account }: AccountVisit, days: readonly string[], found: readonly CurrencyReport[]): PageResponse {
  const metrics = [words.spend, words.impressions, words.engagements, words.clicks, words.views];
  const rows = found.flatMap(({ currency, rows: own }) =>
    own.flatMap(({ id, name, shown_id, numbers: { spend, impressions, engagements, clicks, views } }) =>
      days.flatMap((day, at) => {
        const counts = [impressions, engagements, clicks, views].map((list) => list[at]!);
        if (spend[at] === 0 && totalOf(counts) === 0) return [];
        return [[day, id, name ?? shown_id ?? '', currency, spend[at]! / 1e6, ...counts]];
      }),
    ),
  );
  const name = `results-${account.id}-${days[0]}-${days.at(-1)}`;
  return csvFile(words.results, name, [[words.day, words.id, words.name, words.currency, ...metrics], ...rows]);
}
