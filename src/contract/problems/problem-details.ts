import { AUTHENTICATION_PROBLEMS, type ErrorDetail, type ProblemName, wordingIn, wordingOf } from './problems.ts';

/**
 * The form of a problem in version 2. `slug` names its page; without one the type is `about:blank`. Errors of
 * parameters have no `status` member; errors of authentication and of paths also carry their numeric code.
 * @source activity 21.2
 */
export interface ProblemDetails {
  readonly status: number;
  readonly title: string;
  /** Message template. */
  readonly detail: string;
  readonly slug: string | undefined;
  /** What `errors` contains: nothing, the numeric code, each parameter, or what was not found. */
  readonly errors: 'none' | 'code' | 'parameters' | 'resource';
  /** Additional members and their values. */
  readonly extraMembers: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Additional members of problems, by the slug of the page. @source activity 18 and 21.2 */
const BESIDE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'client-forbidden': { reason: 'user-not-authorized' },
  'streaming-connection': { connection_issue: 'TooManyConnections' },
};

/** Statuses whose `detail` is just their title. */
const BARE = new Set([401, 429, 500, 503]);

/** Problems of paths also carry the numeric code of the former versions, which clients know. @source decision 585 */
const CODED: readonly ProblemName[] = ['PATH_GONE', 'ROUTE_UNKNOWN', 'METHOD_UNKNOWN'];

/** The page of a problem that has one. */
export interface ProblemPage {
  readonly title: string;
  readonly status: number;
  /** What happened. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

/** The pages of problems, by slug. @source activity 21.2 */
export const PROBLEM_PAGES: Readonly<Record<string, ProblemPage>> = {
  'invalid-request': {
    title: 'Invalid Request',
    status: 400,
    meaning: 'One or more parameters of the request are missing, malformed, or have a value that is not allowed.',
    remedy:
      'Each entry of `errors` names a parameter, the value received and what was expected. Correct them all before you send the request again; the same request will fail again.',
  },
  'unsupported-authentication': {
    title: 'Unsupported Authentication',
    status: 403,
    meaning: 'The request has an application-only bearer token, but this endpoint acts for a user.',
    remedy:
      'Sign the request with the access token of a user (OAuth 1.0a). To get one, start a login with POST /oauth/request_token. If the error asks for OAuth 2.0 Application-Only, send the bearer token of the application instead, which POST /oauth2/token returns.',
  },
  'oauth1-permissions': {
    title: 'Forbidden',
    status: 403,
    meaning: 'The access level of the token does not allow this call.',
    remedy:
      'Raise the access level of the application in its settings, then ask the user to authorize it again: a token keeps the level it was issued with. Writes require read-write, direct messages read-write-directmessages.',
  },
  'client-forbidden': {
    title: 'Client Forbidden',
    status: 403,
    meaning: 'The application may make this call, but not for this user, because the requested data is private.',
    remedy: 'Sign the request with the access token of that user.',
  },
  'resource-not-found': {
    title: 'Not Found Error',
    status: 404,
    meaning: 'The requested resource does not exist or does not belong to the application.',
    remedy: 'List the existing resources, and use one of their ids.',
  },
  'streaming-connection': {
    title: 'ConnectionException',
    status: 429,
    meaning: 'The application has reached its limit of open streams.',
    remedy:
      'Close a stream that you no longer read: GET /2/connections lists them, DELETE /2/connections closes them by id. A reader that disappeared without closing its connection is detected only when nothing more can be sent to it. Wait a minute before you retry, then double the delay each time.',
  },
  'operational-disconnect': {
    title: 'operational-disconnect',
    status: 200,
    meaning:
      'The last line of a stream that the service closed. `disconnect_type` is the reason: UpstreamOperationalDisconnect when the service stops, ForceDisconnect when a call closed the connection or its token was revoked, SlowReader when too much data was waiting for the reader, ClientApplicationStateDegraded when the application was suspended, InternalError for an internal error.',
    remedy:
      'Reconnect with `backfill_minutes` or `start_time` to receive the events that you missed. After SlowReader, read faster: take each line off the connection at once, and process it elsewhere.',
  },
  conflict: {
    title: 'Conflict',
    status: 409,
    meaning: 'The request conflicts with another one that is in progress.',
    remedy: 'Wait until that has finished, then send the request again.',
  },
};

/** The path of a problem's page. */
export function problemPath(slug: string): string {
  return `/2/problems/${slug}`;
}

/** The form of a problem in version 2. */
export function problemDetails(name: ProblemName): ProblemDetails {
  const [status, code, message] = wordingIn('problem', name);
  if (status === 400) {
    const detail = name === 'NOT_JSON' ? message : 'One or more parameters to your request was invalid.';
    const slug = 'invalid-request';
    return { status, title: PROBLEM_PAGES[slug]!.title, detail, slug, errors: 'parameters', extraMembers: {} };
  }
  if (typeof code === 'string' && Object.hasOwn(PROBLEM_PAGES, code)) {
    const errors = code === 'resource-not-found' ? 'resource' : 'none';
    return {
      status,
      title: PROBLEM_PAGES[code]!.title,
      detail: message,
      slug: code,
      errors,
      extraMembers: BESIDE[code] ?? {},
    };
  }
  const title = TITLES[status]!;
  const errors = AUTHENTICATION_PROBLEMS.includes(name) || CODED.includes(name) ? 'code' : 'none';
  return { status, title, detail: BARE.has(status) ? title : message, slug: undefined, errors, extraMembers: {} };
}

/**
 * The body of an error reply in version 2. The first error determines the form; errors of parameters are reported
 * together.
 * @param base returns the public origin of the service.
 * @param phrase changes message templates.
 */
export function problemBody(
  errors: readonly ErrorDetail[],
  base: () => string,
  phrase?: (template: string) => string,
): Record<string, unknown> {
  const [first] = errors as readonly [ErrorDetail, ...ErrorDetail[]];
  const { status, title, detail, slug, errors: reported, extraMembers } = problemDetails(first.problem);
  const type = slug === undefined ? 'about:blank' : base() + problemPath(slug);
  if (reported === 'parameters')
    return { errors: errors.map((error) => parameterError(error, phrase)), title, detail, type };
  const { code, message } = wordingOf(first, 'problem', phrase);
  if (reported === 'resource') return { errors: [resourceError(first, { title, detail: message, type })] };
  const body = { title, type, status, detail: detail.includes('{') ? message : detail, ...extraMembers };
  return reported === 'code' ? { ...body, errors: [{ code, message }] } : body;
}

/**
 * An entry for what was not found: `value` of the error is its id, `words.kind` its resource type.
 * @source activity 21.2
 */
function resourceError(
  { parameter, value, words }: ErrorDetail,
  { title, detail, type }: { readonly title: string; readonly detail: string; readonly type: string },
): Record<string, unknown> {
  return { value, detail, title, resource_type: words?.kind, parameter, resource_id: value, type };
}

function parameterError(
  error: ErrorDetail,
  phrase: ((template: string) => string) | undefined,
): Record<string, unknown> {
  const { parameter, words = {} } = error;
  const parameters = parameter === undefined ? {} : { [parameter]: 'raw' in words ? [String(words.raw)] : [] };
  return { parameters, message: wordingOf(error, 'problem', phrase).message };
}
