import { type Html, html } from '../../base/html.ts';
import { formatInstant } from '../../base/instants.ts';
import { plusDays, startOfDay } from '../../base/zones.ts';
import type { PageCallReply } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { bodyOf } from '../refused-call.ts';
import { addMetrics, type DailyNumbers, type StatisticsEntity, summed, totalOf } from '../statistics.ts';
import { countryNamed } from './countries.ts';
import type { Problems } from './form-problems.ts';
import { resultTable } from './result-tables.ts';

const words = texts.breakdown;
/** One job answers about so many entities. */
const ENTITIES_MAX = 20;
/** What divides the people of a country. */
const OF_COUNTRIES: readonly string[] = ['REGIONS', 'METROS'];

/** What is to be divided. */
export interface Division {
  readonly entity: StatisticsEntity;
  readonly ids: readonly string[];
  readonly days: readonly string[];
}

/** Asks for numbers by segment; the reply has the job. What was entered wrong is a problem at its field. */
export async function startBreakdown(
  visit: AccountVisit,
  { entity, ids, days }: Division,
  problems: Map<string, string>,
): Promise<PageCallReply | undefined> {
  const { account, request, call } = visit;
  const segmentation_type = request.parameter('segmentation_type') ?? '';
  let country: string | undefined;
  if (OF_COUNTRIES.includes(segmentation_type)) {
    country = await countryNamed(visit, request.parameter('country')?.trim() ?? '');
    if (country === undefined) problems.set('country', words.noCountry);
  }
  if (problems.size > 0) return undefined;
  const bound = (day: string): string => formatInstant(Date.parse(startOfDay(day, account.timezone)));
  return call('stats_jobs.create', {
    parameters: {
      ...{ entity, entity_ids: ids.slice(0, ENTITIES_MAX).join(','), granularity: 'TOTAL', segmentation_type, country },
      ...{ start_time: bound(days[0]!), end_time: bound(plusDays(days.at(-1)!, 1)), placement: 'ALL_ON_SERVICE' },
      metric_groups: 'ENGAGEMENT,BILLING,VIDEO',
    },
  });
}

interface Job {
  readonly status: 'PROCESSING' | 'SUCCESS' | 'FAILED' | 'CANCELLED';
  readonly url: string | null;
  readonly segmentation_type: string;
}

interface StatsFile {
  readonly data: readonly {
    readonly id_data: readonly {
      readonly segment: { readonly segment_name: string } | null;
      readonly metrics: Readonly<Record<string, number[] | null>>;
    }[];
  }[];
}

/** The numbers of a job by segment, or how far it is. */
export async function breakdownResults(
  { call, request }: AccountVisit,
  { readStatsFile }: Pick<ConsoleDeps, 'readStatsFile'>,
  currency: string,
): Promise<Html | string> {
  const id = request.parameter('job') ?? '';
  if (!/^\d{16}$/.test(id)) return '';
  const [job]: readonly Job[] = bodyOf(await call('stats_jobs.list', { parameters: { job_ids: id } })).data;
  const card = (content: Html): Html => html`<section class="card" id="breakdown">${content}</section>`;
  if (!job) return card(html`<p>${words.gone}</p>`);
  const title = words.resultsBy(words.segmentations[job.segmentation_type] ?? job.segmentation_type);
  if (job.status === 'PROCESSING') {
    const query = new URLSearchParams(request.query).toString();
    return card(
      html`<h2>${title}</h2><p role="status">${words.waiting} <a href="?${query}">${words.lookAgain}</a></p>`,
    );
  }
  if (job.status !== 'SUCCESS') return card(html`<p>${words.failed}</p>`);
  const file = job.url === null ? undefined : ((await readStatsFile(job.url)) as StatsFile | undefined);
  if (!file) return card(html`<p>${words.gone}</p>`);
  const bySegment = new Map<string, DailyNumbers>();
  for (const { segment, metrics } of file.data.flatMap(({ id_data }) => id_data)) {
    const name = segment?.segment_name ?? words.unknown;
    const numbers = bySegment.get(name) ?? summed([], 1);
    addMetrics(numbers, metrics, 0);
    bySegment.set(name, numbers);
  }
  const rows = [...bySegment]
    .map(([name, of]) => ({ name, of }))
    .sort((one, other) => totalOf(other.of.spend) - totalOf(one.of.spend));
  if (rows.length === 0) return card(html`<h2>${title}</h2><p class="soft">${texts.results.none}</p>`);
  const sum = { name: texts.results.total, of: summed(bySegment.values(), 1) };
  return html`<h2 id="breakdown">${title}</h2>
${resultTable(words.segmentations[job.segmentation_type] ?? words.by, [...rows, sum], currency)}`;
}

/** The form that asks for segments of so many entities. */
export function breakdownForm(
  { request }: AccountVisit,
  count: number,
  asked: Readonly<Record<string, string>>,
  problems: Problems,
): Html {
  const typed = request.method === 'POST' ? (request.parameter('country') ?? '') : '';
  return html`<details class="card"${problems.has('country') ? html` open` : ''}><summary>${words.title}</summary><p class="soft">${words.about}${count > ENTITIES_MAX ? ` ${words.only(ENTITIES_MAX)}` : ''}</p>
<form method="post">${hiddenFields({ ...asked, authenticity_token: request.csrfToken })}
${selectField('segmentation_type', words.by, Object.entries(words.segmentations), request.parameter('segmentation_type'))}
${formField({ member: 'country', label: words.country, hint: words.countryHint, attributes: html`maxlength="100" autocomplete="off"` }, typed, problems.get('country'))}
<div class="buttons"><button type="submit">${words.start}</button></div></form></details>`;
}
