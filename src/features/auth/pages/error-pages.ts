import { html } from '../../../base/html.ts';
import type { PageResponse } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { cardPage } from './layout.ts';

/** The error pages by reason: status, numeric code and message for clients of JSON, heading, text. */
const REFUSALS = {
  token: [
    403,
    89,
    'Invalid or expired token.',
    'This link no longer works',
    'This authorization request has expired or was already used. Go back to the application and start again.',
  ],
  'application suspended': [
    403,
    416,
    'Invalid / suspended application',
    'This application is suspended',
    'It cannot be authorized at the moment. You do not need to do anything.',
  ],
  callback: [
    403,
    415,
    'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    'This callback URL is not approved',
    'The application asked to send you to a callback URL that is not registered for it. It was not given access.',
  ],
  page: [
    404,
    34,
    'Sorry, that page does not exist.',
    'This page does not exist',
    'It may have been removed, or it belongs to another account.',
  ],
  'done before': [
    409,
    44,
    'from parameter is invalid.',
    'This has already been done',
    'The page was out of date, so nothing was changed. Go back and reload it.',
  ],
  'password link': [
    403,
    89,
    'Invalid or expired token.',
    'This link no longer works',
    'A password reset link works once and expires after one hour. Ask for a new one.',
  ],
  'session over': [
    404,
    34,
    'Sorry, that page does not exist.',
    'This session has already ended',
    'That browser is no longer logged in.',
  ],
  'form token': [
    403,
    353,
    'This request requires a matching form token.',
    'This page has expired',
    'You may have logged in or out since it was opened. Go back, reload the page and try again.',
  ],
  'user suspended': [
    403,
    64,
    'Your account is suspended and is not permitted to access this feature.',
    'Your account is suspended',
    'You cannot use it or authorize applications.',
  ],
  'user locked': [
    403,
    326,
    'To protect our users from spam and other malicious activity, this account is temporarily locked.',
    'Your account is locked',
    'It is temporarily locked for security reasons.',
  ],
  'too many logins': [
    429,
    88,
    'Rate limit exceeded',
    'Too many login attempts',
    'To protect accounts, logging in is blocked for a while. Try again later.',
  ],
  'too many visits': [
    429,
    88,
    'Rate limit exceeded',
    'Too many requests',
    'Your IP address has requested this page too often. Try again later.',
  ],
  'plain http': [
    403,
    92,
    'SSL is required',
    'A secure connection is required',
    'This page is available over HTTPS only. Check the URL.',
  ],
  'too large': [413, 44, 'The form is too large.', 'This form is too large', 'Go back, reload the page and try again.'],
  'too slow': [
    408,
    44,
    'The request did not arrive in time.',
    'This form took too long to arrive',
    'Your connection may be slow. Go back and submit it again.',
  ],
  unavailable: [503, 130, 'Over capacity', 'Temporarily unavailable', 'Go back, and try again in a moment.'],
  error: [
    500,
    131,
    'Internal error',
    'Something went wrong',
    'Something failed on our side. Go back, and try again later.',
  ],
} as const satisfies Record<string, readonly [number, number, string, string, string]>;

/** A reason for an error page. */
export type ErrorReason = keyof typeof REFUSALS;

/** An error page. It has no link, and repeats nothing of the request. @source authentication gaps 6.5 */
export function errorPage(why: ErrorReason, retryAfter_s?: number): PageResponse {
  const [status, code, message, heading, text] = REFUSALS[why];
  const wait =
    retryAfter_s === undefined ? '' : html`<p class="soft">You can try again in about ${minutesOf(retryAfter_s)}.</p>`;
  const page = cardPage(
    heading,
    html`<h1>${heading}</h1>
<p>${text}</p>
${wait}${LEADS_ON.has(why) ? html`<p><a href="/">Start page</a></p>` : ''}`,
  );
  return { status, html: page, error: { code, message }, retryAfter_s };
}

/** What is no step of a login, which no link should interrupt. */
const LEADS_ON: ReadonlySet<string> = new Set(['page', 'done before', 'session over']);

/** Why a user may not continue; undefined if they may. */
export function blockedReason({ suspended, locked }: User): ErrorReason | undefined {
  if (suspended) return 'user suspended';
  return locked ? 'user locked' : undefined;
}

function minutesOf(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
