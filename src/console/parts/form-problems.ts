import { type Html, html } from '../../base/html.ts';
import type { PageCallReply } from '../../contract/declare/pages.ts';
import { texts } from '../texts/texts.ts';

/** An error of a reply, as callers get it. */
interface ReplyError {
  readonly code: string;
  readonly message: string;
  readonly parameter?: string;
  readonly attribute?: string;
}

/** What was refused, by the field that it concerns; '' has what concerns none of them. */
export type Problems = ReadonlyMap<string, string>;

/**
 * The problems of a refused call, each at the field of the form that it concerns.
 * @param fields the parameters that the form has a field for
 */
export function problemsOf({ isDone, reply }: PageCallReply, fields: readonly string[]): Problems {
  const problems = new Map<string, string>();
  if (isDone) return problems;
  const errors: readonly ReplyError[] = reply.errors ?? reply.operation_errors.flat();
  for (const { parameter, attribute, message } of errors) {
    const named = [parameter, attribute].flatMap((each) => (each === undefined ? [] : each.split(', ')));
    const field = named.find((each) => fields.includes(each)) ?? '';
    problems.set(field, [...(problems.has(field) ? [problems.get(field)!] : []), message].join('. '));
  }
  return problems;
}

/** The problems above a form, each with a link to its field. */
export function problemSummary(problems: Problems): Html | string {
  if (problems.size === 0) return '';
  const items = [...problems].map(([field, message]) =>
    field === '' ? html`<li>${message}</li>` : html`<li><a href="#${field}">${message}</a></li>`,
  );
  return html`<div class="alert" role="alert"><p>${texts.frame.problem}</p><ul>${items}</ul></div>`;
}
