import { html } from '../../../base/html.ts';
import type { PageResponse } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { texts } from '../../../texts/texts.ts';
import { cardPage } from './layout.ts';

const words = texts.errors;

/** The error pages by reason: status, and numeric code and message for clients of JSON. People get the text of the reason. */
const REFUSALS: Readonly<Record<keyof typeof words.reasons, readonly [status: number, code: number, message: string]>> =
  {
    token: [403, 89, 'Invalid or expired token.'],
    'application suspended': [403, 416, 'Invalid / suspended application'],
    callback: [
      403,
      415,
      'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    ],
    page: [404, 34, 'Sorry, that page does not exist.'],
    'done before': [409, 44, 'from parameter is invalid.'],
    'password link': [403, 89, 'Invalid or expired token.'],
    'session over': [404, 34, 'Sorry, that page does not exist.'],
    'form token': [403, 353, 'This request requires a matching form token.'],
    'sent before': [409, 44, 'form_key parameter is invalid.'],
    'user suspended': [403, 64, 'Your account is suspended and is not permitted to access this feature.'],
    'user locked': [
      403,
      326,
      'To protect our users from spam and other malicious activity, this account is temporarily locked.',
    ],
    'too many logins': [429, 88, 'Rate limit exceeded'],
    'too many visits': [429, 88, 'Rate limit exceeded'],
    'plain http': [403, 92, 'SSL is required'],
    'too large': [413, 44, 'The form is too large.'],
    'too slow': [408, 44, 'The request did not arrive in time.'],
    unavailable: [503, 130, 'Over capacity'],
    error: [500, 131, 'Internal error'],
  };

/** A reason for an error page. */
export type ErrorReason = keyof typeof REFUSALS;

/** An error page. In the steps of a login it has no link; it repeats nothing of the request. @source authentication 6.5 */
export function errorPage(why: ErrorReason, wait_s?: number): PageResponse {
  const [status, code, message] = REFUSALS[why];
  const retryAfter_s = wait_s ?? (status === 503 ? 1 : undefined);
  const [heading, text] = words.reasons[why];
  const wait = retryAfter_s === undefined ? '' : html`<p class="soft">${words.wait(Math.ceil(retryAfter_s / 60))}</p>`;
  const content = html`<p>${text}</p>
${wait}${OUTSIDE_LOGINS.has(why) ? html`<p><a href="/">${words.start}</a></p>` : ''}`;
  return { status, html: cardPage(heading, content), error: { code, message }, retryAfter_s };
}

/** Errors outside the steps of a login, which no link should interrupt. */
const OUTSIDE_LOGINS: ReadonlySet<string> = new Set(['page', 'done before', 'sent before', 'session over']);

/** Why a user may not continue; undefined if they may. */
export function blockedReason({ suspended, locked }: User): ErrorReason | undefined {
  if (suspended) return 'user suspended';
  return locked ? 'user locked' : undefined;
}
