import { activityProblems } from './activity-problems.ts';
import { analyticsProblems } from './analytics-problems.ts';
import { audienceProblems } from './audience-problems.ts';
import { conversionProblems } from './conversion-problems.ts';
import { creativeProblems } from './creative-problems.ts';
import { credentialProblems } from './credential-problems.ts';
import { entityProblems } from './entity-problems.ts';
import { keywordProblems } from './keyword-problems.ts';
import { peopleProblems } from './people-problems.ts';
import { servingProblems } from './serving-problems.ts';
import { streamProblems } from './stream-problems.ts';
import { uploadProblems } from './upload-problems.ts';
import { webhookProblems } from './webhook-problems.ts';

/** Version 2 message for a token or an application with too low an access level. @source activity 21.2 */
const APP_PERMISSIONS =
  'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.';

/**
 * The table of errors; those of a topic are in a file of their own. Each row has a condition and its wording in the
 * families of replies: `ads` (string codes with `parameter` or `attribute`), `numeric` (integer codes, for paths outside
 * the advertising API), `problem` (version 2) and `flat` (a plain message). Clients match on the messages.
 * @source campaigns 2; authentication 1.3 and 12
 */
const table = {
  // Request and credential: only the first error is reported.
  TLS_REQUIRED: {
    when: 'plain HTTP where TLS is required',
    ads: [403, 92, 'SSL is required'],
    numeric: [403, 92, 'SSL is required'],
  },
  CREDENTIAL_UNUSABLE: {
    when: 'no credentials, or unreadable ones',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [400, 215, 'Bad Authentication data.'],
    problem: [401, 215, 'Bad Authentication data.'],
  },
  TIMESTAMP_OUT_OF_BOUNDS: {
    when: 'a timestamp that is not in seconds, or too far from the time of the server',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 135, 'Timestamp out of bounds.'],
  },
  SIGNATURE_REFUSED: {
    when: 'an unknown consumer key, a wrong signature, or a reused nonce',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 32, 'Could not authenticate you.'],
  },
  TOKEN_UNKNOWN: {
    when: 'a token that was not issued to this application',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 89, 'invalid or expired token'],
  },
  TOKEN_REVOKED: {
    when: 'a revoked token',
    ads: [401, 89, 'invalid or expired token'],
    numeric: [401, 89, 'invalid or expired token'],
  },
  APPLICATION_SUSPENDED: {
    when: 'the application is suspended',
    ads: [401, 416, 'Invalid / suspended application'],
    numeric: [401, 416, 'Invalid / suspended application'],
  },
  USER_SUSPENDED: {
    when: 'the acting user is suspended',
    ads: [403, 'CURRENT_USER_SUSPENDED', 'The current user is suspended'],
    numeric: [403, 64, 'Your account is suspended and is not permitted to access this feature.'],
  },
  USER_LOCKED: {
    when: 'the account of the acting user is locked',
    ads: [403, 'ACCOUNT_LOCKED_OUT', 'The current user is locked out'],
    numeric: [
      403,
      326,
      'To protect our users from spam and other malicious activity, this account is temporarily locked.',
    ],
  },
  BEARER_NOT_ALLOWED: {
    when: 'an application-only token where a user token is required',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [403, 220, 'Your credentials do not allow access to this resource.'],
    problem: [
      403,
      'unsupported-authentication',
      'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context].',
    ],
  },
  READ_ONLY_TOKEN: {
    when: 'a write with a read-only token of an application that may write',
    ads: [
      403,
      'INSUFFICIENT_USER_AUTHORIZED_PERMISSION',
      'The user has not authorized the client application with sufficient permission',
    ],
    numeric: [403, 261, 'Application cannot perform write actions.'],
    problem: [403, 'oauth1-permissions', APP_PERMISSIONS],
  },
  READ_ONLY_APPLICATION: {
    when: 'a write by a read-only application',
    ads: [403, 'READONLY_CLIENT_APPLICATION', 'The client application only has read access'],
    numeric: [403, 261, 'Application cannot perform write actions.'],
    problem: [403, 'oauth1-permissions', APP_PERMISSIONS],
  },
  ACCOUNT_NOT_ACCESSIBLE: {
    when: 'the account does not exist, or the user has no role on it',
    ads: [403, 'ACCOUNT_NOT_FOUND', 'Account {value} was not found or is not accessible by the current user'],
  },
  ACTION_NOT_ALLOWED: {
    when: 'the role of the user does not allow the call',
    ads: [403, 'ACTION_NOT_ALLOWED', 'The current user is not allowed to perform this action on account {account}'],
  },
  RATE_LIMITED: {
    when: 'a rate limit is exceeded',
    ads: [429, 'TOO_MANY_REQUESTS', 'Request limit has been exceeded; retry after the time in x-rate-limit-reset'],
    numeric: [429, 88, 'Rate limit exceeded'],
  },
  HEADER_TOO_LARGE: {
    when: 'an Authorization header of more than 8 KiB',
    ads: [431, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [431, 215, 'Bad Authentication data.'],
  },
  BODY_TOO_LARGE: {
    when: 'a body larger than the endpoint accepts',
    ads: [413, 'INVALID_PARAMETER', 'The request body has more than {max} bytes'],
    numeric: [413, 44, 'The request body has more than {max} bytes.'],
  },

  ...credentialProblems,

  // Routes.
  ROUTE_UNKNOWN: {
    when: 'no endpoint has this path',
    ads: [404, 'ROUTE_NOT_FOUND', 'The requested resource could not be found'],
    numeric: [404, 34, 'Sorry, that page does not exist.'],
  },
  VERSION_UNKNOWN: {
    when: 'a path with a version that is not served',
    ads: [404, 'ROUTE_NOT_FOUND', 'The requested resource could not be found; the current version is {version}'],
  },
  METHOD_UNKNOWN: {
    when: 'a method that the path does not support',
    ads: [405, 'METHOD_NOT_ALLOWED', '{method} is not allowed on this resource'],
    numeric: [405, 86, 'This method requires a {allowed}.'],
  },

  // Bytes that never became a request.
  REQUEST_UNREADABLE: {
    when: 'malformed HTTP, or HTTP/1.1 without a host',
    ads: [400, 'INVALID_PARAMETER', 'The request is not valid HTTP'],
    numeric: [400, 44, 'The request is not valid HTTP.'],
  },
  HEAD_TOO_LARGE: {
    when: 'a request line and headers of more than 16 KiB, such as a query with thousands of ids',
    ads: [431, 'INVALID_PARAMETER', 'The request line and headers have more than {max} bytes'],
    numeric: [431, 44, 'The request line and headers have more than {max} bytes.'],
  },
  CODING_UNKNOWN: {
    when: 'a body with a Content-Encoding',
    ads: [415, 'INVALID_PARAMETER', 'Content-Encoding {coding} is not supported: send the body as it is'],
    numeric: [415, 44, 'Content-Encoding {coding} is not supported: send the body as it is.'],
  },
  REQUEST_TOO_SLOW: {
    when: 'a request that did not arrive in time',
    ads: [408, 'CANCELLED_REQUEST', 'The request did not arrive in time'],
    numeric: [408, 44, 'The request did not arrive in time.'],
  },
  EXPECTATION_UNKNOWN: {
    when: 'an Expect header other than 100-continue',
    ads: [417, 'INVALID_PARAMETER', 'Only 100-continue can be expected'],
    numeric: [417, 44, 'Only 100-continue can be expected.'],
  },

  ...entityProblems,
  ...creativeProblems,
  ...audienceProblems,
  ...uploadProblems,
  ...peopleProblems,
  ...conversionProblems,
  ...activityProblems,
  ...servingProblems,
  ...streamProblems,
  ...keywordProblems,
  ...analyticsProblems,
  ...webhookProblems,

  // The service itself.
  INTERNAL: {
    when: 'an internal error; the reply reveals nothing private',
    ads: [500, 'INTERNAL_ERROR', 'Internal error'],
    numeric: [500, 131, 'Internal error'],
  },
  UNAVAILABLE: {
    when: 'the database cannot be reached; nothing was acknowledged',
    ads: [503, 'SERVICE_UNAVAILABLE', 'Service unavailable due to request timeout; please try the request again later'],
    numeric: [503, 130, 'Over capacity'],
  },
} as const satisfies Record<string, ProblemRow>;

/** The wording of a problem in one family: HTTP status, code, message template. */
export type Wording = readonly [status: number, code: string | number, message: string];

/** One row of the table. */
export interface ProblemRow {
  readonly when: string;
  readonly ads?: Wording;
  readonly numeric?: Wording;
  /** For endpoints that report bad requests as a plain message; the code is not sent. */
  readonly flat?: Wording;
  /** In version 2; the code is the slug of a problem page, or a numeric code. */
  readonly problem?: Wording;
  /**
   * Placed between code and message, where clients of the token endpoint expect it.
   * @source authentication 10.1
   */
  readonly label?: string;
}

/** The name of a problem. */
export type ProblemName = keyof typeof table;

/** All problems by name. */
export const problems: Readonly<Record<ProblemName, ProblemRow>> = table;

/** The problems of authentication, in the order of the checks. */
export const AUTHENTICATION_PROBLEMS: readonly ProblemName[] = [
  'TLS_REQUIRED',
  'HEADER_TOO_LARGE',
  'CREDENTIAL_UNUSABLE',
  'CLIENT_REFUSED',
  'BEARER_INVALID',
  'BEARER_NOT_ALLOWED',
  'USER_NOT_ALLOWED',
  'TIMESTAMP_OUT_OF_BOUNDS',
  'SIGNATURE_REFUSED',
  'TOKEN_UNKNOWN',
  'TOKEN_REVOKED',
  'APPLICATION_SUSPENDED',
  'USER_SUSPENDED',
  'USER_LOCKED',
];

/** Reasons of the problem INVALID that the console has words of its own for. */
export type InvalidReason = 'ENDS_BEFORE_START' | 'ENDED' | 'ONE_OF_A_KIND' | 'TOO_SMALL';

/** The families of replies. */
export type Family = 'ads' | 'numeric' | 'problem' | 'flat';

/** One error, with the values of its message and members. All members may be shown to the caller. */
export interface ErrorDetail {
  readonly problem: ProblemName;
  /** Values of the message template. */
  readonly words?: Readonly<Record<string, string | number>>;
  readonly parameter?: string;
  readonly attribute?: string;
  readonly value?: string;
  readonly details?: string;
  /** For developers only: sent as a header in development mode. */
  readonly hint?: string;
}

/** Thrown to roll back a unit of work and reply with errors. `because` is for the log only. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly errors: readonly ErrorDetail[];
  /** Delay of a sensible retry in seconds, for the `retry-after` header. @source decision 59 */
  readonly retryAfter_s: number | undefined;
  /** The methods of the path, for the `allow` header. */
  readonly allow: string | undefined;
  /** A hint for developers, sent as a header in development mode; may quote the request. */
  readonly hint: string | undefined;

  constructor(
    errors: readonly ErrorDetail[],
    hints: { because?: string | undefined; retryAfter_s?: number; allow?: string; hint?: string } = {},
  ) {
    super(hints.because ?? errors.map((error) => error.problem).join(', '));
    this.errors = errors;
    this.retryAfter_s = hints.retryAfter_s;
    this.allow = hints.allow;
    this.hint = hints.hint ?? errors.find(({ hint }) => hint !== undefined)?.hint;
  }
}

/** A problem with a single error. */
export function problem(name: ProblemName, members: Omit<ErrorDetail, 'problem'> = {}, because?: string): Problem {
  return new Problem([{ problem: name, ...members }], { because });
}

/**
 * The wording of a problem in a family. Version 2 falls back to numeric codes, and every family to whatever wording
 * exists. The plain messages of bad requests fall back to those of `ads`.
 */
export function wordingIn(family: Family, name: ProblemName): Wording {
  const row: ProblemRow = problems[name];
  const isWrong = family === 'flat' && row.ads?.[0] === 400;
  return (row[family] ?? (family === 'ads' || isWrong ? undefined : row.numeric) ?? row.ads ?? row.numeric)!;
}

/**
 * Whether a problem is a plain message in the family `flat`; authentication problems are worded there as in `numeric`.
 * @source creatives 2.1
 */
export function isFlat(name: ProblemName): boolean {
  return wordingIn('flat', name)[0] === 400 && !AUTHENTICATION_PROBLEMS.includes(name);
}

/**
 * The wording of an error in a family, its message filled in. Families without their own wording fall back. `phrase`
 * changes the template.
 */
export function wordingOf(
  error: ErrorDetail,
  family: Family,
  phrase = (template: string): string => template,
): { status: number; code: string | number; message: string } {
  const [status, code, template] = wordingIn(family, error.problem);
  const words: Record<string, string | number | undefined> = {
    parameter: error.parameter,
    value: error.value,
    ...error.words,
  };
  const message = phrase(template).replace(/\{(\w+)\}/g, (_, name: string) => String(words[name] ?? ''));
  return { status, code, message };
}
