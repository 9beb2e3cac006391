import { type Fault, NOT_LET_IN, type ProblemName, wordingIn, wordingOf } from './problems.ts';

/**
 * How a condition is said in version 2. `slug` names its page; without one the type is `about:blank`. A condition of
 * parameters has no status among its members; one that keeps a caller out carries its numeric code beside.
 * @source authentication gaps 21.2
 */
export interface ProblemDetails {
  readonly status: number;
  readonly title: string;
  /** Message template. */
  readonly detail: string;
  readonly slug: string | undefined;
  /** What `errors` tells: nothing, the numeric code, or each parameter. */
  readonly errors: 'none' | 'code' | 'parameters';
}

const TITLES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Statuses of which no more is said than what they are called. */
const BARE = new Set([401, 429, 500, 503]);

/** What stands on the page of a problem that has one. */
export interface ProblemPage {
  readonly title: string;
  readonly status: number;
  /** What has happened. */
  readonly meaning: string;
  /** What the caller can do about it. */
  readonly remedy: string;
}

/** The page of each problem that has a name of its own. @source authentication gaps 21.2 */
export const PROBLEM_PAGES: Readonly<Record<string, ProblemPage>> = {
  'invalid-request': {
    title: 'Invalid Request',
    status: 400,
    meaning: 'One or more parameters of the request are missing, cannot be read, or have a value that is not allowed.',
    remedy:
      'Each entry of `errors` names a parameter with the value that was received, and says what was expected. Correct all of them and send the request again; sending it unchanged gives the same answer.',
  },
  'unsupported-authentication': {
    title: 'Unsupported Authentication',
    status: 403,
    meaning:
      'The request came with the bearer token of an application, and this endpoint answers for a user: a token of the application alone does not say which one.',
    remedy:
      'Sign the request with the access token of a user (OAuth 1.0a). If you have none, let the user log in: the three steps begin with POST /oauth/request_token.',
  },
};

/** The path under which the page of a problem is served. */
export function problemPath(slug: string): string {
  return `/2/problems/${slug}`;
}

/** How a condition is said in version 2. */
export function problemDetails(name: ProblemName): ProblemDetails {
  const [status, code, message] = wordingIn('problem', name);
  if (status === 400) {
    const detail = 'One or more parameters to your request was invalid.';
    const slug = 'invalid-request';
    return { status, title: PROBLEM_PAGES[slug]!.title, detail, slug, errors: 'parameters' };
  }
  if (typeof code === 'string')
    return { status, title: PROBLEM_PAGES[code]!.title, detail: message, slug: code, errors: 'none' };
  const title = TITLES[status]!;
  const errors = NOT_LET_IN.includes(name) ? 'code' : 'none';
  return { status, title, detail: BARE.has(status) ? title : message, slug: undefined, errors };
}

/**
 * The body of faults in version 2; the first decides what is said, faults of parameters are told together.
 * @param base tells the address under which the caller knows the service.
 */
export function problemBody(faults: readonly Fault[], base: () => string): Record<string, unknown> {
  const [first] = faults as readonly [Fault, ...Fault[]];
  const { status, title, detail, slug, errors } = problemDetails(first.problem);
  const type = slug === undefined ? 'about:blank' : base() + problemPath(slug);
  if (errors === 'parameters') return { errors: faults.map(parameterError), title, detail, type };
  const { code, message } = wordingOf(first, 'problem');
  const said = { title, type, status, detail: detail.includes('{') ? message : detail };
  return errors === 'code' ? { ...said, errors: [{ code, message }] } : said;
}

function parameterError(fault: Fault): Record<string, unknown> {
  const { parameter, words = {} } = fault;
  const parameters = parameter === undefined ? {} : { [parameter]: 'raw' in words ? [String(words.raw)] : [] };
  return { parameters, message: wordingOf(fault, 'problem').message };
}
