import { type Html, html, joinHtml } from '../../base/html.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import type { AccountVisit } from '../account-visit.ts';
import type { Problems } from '../parts/form-problems.ts';
import { texts } from '../texts/texts.ts';

const words = texts.campaign;

/** A targeting criterion, as the API replies with it. */
export interface Criterion {
  readonly id: string;
  readonly name: string;
  readonly targeting_type: string;
  readonly targeting_value: string;
  readonly operator_type: string;
}

/** The look-up of each kind of criterion whose values have names. */
const LOOKUPS: Readonly<Record<string, string>> = {
  LOCATION: 'locations.list',
  LANGUAGE: 'languages.list',
  INTEREST: 'interests.list',
  PLATFORM: 'platforms.list',
};
const GENDERS: Readonly<Record<string, string>> = { men: '1', male: '1', women: '2', female: '2' };

/** What the form adds: a criterion, or why nothing has this name. */
export async function criterionOf({
  request,
  account,
  call,
}: AccountVisit): Promise<
  { readonly targeting_type: string; readonly targeting_value: string } | { readonly problem: string }
> {
  const targeting_type = request.parameter('kind') ?? '';
  const typed = request.parameter('value')?.trim() ?? '';
  const lookup = LOOKUPS[targeting_type];
  if (targeting_type === 'GENDER') return { targeting_type, targeting_value: GENDERS[typed.toLowerCase()] ?? typed };
  if (targeting_type === 'AGE') return { targeting_type, targeting_value: ageOf(typed) };
  if (targeting_type === 'CUSTOM_AUDIENCE') {
    const { reply } = await call('custom_audiences.list', { parameters: { q: typed } });
    const found = reply.data?.[0];
    return found ? { targeting_type, targeting_value: found.id } : { problem: words.noMatch };
  }
  if (lookup === undefined) return { problem: words.noMatch };
  // Look-ups have no account in their path.
  const { reply } = await request.call(account.environment, lookup, { parameters: { q: typed, count: 50 } });
  const rows: readonly { name: string; targeting_value: string }[] = reply.data ?? [];
  const same = rows.find(({ name }) => name.toLowerCase() === typed.toLowerCase()) ?? rows[0];
  return same ? { targeting_type, targeting_value: same.targeting_value } : { problem: words.noMatch };
}

/** Ages as people write them: `18-34` or `50+`. */
function ageOf(typed: string): string {
  const [, from, to] = /^(\d\d)\s*(?:-|–|to)\s*(\d\d)$/.exec(typed) ?? [];
  if (from !== undefined) return `AGE_${from}_TO_${to}`;
  const [, least] = /^(\d\d)\s*\+$/.exec(typed) ?? [];
  return least === undefined ? typed : `AGE_OVER_${least}`;
}

/** Ages as people read them. */
function shownName(name: string): string {
  return name.replace(/^AGE_(\d+)_TO_(\d+)$/, '$1–$2').replace(/^AGE_OVER_(\d+)$/, '$1+');
}

/** Whom a line item means: its criteria in words, how many people that are, and a form for more. */
export async function criteriaSection(
  visit: AccountVisit,
  criteria: readonly Criterion[],
  mayChange: boolean,
  problems: Problems,
): Promise<Html> {
  const { request } = visit;
  const items = criteria.map(({ id, name, targeting_type, operator_type }) => {
    const text = `${words.kinds[targeting_type] ?? targeting_type}: ${shownName(name)}`;
    const take = mayChange
      ? html`<form method="post">${hiddenFields({ authenticity_token: request.csrfToken, act: 'take', criterion: id })}<button type="submit" aria-label="${words.take(text)}">${words.takeShort}</button></form>`
      : '';
    return html`<li><span>${operator_type === 'NE' ? html`<strong>not</strong> ` : ''}${text}</span>${take}</li>`;
  });
  const form = mayChange
    ? html`<form method="post">${hiddenFields({ authenticity_token: request.csrfToken, act: 'add' })}
${selectField('kind', words.criterionKind, Object.entries(words.kinds), request.parameter('kind'))}
${formField({ member: 'value', label: words.criterionValue, hint: words.criterionHint, attributes: html`required maxlength="100"` }, request.method === 'POST' ? (request.parameter('value') ?? '') : '', problems.get('value'))}
<div class="buttons"><button type="submit">${words.addCriterion}</button></div></form>`
    : '';
  return html`${items.length === 0 ? html`<p class="soft">${words.everybody}</p>` : html`<ul class="criteria">${joinHtml(items, '\n')}</ul>`}
${await estimateOf(visit, criteria)}${form}`;
}

async function estimateOf({ call }: AccountVisit, criteria: readonly Criterion[]): Promise<Html | string> {
  if (criteria.length === 0) return '';
  const body = criteria.map(({ targeting_type, targeting_value, operator_type }) => ({
    ...{ targeting_type, targeting_value, operator_type },
  }));
  const { isDone, reply } = await call('audience_estimate.create', { body });
  if (!isDone) return '';
  const { min, max } = reply.data.audience_size;
  const text = words.estimateText(min.toLocaleString('en'), max.toLocaleString('en'));
  return html`<p>${words.estimate}: <strong>${text}</strong></p>`;
}
