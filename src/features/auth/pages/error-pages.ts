import { html } from 'ghtml';
import type { PageResponse } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { cardPage } from './layout.ts';

/** Each reason for an error page: status, numeric code and message for callers of JSON, heading, text. */
const REFUSALS = {
  token: [
    403,
    89,
    'Invalid or expired token.',
    'This link no longer works',
    'There is no open request behind this page. It may have been used already, or it is too old. Go back to the application and start again.',
  ],
  'application suspended': [
    403,
    416,
    'Invalid / suspended application',
    'This application is suspended',
    'It cannot be given access at the moment. You do not need to do anything.',
  ],
  callback: [
    403,
    415,
    'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    'This page cannot send you back',
    'The application asked to send you to an address that it has not registered. Nothing was given to it.',
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
    'This was done already',
    'What you saw has changed in the meantime, so nothing was done. Go back and look at it again.',
  ],
  'password link': [
    403,
    89,
    'Invalid or expired token.',
    'This link no longer works',
    'It works once, and for an hour. Ask for a new one where you got it.',
  ],
  'session over': [
    404,
    34,
    'Sorry, that page does not exist.',
    'This session is over already',
    'Nobody is logged in there any more.',
  ],
  'form token': [
    403,
    353,
    'This request requires a matching form token.',
    'This page is too old',
    'You may have logged in or out in the meantime, or the page was open for long. Go back, reload it and try again.',
  ],
  'user suspended': [
    403,
    64,
    'Your account is suspended and is not permitted to access this feature.',
    'Your account is suspended',
    'You cannot use it, and applications cannot be given access to it. Nothing was given to an application.',
  ],
  'user locked': [
    403,
    326,
    'To protect our users from spam and other malicious activity, this account is temporarily locked.',
    'Your account is locked',
    'It is locked for a time, to protect it and others. Nothing was given to an application.',
  ],
  'too many logins': [
    429,
    88,
    'Rate limit exceeded',
    'Too many attempts to log in',
    'To protect accounts, no more attempts are taken for a while. Try again later.',
  ],
  'too many visits': [
    429,
    88,
    'Rate limit exceeded',
    'Too many requests',
    'This page was asked for too often from your address. Try again later.',
  ],
  'plain http': [
    403,
    92,
    'SSL is required',
    'A secure connection is needed',
    'This page is only shown over https. Check the address that brought you here.',
  ],
  'too large': [413, 44, 'The form is too large.', 'This form is too large', 'Go back, reload the page and try again.'],
  'too slow': [
    408,
    44,
    'The request did not arrive in time.',
    'This form did not arrive in time',
    'Your connection may be slow or broken. Go back and send it again.',
  ],
  unavailable: [
    503,
    130,
    'Over capacity',
    'Not available at the moment',
    'Nothing was given to the application. Try again in a moment.',
  ],
  error: [
    500,
    131,
    'Internal error',
    'Something went wrong',
    'The fault is on our side. Nothing was given to the application. Try again later.',
  ],
} as const satisfies Record<string, readonly [number, number, string, string, string]>;

/** A reason for an error page. */
export type ErrorReason = keyof typeof REFUSALS;

/** An error page. It leads nowhere and repeats nothing that was sent. @source authentication gaps 6.5 */
export function errorPage(why: ErrorReason, retryAfter_s?: number): PageResponse {
  const [status, code, message, heading, text] = REFUSALS[why];
  const wait =
    retryAfter_s === undefined ? '' : html`<p class="soft">You can try again in about ${minutesOf(retryAfter_s)}.</p>`;
  const page = cardPage(
    heading,
    html`<h1>${heading}</h1>
<p>${text}</p>
!${wait}`,
  );
  return { status, html: page, error: { code, message }, retryAfter_s };
}

/** Why a user may not go on; undefined when nothing is in the way. */
export function blockedReason({ suspended, locked }: User): ErrorReason | undefined {
  if (suspended) return 'user suspended';
  return locked ? 'user locked' : undefined;
}

function minutesOf(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
