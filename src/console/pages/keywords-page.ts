import { type Html, html, joinHtml } from '../../base/html.ts';
import { formatInstant } from '../../base/instants.ts';
import { numberText } from '../../base/language.ts';
import { addDays, localDateAt, startOfDay } from '../../base/zones.ts';
import type { Page, PageResponse } from '../../contract/declare/pages.ts';
import { totalOf } from '../../contract/delivery/report.ts';
import { barChart } from '../../markup/bar-chart.ts';
import { selectField } from '../../markup/form-fields.ts';
import { tableOf } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import { type AccountVisit, accountPage } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { timeText } from '../days.ts';
import { countryNamed } from '../parts/breakdown.ts';
import { consolePage } from '../parts/console-document.ts';
import { createInputs, textIn } from '../parts/entity-form.ts';
import { type Problems, problemSummary, problemsOf } from '../parts/form-problems.ts';

const words = texts.keywords;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIELDS = ['keywords', 'negative_keywords', 'country'];

/** `/ads/:account_id/keywords`: the volume of posts about keywords, and related terms. */
export function keywordsPage(deps: ConsoleDeps): Page {
  return accountPage(deps, '/keywords', ['GET'], async (visit) => {
    const text = (name: string): string => textIn(visit.request, name);
    if (text('keywords') === '') return show(visit, new Map(), '');
    const problems = new Map<string, string>();
    const location = await countryNamed(visit, text('country'));
    if (text('country') !== '' && location === undefined) problems.set('country', words.noCountry);
    if (problems.size > 0) return show(visit, problems, '');
    const { start_ms, granularity } = rangeOf(visit, text('range'));
    const reply = await visit.lookUp('keyword_insights.search', {
      granularity,
      keywords: listIn(text('keywords')),
      location,
      ...(text('negative_keywords') !== '' && { negative_keywords: listIn(text('negative_keywords')) }),
      start_time: formatInstant(start_ms),
      end_time: visit.now,
    });
    if (!reply.isDone) return show(visit, problemsOf(reply, FIELDS), '');
    const { post_volume, related_keywords } = reply.reply.data;
    return show(
      visit,
      new Map(),
      resultsSection(visit, { volume: post_volume, related: related_keywords, start_ms, granularity }),
    );
  });
}

/** Converts keywords separated by commas or line breaks to the list format of the API. */
function listIn(text: string): string {
  return text
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .join(',');
}

interface Range {
  readonly start_ms: number;
  readonly granularity: 'DAY' | 'HOUR';
}

/** The last 24 hours, or the last seven days of the account including today. */
function rangeOf({ now, account }: AccountVisit, range: string): Range {
  const now_ms = Date.parse(now);
  if (range === 'day') return { start_ms: now_ms - (now_ms % HOUR_MS) - 23 * HOUR_MS, granularity: 'HOUR' };
  const first = addDays(localDateAt(now_ms, account.timezone), -6);
  return { start_ms: Date.parse(startOfDay(first, account.timezone)), granularity: 'DAY' };
}

interface Found extends Range {
  readonly volume: readonly number[];
  readonly related: readonly string[];
}

function resultsSection({ account, request }: AccountVisit, { volume, related, start_ms, granularity }: Found): Html {
  const step_ms = granularity === 'DAY' ? DAY_MS : HOUR_MS;
  const labels = volume.map((_, at) => {
    const text = timeText(formatInstant(start_ms + at * step_ms), account.timezone);
    return granularity === 'DAY' ? text.replace(/, .*/, '') : text;
  });
  const sum = totalOf(volume);
  const best = volume.indexOf(Math.max(...volume));
  const numbers =
    sum === 0
      ? html`<div class="empty"><p>${words.none}</p></div>`
      : html`<section class="card">${barChart({
          id: 'volume',
          title: words.chart(labels[0]!, labels.at(-1)!),
          about: words.chartText(numberText(sum), numberText(volume[best]!), labels[best]!),
          bars: volume.map((value, at) => ({ label: labels[at]!, value, text: numberText(value) })),
        })}</section>
${tableOf([words.when, { number: words.posts }], [...volume.map((count, at) => [labels[at]!, numberText(count)]), [words.sum, numberText(sum)]], '')}`;
  const range = request.parameter('range') ?? 'week';
  const links = related.map((word) => {
    const query = new URLSearchParams({ keywords: word, range }).toString();
    return html`<li><a href="?${query}" aria-label="${words.lookAt(word)}">${word}</a></li>`;
  });
  return html`${numbers}
<section class="card after"><h2>${words.related}</h2>${related.length === 0 ? html`<p class="soft">${words.noneRelated}</p>` : html`<ul class="words">${joinHtml(links, '\n')}</ul>`}</section>`;
}

function show(visit: AccountVisit, problems: Problems, content: Html | string): PageResponse {
  const { request } = visit;
  const text = (name: string): string => request.parameter(name) ?? '';
  const input = createInputs(text, problems);
  return consolePage(visit, {
    problems,
    title: words.title,
    content: html`<p class="soft">${words.about}</p>${problemSummary(problems)}
<form class="card" method="get">
${input('keywords', words.keywords, html`required maxlength="1000" autocomplete="off"`, { hint: words.keywordsHint })}
${input('negative_keywords', words.without, html`maxlength="1000" autocomplete="off"`, { hint: words.withoutHint })}
${input('country', words.country, html`maxlength="100" autocomplete="off"`, { hint: words.countryHint })}
${selectField('range', words.range, Object.entries(words.ranges).reverse(), text('range'))}
<div class="buttons"><button class="main" type="submit">${words.show}</button></div></form>
${content}`,
  });
}
