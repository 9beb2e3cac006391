import { type Html, html, joinHtml } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import { AUDIENCE_READERS } from '../../contract/declare/roles.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { formField, selectField, toSentence } from '../../markup/form-fields.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit, CallParameters } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { readTyped, textIn } from '../parts/entity-form.ts';
import { type Problems, refusalReasons } from '../parts/form-problems.ts';
import { bodyOf } from '../refused-call.ts';

const words = texts.campaign;

/** A targeting criterion as the API returns it. */
export interface Criterion {
  readonly id: string;
  readonly name: string;
  readonly targeting_type: string;
  readonly targeting_value: string;
  readonly operator_type: string;
}

/** The lookup operation of each criterion type whose values have names. */
const LOOKUPS: Readonly<Record<string, string>> = {
  LOCATION: 'locations.list',
  LANGUAGE: 'languages.list',
  INTEREST: 'interests.list',
};
/** The criterion type of excluded audiences. */
const EXCLUDED = 'NOT_CUSTOM_AUDIENCE';
/** Criterion types whose values are entered by name. */
const NAMED = ['LOCATION', 'LANGUAGE', 'INTEREST', 'CUSTOM_AUDIENCE', EXCLUDED] as const;
/** Maximum number of values offered for an ambiguous name. */
const CHOICES_MAX = 50;
/** Maximum number of audiences fetched in one call. */
const AUDIENCES_MAX = 200;

/** A value of a criterion with its display name. */
export interface Choice {
  readonly name: string;
  readonly targeting_value: string;
  readonly location_type?: keyof typeof words.places;
}

/** The criterion of the form, or the problem with the values to choose from. */
type FoundCriterion =
  | {
      readonly criterion: {
        readonly targeting_type: string;
        readonly targeting_value: string;
        readonly operator_type?: 'NE';
      };
    }
  | { readonly problem: string; readonly choices: readonly Choice[] };

/** Parses the criterion of the form: the only value with the entered name, or the chosen one. */
export async function readCriterion(visit: AccountVisit): Promise<FoundCriterion> {
  const { request } = visit;
  const kind = request.parameter('kind') ?? '';
  const isOut = kind === EXCLUDED;
  const targeting_type = isOut ? 'CUSTOM_AUDIENCE' : kind;
  const typed = textIn(request, 'value');
  const chosen = request.parameter('choice') ?? '';
  const of = (targeting_value: string): FoundCriterion => ({
    criterion: { targeting_type, targeting_value, ...(isOut && { operator_type: 'NE' }) },
  });
  // The user has chosen among the values with this name.
  if (chosen !== '' && request.parameter('chosen_among') === `${kind} ${typed}`) return of(chosen);
  const found = await lookUpByName(visit, targeting_type, typed);
  const same = found.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  const [first, ...others] = same.length > 0 ? same : found;
  if (!first) return { problem: words.noMatch, choices: [] };
  return others.length === 0 ? of(first.targeting_value) : { problem: words.severalMatch, choices: [first, ...others] };
}

/** Lists the audiences of the account, and those shared with it. */
export async function audiencesWith<A extends { readonly id: string; readonly name: string }>(
  { read }: Pick<AccountVisit, 'read'>,
  parameters: CallParameters,
): Promise<readonly A[]> {
  const lists = await Promise.all(
    ['OWNER', 'SHARED'].map((permission_scope) =>
      read<readonly A[]>('custom_audiences.list', { ...parameters, permission_scope }),
    ),
  );
  return lists.flat();
}

/** Looks up the values whose names start with `typed`. */
async function lookUpByName(visit: AccountVisit, kind: string, typed: string): Promise<readonly Choice[]> {
  if (kind === 'CUSTOM_AUDIENCE') {
    const rows = await audiencesWith(visit, { q: typed, count: CHOICES_MAX });
    return rows.map(({ id, name }) => ({ name, targeting_value: id }));
  }
  const operation = LOOKUPS[kind];
  if (operation === undefined) return [];
  return bodyOf(await visit.lookUp(operation, { q: typed, count: CHOICES_MAX })).data;
}

/** An age bucket as display text. */
function ageText(name: string): string {
  return name.replace(/^AGE_(\d+)_TO_(\d+)$/, '$1–$2').replace(/^AGE_OVER_(\d+)$/, '$1+');
}

const isOfAudience = ({ targeting_type }: Criterion): boolean => targeting_type.startsWith('CUSTOM_AUDIENCE');

/** The names of audiences by id, for users who may read audiences; a criterion has only the id. */
async function audienceNames(
  visit: AccountVisit,
  criteria: readonly Criterion[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const ids = criteria.filter(isOfAudience).map(({ targeting_value }) => targeting_value);
  const mayRead = AUDIENCE_READERS.some((role) => visit.permissions.includes(role));
  if (!mayRead) return undefined;
  const names = new Map<string, string>();
  for (let from = 0; from < ids.length; from += AUDIENCES_MAX) {
    const custom_audience_ids = ids.slice(from, from + AUDIENCES_MAX).join(',');
    const rows = await audiencesWith(visit, { custom_audience_ids, count: AUDIENCES_MAX });
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

/** A criterion as display text. */
interface CriterionText {
  readonly id: string;
  readonly text: string;
  /** The text with the conjunction that links it to the previous criterion. */
  readonly joined: Html;
}

/**
 * Criteria in words, in the order in which they are read: of primary ones any is enough, of each other type one must fit,
 * and those who are excluded come last.
 * @source campaigns 10.3
 */
export async function criteriaTexts(
  visit: AccountVisit,
  { targetingType }: Pick<ConsoleDeps, 'targetingType'>,
  criteria: readonly Criterion[],
): Promise<readonly CriterionText[]> {
  const audiences = await audienceNames(visit, criteria);
  const isOut = ({ operator_type }: Criterion): boolean => operator_type === 'NE';
  const included = Map.groupBy(
    criteria.filter((each) => !isOut(each)),
    ({ targeting_type }) => (targetingType(targeting_type)?.isPrimary ? '' : targeting_type),
  );
  const groups = [included.get('') ?? [], ...[...included].flatMap(([type, those]) => (type === '' ? [] : [those]))];
  const joined = [
    ...groups.flatMap((group) => group.map((each, at) => [each, at === 0 ? words.and : words.or] as const)),
    ...criteria.filter(isOut).map((each) => [each, words.andNot] as const),
  ];
  return joined.map(([criterion, joiner], at) => {
    const { id, name, targeting_type, targeting_value } = criterion;
    const audience =
      isOfAudience(criterion) && audiences ? (audiences.get(targeting_value) ?? words.noAudience) : undefined;
    const gender = targeting_type === 'GENDER' ? words.genderNames[targeting_value] : undefined;
    const text = `${words.kinds[targeting_type] ?? targeting_type}: ${audience ?? gender ?? ageText(name)}`;
    const word = at > 0 ? joiner : isOut(criterion) ? words.not : '';
    return { id, text, joined: html`${word === '' ? '' : html`<strong class="joiner">${word}</strong> `}${text}` };
  });
}

/** The targeting section of a line item: its criteria, the estimated audience size, and forms to add criteria. */
export async function criteriaSection(
  visit: AccountVisit,
  deps: Pick<ConsoleDeps, 'targetingType'>,
  criteria: readonly Criterion[],
  {
    mayChange,
    problems,
    choices,
  }: { readonly mayChange: boolean; readonly problems: Problems; readonly choices: readonly Choice[] },
): Promise<Html> {
  const { request } = visit;
  const items = (await criteriaTexts(visit, deps, criteria)).map(({ id, text, joined }) => {
    const take = mayChange
      ? html`<form method="post">${hiddenFields({ ...request.formFields, act: 'take', criterion: id })}<button type="submit" aria-label="${words.take(text)}">${words.takeShort}</button></form>`
      : '';
    return html`<li><span>${joined}</span>${take}</li>`;
  });
  const kinds = NAMED.map((kind) => [kind, words.kinds[kind]!] as const);
  const form = mayChange
    ? html`${await pickForm(visit, deps, problems)}<form method="post">${hiddenFields({ ...request.formFields, act: 'add' })}
${selectField('kind', words.criterionKind, kinds, request.parameter('kind'))}
${formField({ member: 'value', label: words.criterionValue, hint: words.criterionHint, attributes: html`required maxlength="100"` }, readTyped(request)('value'), problems.get('value'))}${choiceField(visit, choices)}
<div class="buttons"><button type="submit">${words.addCriterion}</button></div></form>`
    : '';
  const rule = items.length < 2 ? '' : html`<p class="soft">${words.joined}</p>`;
  return html`${items.length === 0 ? html`<p class="soft">${words.everybody}</p>` : html`${rule}<ul class="criteria">${joinHtml(items, '\n')}</ul>`}
${await estimateOf(visit, criteria)}${form}`;
}

/** A form for criterion types with few values: each option is a criterion, such as `GENDER 1`. */
async function pickForm(
  { request, lookUp }: AccountVisit,
  { targetingType }: Pick<ConsoleDeps, 'targetingType'>,
  problems: Problems,
): Promise<Html> {
  const platforms = await lookUp('platforms.list');
  const found: readonly Choice[] = platforms.isDone ? platforms.reply.data : [];
  const groups: readonly (readonly [keyof typeof words.kindsOfChoices, readonly (readonly [string, string])[]])[] = [
    ['GENDER', targetingType('GENDER')!.values.map((value) => [value, words.genderNames[value] ?? value] as const)],
    ['AGE', targetingType('AGE')!.values.map((value) => [value, ageText(value)] as const)],
    ['PLATFORM', found.map(({ name, targeting_value }) => [targeting_value, name] as const)],
  ];
  const chosen = request.parameter('pick');
  const options = groups.map(
    ([kind, values]) =>
      html`<optgroup label="${words.kindsOfChoices[kind]}">${values.map(([value, text]) => {
        const whole = `${kind} ${value}`;
        return html`<option value="${whole}"${whole === chosen ? html` selected` : ''}>${text}</option>`;
      })}</optgroup>`,
  );
  const error = problems.get('pick') ?? (platforms.isDone ? undefined : refusalReasons(platforms));
  const described = error === undefined ? '' : html` aria-invalid="true" aria-describedby="pick-fault"`;
  return html`<form method="post">${hiddenFields({ ...request.formFields, act: 'pick' })}
<div class="field"><label for="pick">${words.pick}</label>${error === undefined ? '' : html`<p class="fault" id="pick-fault">${toSentence(error)}</p>`}
<select id="pick" name="pick"${described}>${options}</select></div>
<div class="buttons"><button type="submit">${words.addPick}</button></div></form>`;
}

/** Parses the chosen option. */
export function readPickedCriterion({ request }: AccountVisit): {
  readonly targeting_type: string;
  readonly targeting_value: string;
} {
  const [targeting_type = '', targeting_value = ''] = (request.parameter('pick') ?? '').split(' ');
  return { targeting_type, targeting_value };
}

/** A choice among the values that share the entered name. */
function choiceField({ request }: AccountVisit, choices: readonly Choice[]): Html | string {
  if (choices.length === 0) return '';
  const among = `${request.parameter('kind')} ${request.parameter('value')?.trim()}`;
  const options = choices.map(
    ({ name, targeting_value, location_type: type }) =>
      [targeting_value, type ? `${name} (${words.places[type]})` : name] as const,
  );
  return html`${hiddenFields({ chosen_among: among })}${selectField('choice', words.choice, options)}`;
}

/** The estimated audience size, or the reason for its absence; '' without criteria. */
export async function estimateOf({ call }: AccountVisit, criteria: readonly Criterion[]): Promise<Html | string> {
  if (criteria.length === 0) return '';
  const body = criteria.map(({ targeting_type, targeting_value, operator_type }) => ({
    targeting_type,
    targeting_value,
    operator_type,
  }));
  const reply = await call('audience_estimate.create', {}, body);
  if (!reply.isDone) return html`<p class="soft">${words.estimate}: ${refusalReasons(reply)}</p>`;
  const { min, max } = reply.reply.data.audience_size;
  const text = min === max ? numberText(min) : words.estimateText(numberText(min), numberText(max));
  return html`<p>${words.estimate}: <strong>${text}</strong></p>`;
}
