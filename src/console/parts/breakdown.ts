import { type Html, html, joinHtml } from '../../base/html.ts';
import type { ReportScope } from '../../contract/delivery/report.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { bodyOf } from '../refused-call.ts';
import { createInputs, textIn } from './entity-form.ts';
import type { Problems } from './form-problems.ts';
import { resultTable, sumByDay } from './result-tables.ts';

const words = texts.breakdown;
/** Segmentations that require a country. */
const OF_COUNTRIES: readonly string[] = ['REGIONS', 'METROS'];

/** Parses the segmentation of a page; undefined if none is chosen. Errors are added at their fields. */
export async function readSegmentation(
  visit: AccountVisit,
  problems: Map<string, string>,
): Promise<{ readonly segmentation: string; readonly country: string | undefined } | undefined> {
  const segmentation = visit.request.parameter('segmentation_type') ?? '';
  if (!Object.hasOwn(words.segmentations, segmentation)) return undefined;
  if (!OF_COUNTRIES.includes(segmentation)) return { segmentation, country: undefined };
  const country = await countryNamed(visit, textIn(visit.request, 'country'));
  if (country !== undefined) return { segmentation, country };
  problems.set('country', words.noCountry);
  return undefined;
}

/** Metrics by segment, one table per currency. */
export async function breakdownResults(
  { account }: AccountVisit,
  { readBreakdown }: Pick<ConsoleDeps, 'readBreakdown'>,
  of: ReportScope & {
    readonly days: readonly string[];
    readonly segmentation: string;
    readonly country: string | undefined;
  },
): Promise<Html> {
  const segments = await readBreakdown(account, of);
  const currencies = [...new Set(segments.map(({ currency }) => currency))];
  const by = words.segmentations[of.segmentation]!;
  const tables = currencies.map((currency) => {
    const own = segments.filter((each) => each.currency === currency);
    const rows = own.map(({ name, numbers }) => ({ name: name ?? words.unknown, of: numbers }));
    const sum = { name: texts.results.total, of: sumByDay(own.map(({ numbers }) => numbers)) };
    return html`${currencies.length > 1 ? html`<h3>${texts.results.inCurrency(currency)}</h3>` : ''}
${resultTable(by, [...rows, sum], currency)}`;
  });
  const none = html`<p class="soft">${texts.results.none}</p>`;
  return html`<section id="breakdown"><h2>${words.resultsBy(by)}</h2>
${tables.length === 0 ? none : joinHtml(tables, '\n')}</section>`;
}

/** The form that chooses a segmentation. */
export function breakdownForm(
  { request }: AccountVisit,
  parameters: Readonly<Record<string, string>>,
  problems: Problems,
): Html {
  const input = createInputs((name) => request.parameter(name) ?? '', problems);
  return html`<details class="card"${problems.has('country') ? html` open` : ''}><summary>${words.title}</summary><p class="soft">${words.about}</p>
<form method="get" action="#breakdown">${hiddenFields(parameters)}
${selectField('segmentation_type', words.by, Object.entries(words.segmentations), request.parameter('segmentation_type'))}
${input('country', words.country, html`maxlength="100" autocomplete="off"`, { hint: words.countryHint })}
<div class="buttons"><button type="submit">${words.start}</button></div></form></details>`;
}

/**
 * The targeting value of the country with this name, or of the first whose name starts with it; undefined if there is
 * none.
 */
export async function countryNamed({ lookUp }: AccountVisit, name: string): Promise<string | undefined> {
  if (name === '') return undefined;
  const parameters = { location_type: 'COUNTRIES', q: name, count: 50 };
  const rows: readonly { readonly name: string; readonly targeting_value: string }[] = bodyOf(
    await lookUp('locations.list', parameters),
  ).data;
  return (rows.find((each) => each.name.toLowerCase() === name.toLowerCase()) ?? rows[0])?.targeting_value;
}
