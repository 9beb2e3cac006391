import { type Html, html, joinHtml } from '../../base/html.ts';
import type { ReportScope } from '../../contract/delivery/report.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import { summed } from '../account-report.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { countryNamed } from './countries.ts';
import type { Problems } from './form-problems.ts';
import { resultTable } from './result-tables.ts';

const words = texts.breakdown;
/** What divides the people of a country. */
const OF_COUNTRIES: readonly string[] = ['REGIONS', 'METROS'];

/** What a page divides its results by; undefined when it does not. What was entered wrong is a problem at its field. */
export async function divisionOf(
  visit: AccountVisit,
  problems: Map<string, string>,
): Promise<{ readonly segmentation: string; readonly country: string | undefined } | undefined> {
  const segmentation = visit.request.parameter('segmentation_type') ?? '';
  if (!Object.hasOwn(words.segmentations, segmentation)) return undefined;
  if (!OF_COUNTRIES.includes(segmentation)) return { segmentation, country: undefined };
  const country = await countryNamed(visit, visit.request.parameter('country')?.trim() ?? '');
  if (country !== undefined) return { segmentation, country };
  problems.set('country', words.noCountry);
  return undefined;
}

/** The numbers of some days by segment, a table for each currency. */
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
    const sum = { name: texts.results.total, of: summed(own.map(({ numbers }) => numbers)) };
    return html`${currencies.length > 1 ? html`<h3>${texts.results.inCurrency(currency)}</h3>` : ''}
${resultTable(by, [...rows, sum], currency)}`;
  });
  const none = html`<p class="soft">${texts.results.none}</p>`;
  return html`<section id="breakdown"><h2>${words.resultsBy(by)}</h2>
${tables.length === 0 ? none : joinHtml(tables, '\n')}</section>`;
}

/** The form that asks for segments. */
export function breakdownForm(
  { request }: AccountVisit,
  asked: Readonly<Record<string, string>>,
  problems: Problems,
): Html {
  const typed = request.parameter('country') ?? '';
  return html`<details class="card"${problems.has('country') ? html` open` : ''}><summary>${words.title}</summary><p class="soft">${words.about}</p>
<form method="get" action="#breakdown">${hiddenFields(asked)}
${selectField('segmentation_type', words.by, Object.entries(words.segmentations), request.parameter('segmentation_type'))}
${formField({ member: 'country', label: words.country, hint: words.countryHint, attributes: html`maxlength="100" autocomplete="off"` }, typed, problems.get('country'))}
<div class="buttons"><button type="submit">${words.start}</button></div></form></details>`;
}
