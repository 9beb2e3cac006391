import { type Html, html, joinHtml } from '../../base/html.ts';
import type { PageCallInput } from '../../contract/declare/pages.ts';
import { AUDIENCE_READERS } from '../../contract/declare/roles.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import { type Problems, whyRefused } from '../parts/form-problems.ts';
import { bodyOf } from '../refused-call.ts';

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
/** The kind of those who are kept from a line item. */
const EXCLUDED = 'NOT_CUSTOM_AUDIENCE';
/** The number of values with a name that people can choose from. */
const CHOICES_MAX = 50;
/** The number of audiences that one call names. */
const AUDIENCES_MAX = 200;

/** A value of a criterion, and its name. */
export interface Choice {
  readonly name: string;
  readonly targeting_value: string;
}

/** A criterion that the form adds, or why it adds none, with the values among which to choose. */
type FoundCriterion =
  | {
      readonly criterion: {
        readonly targeting_type: string;
        readonly targeting_value: string;
        readonly operator_type?: 'NE';
      };
    }
  | { readonly problem: string; readonly choices: readonly Choice[] };

/** What the form adds: the only value with this name, or the one that was chosen. */
export async function criterionOf(visit: AccountVisit): Promise<FoundCriterion> {
  const { request } = visit;
  const kind = request.parameter('kind') ?? '';
  const isOut = kind === EXCLUDED;
  const targeting_type = isOut ? 'CUSTOM_AUDIENCE' : kind;
  const typed = request.parameter('value')?.trim() ?? '';
  const chosen = request.parameter('choice') ?? '';
  const of = (targeting_value: string): FoundCriterion => ({
    criterion: { targeting_type, targeting_value, ...(isOut && { operator_type: 'NE' }) },
  });
  if (targeting_type === 'GENDER') return of(words.genders[typed.toLowerCase()] ?? typed);
  if (targeting_type === 'AGE') return of(ageOf(typed));
  // A choice was made among what had that name.
  if (chosen !== '' && request.parameter('chosen_among') === `${kind} ${typed}`) return of(chosen);
  const found = await named(visit, targeting_type, typed);
  const same = found.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  const [first, ...others] = same.length > 0 ? same : found;
  if (!first) return { problem: words.noMatch, choices: [] };
  return others.length === 0 ? of(first.targeting_value) : { problem: words.severalMatch, choices: [first, ...others] };
}

/** The audiences of the account, and those that others share with it, that fit. */
export async function audiencesWith<A extends { readonly id: string; readonly name: string }>(
  call: AccountVisit['call'],
  parameters: NonNullable<PageCallInput['parameters']>,
): Promise<readonly A[]> {
  const lists = await Promise.all(
    ['OWNER', 'SHARED'].map((permission_scope) =>
      call('custom_audiences.list', { parameters: { ...parameters, permission_scope } }),
    ),
  );
  return lists.flatMap((reply) => bodyOf(reply).data as A[]);
}

/** The values whose names begin with a text. */
async function named({ call, lookUp }: AccountVisit, kind: string, typed: string): Promise<readonly Choice[]> {
  if (kind === 'CUSTOM_AUDIENCE') {
    const rows = await audiencesWith(call, { q: typed, count: CHOICES_MAX });
    return rows.map(({ id, name }) => ({ name, targeting_value: id }));
  }
  const operation = LOOKUPS[kind];
  if (operation === undefined) return [];
  return bodyOf(await lookUp(operation, { parameters: { q: typed, count: CHOICES_MAX } })).data;
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

/** The names of audiences by their ids: a criterion itself says only that it is about one. */
async function audienceNames(
  { call, permissions }: AccountVisit,
  criteria: readonly Criterion[],
): Promise<ReadonlyMap<string, string>> {
  const ids = criteria.flatMap((each) => (each.targeting_type === 'CUSTOM_AUDIENCE' ? [each.targeting_value] : []));
  const mayRead = AUDIENCE_READERS.some((role) => permissions.includes(role));
  if (ids.length === 0 || !mayRead) return new Map();
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += AUDIENCES_MAX) {
    const custom_audience_ids = ids.slice(from, from + AUDIENCES_MAX).join(',');
    const rows = await audiencesWith(call, { custom_audience_ids, count: AUDIENCES_MAX });
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

/** Criteria in words: as text, and as they are shown. */
export async function criteriaTexts(
  visit: AccountVisit,
  criteria: readonly Criterion[],
): Promise<readonly { readonly id: string; readonly text: string; readonly shown: Html }[]> {
  const audiences = await audienceNames(visit, criteria);
  return criteria.map(({ id, name, targeting_type, targeting_value, operator_type }) => {
    const value = (targeting_type === 'CUSTOM_AUDIENCE' && audiences.get(targeting_value)) || shownName(name);
    const text = `${words.kinds[targeting_type] ?? targeting_type}: ${value}`;
    const not = operator_type === 'NE' ? html`<strong>${words.not}</strong> ` : '';
    return { id, text, shown: html`${not}${text}` };
  });
}

/** Whom a line item means: its criteria in words, how many people that are, and a form for more. */
export async function criteriaSection(
  visit: AccountVisit,
  criteria: readonly Criterion[],
  {
    mayChange,
    problems,
    choices,
  }: { readonly mayChange: boolean; readonly problems: Problems; readonly choices: readonly Choice[] },
): Promise<Html> {
  const { request } = visit;
  const items = (await criteriaTexts(visit, criteria)).map(({ id, text, shown }) => {
    const take = mayChange
      ? html`<form method="post">${hiddenFields({ ...request.formFields, act: 'take', criterion: id })}<button type="submit" aria-label="${words.take(text)}">${words.takeShort}</button></form>`
      : '';
    return html`<li><span>${shown}</span>${take}</li>`;
  });
  const form = mayChange
    ? html`<form method="post">${hiddenFields({ ...request.formFields, act: 'add' })}
${selectField('kind', words.criterionKind, Object.entries(words.kinds), request.parameter('kind'))}
${formField({ member: 'value', label: words.criterionValue, hint: words.criterionHint, attributes: html`required maxlength="100"` }, request.method === 'POST' ? (request.parameter('value') ?? '') : '', problems.get('value'))}${choiceField(visit, choices)}
<div class="buttons"><button type="submit">${words.addCriterion}</button></div></form>`
    : '';
  return html`${items.length === 0 ? html`<p class="soft">${words.everybody}</p>` : html`<ul class="criteria">${joinHtml(items, '\n')}</ul>`}
${await estimateOf(visit, criteria)}${form}`;
}

/** The values with the name that was entered, where several have it. */
function choiceField({ request }: AccountVisit, choices: readonly Choice[]): Html | string {
  if (choices.length === 0) return '';
  const among = `${request.parameter('kind')} ${request.parameter('value')?.trim()}`;
  const options = choices.map(({ name, targeting_value }) => [targeting_value, name] as const);
  return html`${hiddenFields({ chosen_among: among })}${selectField('choice', words.choice, options)}`;
}

/** About how many people criteria mean, or why that cannot be said; '' without any. */
export async function estimateOf({ call }: AccountVisit, criteria: readonly Criterion[]): Promise<Html | string> {
  if (criteria.length === 0) return '';
  const body = criteria.map(({ targeting_type, targeting_value, operator_type }) => ({
    ...{ targeting_type, targeting_value, operator_type },
  }));
  const reply = await call('audience_estimate.create', { body });
  if (!reply.isDone) return html`<p class="soft">${words.estimate}: ${whyRefused(reply)}</p>`;
  const { min, max } = reply.reply.data.audience_size;
  const text = words.estimateText(min.toLocaleString('en'), max.toLocaleString('en'));
  return html`<p>${words.estimate}: <strong>${text}</strong></p>`;
}
