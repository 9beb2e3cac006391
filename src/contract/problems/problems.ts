import { activityProblems } from './activity-problems.ts';
import { audienceProblems } from './audience-problems.ts';
import { creativeProblems } from './creative-problems.ts';
import { credentialProblems } from './credential-problems.ts';
import { entityProblems } from './entity-problems.ts';
import { keywordProblems } from './keyword-problems.ts';
import { peopleProblems } from './people-problems.ts';
import { streamProblems } from './stream-problems.ts';
import { uploadProblems } from './upload-problems.ts';
import { webhookProblems } from './webhook-problems.ts';

/** Said in version 2 of a token or an application whose level does not reach. @source activity gaps 21.2 */
const APP_PERMISSIONS =
  'Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.';

/**
 * The one table of errors. Each row has one condition and how it is said in each family of replies: `ads` (capital
 * codes with `parameter` or `attribute`) and `numeric` (integer codes, for the paths outside the advertising
 * interface). Messages are data that clients match on.
 * @source campaigns 2; authentication gaps 1.3 and 12
 */
const table = {
  // Request and credential. These stop at the first.
  TLS_REQUIRED: {
    when: 'plain HTTP where it is not allowed',
    ads: [403, 92, 'SSL is required'],
    numeric: [403, 92, 'SSL is required'],
  },
  CREDENTIAL_UNUSABLE: {
    when: 'no credential, or one that cannot be read',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [400, 215, 'Bad Authentication data.'],
    problem: [401, 215, 'Bad Authentication data.'],
  },
  TIMESTAMP_OUT_OF_BOUNDS: {
    when: 'the timestamp is not in seconds, or too far from the clock of the server',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 135, 'Timestamp out of bounds.'],
  },
  SIGNATURE_REFUSED: {
    when: 'unknown consumer key, wrong signature, or a nonce used before',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 32, 'Could not authenticate you.'],
  },
  TOKEN_UNKNOWN: {
    when: 'a token that was never issued to this application',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 89, 'invalid or expired token'],
  },
  TOKEN_REVOKED: {
    when: 'a token that was revoked',
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
    when: 'an application-only credential where a user is needed',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [403, 220, 'Your credentials do not allow access to this resource.'],
    problem: [
      403,
      'unsupported-authentication',
      'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint.  Supported authentication types are [OAuth 1.0a User Context].',
    ],
  },
  READ_ONLY_TOKEN: {
    when: 'a write with a token of level read, while the application has more',
    ads: [
      403,
      'INSUFFICIENT_USER_AUTHORIZED_PERMISSION',
      'The user has not authorized the client application with sufficient permission',
    ],
    numeric: [403, 261, 'Application cannot perform write actions.'],
    problem: [403, 'oauth1-permissions', APP_PERMISSIONS],
  },
  READ_ONLY_APPLICATION: {
    when: 'a write through an application of level read',
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
    when: 'a window of calls is used up',
    ads: [429, 'TOO_MANY_REQUESTS', 'Request limit has been exceeded; retry after the time in x-rate-limit-reset'],
    numeric: [429, 88, 'Rate limit exceeded'],
  },
  HEADER_TOO_LARGE: {
    when: 'an Authorization header of more than 8 KiB',
    ads: [431, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [431, 215, 'Bad Authentication data.'],
  },
  BODY_TOO_LARGE: {
    when: 'a body larger than the endpoint takes',
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
    when: 'the first segment of an advertising path is not a version that is served',
    ads: [404, 'ROUTE_NOT_FOUND', 'The requested resource could not be found; the current version is 12'],
  },
  METHOD_UNKNOWN: {
    when: 'the path exists with other methods',
    ads: [405, 'METHOD_NOT_ALLOWED', '{method} is not allowed on this resource'],
    numeric: [405, 86, 'This method requires a {allowed}.'],
  },

  // What never became a request.
  REQUEST_UNREADABLE: {
    when: 'bytes that are no request of HTTP, or one of HTTP/1.1 without a host',
    ads: [400, 'INVALID_PARAMETER', 'The request is not valid HTTP'],
    numeric: [400, 44, 'The request is not valid HTTP.'],
  },
  REQUEST_TOO_SLOW: {
    when: 'a request that did not arrive in time',
    ads: [408, 'CANCELLED_REQUEST', 'The request did not arrive in time'],
    numeric: [408, 44, 'The request did not arrive in time.'],
  },
  EXPECTATION_UNKNOWN: {
    when: 'an Expect header that asks for anything but 100-continue',
    ads: [417, 'INVALID_PARAMETER', 'Only 100-continue can be expected'],
    numeric: [417, 44, 'Only 100-continue can be expected.'],
  },

  ...entityProblems,
  ...creativeProblems,
  ...audienceProblems,
  ...uploadProblems,
  ...peopleProblems,
  ...activityProblems,
  ...streamProblems,
  ...keywordProblems,
  ...webhookProblems,

  // The service.
  INTERNAL: {
    when: 'a fault of the service; nothing private is said',
    ads: [500, 'INTERNAL_ERROR', 'Internal error'],
    numeric: [500, 131, 'Internal error'],
  },
  UNAVAILABLE: {
    when: 'the database cannot be reached; nothing was acknowledged',
    ads: [503, 'SERVICE_UNAVAILABLE', 'Service unavailable due to request timeout; please try the request again later'],
    numeric: [503, 130, 'Over capacity'],
  },
} as const satisfies Record<string, ProblemRow>;

/** How a condition is said in one family: HTTP status, code, message template. */
export type Wording = readonly [status: number, code: string | number, message: string];

/** One row of the table. */
export interface ProblemRow {
  readonly when: string;
  readonly ads?: Wording;
  readonly numeric?: Wording;
  /** Where a wrong request is answered with one text; the code is not told. */
  readonly flat?: Wording;
  /** In version 2; the code is the name of a page there, or a numeric code. */
  readonly problem?: Wording;
  /** Stands between code and message where clients of the token step expect it. @source authentication gaps 10.1 */
  readonly label?: string;
}

/** The name of a condition. */
export type ProblemName = keyof typeof table;

/** Every condition, by name. */
export const problems: Readonly<Record<ProblemName, ProblemRow>> = table;

/** The problems that mean "we do not know who asks", in the order of the checks. */
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

/** The families of replies. */
export type Family = 'ads' | 'numeric' | 'problem' | 'flat';

/** One thing wrong, with what its message and its members say. All members may be shown to the caller. */
export interface ErrorDetail {
  readonly problem: ProblemName;
  /** Values for the message template. */
  readonly words?: Readonly<Record<string, string | number>>;
  readonly parameter?: string;
  readonly attribute?: string;
  readonly value?: string;
  readonly details?: string;
}

/** What a unit of work throws to be rolled back and answered with errors. `because` is for the log, never shown. */
export class Problem extends Error {
  override readonly name: string = 'Problem';
  readonly errors: readonly ErrorDetail[];
  /** Seconds after which a retry makes sense, for the `retry-after` header. */
  readonly retryAfter_s: number | undefined;
  /** Methods that the path has, for the `allow` header. */
  readonly allow: string | undefined;
  /** What a developer is told in development mode, in a header; may quote what the caller sent. */
  readonly hint: string | undefined;

  constructor(
    errors: readonly ErrorDetail[],
    hints: { because?: string; retryAfter_s?: number; allow?: string; hint?: string } = {},
  ) {
    super(hints.because ?? errors.map((error) => error.problem).join(', '));
    this.errors = errors;
    this.retryAfter_s = hints.retryAfter_s;
    this.allow = hints.allow;
    this.hint = hints.hint;
  }
}

/** A problem of one fault. */
export function problem(name: ProblemName, members: Omit<ErrorDetail, 'problem'> = {}, because?: string): Problem {
  return new Problem([{ problem: name, ...members }], { because });
}

/**
 * How a family says a problem: in its own words, version 2 else in those of numeric codes, or else in those there are. One
 * text tells of a wrong request what capital codes are told with.
 */
export function wordingIn(family: Family, name: ProblemName): Wording {
  const row: ProblemRow = problems[name];
  const isWrong = family === 'flat' && row.ads?.[0] === 400;
  return (row[family] ?? (family === 'ads' || isWrong ? undefined : row.numeric) ?? row.ads ?? row.numeric)!;
}

/**
 * Whether a problem is one text in the family `flat`; what keeps a caller out is said there as in that of numeric codes.
 * @source creatives 2.1
 */
export function isFlat(name: ProblemName): boolean {
  return wordingIn('flat', name)[0] === 400 && !AUTHENTICATION_PROBLEMS.includes(name);
}

/** The wording of a fault in a family, its message filled in. A family without its own wording says it as the other. */
export function wordingOf(
  error: ErrorDetail,
  family: Family,
): { status: number; code: string | number; message: string } {
  const [status, code, template] = wordingIn(family, error.problem);
  const words: Record<string, string | number | undefined> = {
    parameter: error.parameter,
    value: error.value,
    ...error.words,
  };
  const message = template.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name] ?? ''));
  return { status, code, message };
}
