import { type Html, html } from '../../base/html.ts';
import type { PageCallReply } from '../../contract/declare/pages.ts';
import { type ErrorDetail, type InvalidReason, type ProblemName, wordingOf } from '../../contract/problems/problems.ts';
import { texts } from '../../texts/texts.ts';

/** Errors by field; '' for those without a field. */
export type Problems = ReadonlyMap<string, string>;

/** Whether another user has changed the same fields meanwhile. */
export const isConflict = (problems: Problems): boolean => problems.get('') === texts.campaign.conflict;

/** The status of a page whose form has these problems. */
export function statusOf(problems: Problems): number {
  return problems.size === 0 ? 200 : isConflict(problems) ? 409 : 400;
}

/**
 * The problems of a refused call, each at the field of the form that it concerns.
 * @param fields the parameters that the form has a field for
 */
export function problemsOf({ refusals }: PageCallReply, fields: readonly string[]): Problems {
  const problems = new Map<string, string>();
  for (const refusal of refusals) {
    const { parameter, attribute } = refusal;
    const named = [parameter, attribute].flatMap((each) => (each === undefined ? [] : each.split(', ')));
    const field = named.find((each) => fields.includes(each)) ?? '';
    problems.set(field, [...(problems.has(field) ? [problems.get(field)!] : []), refusalText(refusal)].join('. '));
  }
  return problems;
}

const labels = (): Readonly<Record<string, string>> => ({
  ...texts.creatives.choices,
  duration_in_minutes: texts.creatives.duration,
  text: texts.creatives.text,
  headline: texts.creatives.headline,
  url: texts.creatives.url,
  description: texts.audiences.description,
  ...texts.campaign.fields,
  granted_account_id: texts.audiences.withAccount,
  keywords: texts.keywords.keywords,
  negative_keywords: texts.keywords.without,
  targeting_value: texts.campaign.criterionValue,
});
const labelOf = (parameter: string): string => labels()[parameter] ?? parameter;

/** The reasons of a refused call as display text. */
export function refusalReasons({ refusals }: Pick<PageCallReply, 'refusals'>): string {
  return refusals.map(refusalText).join('. ');
}

/** A refusal as display text. */
export function refusalText(refusal: ErrorDetail): string {
  const { problem, parameter, words = {} } = refusal;
  const named = {
    ...words,
    ...(parameter !== undefined && { parameter: labelOf(parameter) }),
    ...(words.other !== undefined && { other: labelOf(String(words.other)) }),
  };
  const own = texts.refusals[(words.reason ?? problem) as ProblemName | InvalidReason];
  return wordingOf({ ...refusal, words: named }, 'ads', (template) => own ?? template).message;
}

/** The error summary above a form, which links each problem to its field and gets the focus. */
export function problemSummary(problems: Problems): Html | string {
  if (problems.size === 0) return '';
  const items = [...problems].map(([field, message]) =>
    field === '' ? html`<li>${message}</li>` : html`<li><a href="#${field}">${message}</a></li>`,
  );
  return html`<div class="alert" role="alert" tabindex="-1" autofocus><p>${texts.frame.problem}</p><ul>${items}</ul></div>`;
}
