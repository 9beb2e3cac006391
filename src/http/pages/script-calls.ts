import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Environment } from '../../contract/declare/account-state.ts';
import { consoleCaller } from '../../contract/declare/callers.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { PipelineDependencies } from '../exchange.ts';
import { hasFormBody } from '../form-body.ts';
import { handleRequest } from '../pipeline.ts';
import { discardAndClose } from '../read-body.ts';
import { baseHeaders, clientRequestId, JSON_TYPES, send } from '../reply.ts';
import { sharedRouter } from '../routes.ts';
import { browserName } from './browser-sessions.ts';
import { readCookie, SESSION_COOKIE } from './cookies.ts';
import { isFromOwnPage } from './csrf.ts';
import type { PageDeps } from './page-handler.ts';

/** The base path for calls of page scripts. */
const CONSOLE_API = '/console/api';

/** The header with the form token. */
const TOKEN_HEADER = 'x-form-token';

/**
 * Returns the operations that page scripts may call: those of the advertising API, and media uploads with their status.
 * @source decision 1000
 */
function consoleOperations(operations: readonly Operation[]): readonly Operation[] {
  const uploads = new Set(operations.flatMap(({ files, path }) => (files === undefined ? [] : path)));
  return operations.filter(
    ({ credential = 'user', family, path, shape }) =>
      credential === 'user' && shape !== 'stream' && (family === 'ads' || uploads.has(path)),
  );
}

/** The dependencies of calls of page scripts. */
type ConsoleApiDeps = Pick<
  PageDeps,
  'sessions' | 'originsOf' | 'addressOf' | 'addressLimiter' | 'pages' | 'log' | 'calls'
>;

/**
 * Answers calls of scripts on our own pages, `/console/api/{environment}/…`, through the pipeline of the API, with a browser
 * session in place of a signature. Returns false for other paths.
 * @source decision 998
 */
export function consoleApi(deps: ConsoleApiDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const { operations } = deps.calls.production;
  const byPath = new Map<string, Map<string, Operation>>();
  for (const operation of consoleOperations(operations)) {
    const methods = byPath.get(operation.path) ?? new Map<string, Operation>();
    byPath.set(operation.path, methods.set(operation.method, operation));
  }
  const find = sharedRouter([...byPath.keys()]);
  return (request, response) => {
    const [, environment, target] = /^\/console\/api\/(production|sandbox)(\/.*)$/s.exec(request.url!) ?? [];
    if (environment === undefined || target === undefined) return false;
    const route = find(target);
    const operation = route && byPath.get(route.path)!.get(request.method!);
    void answer(deps, environment as Environment, { request, response, operation, path: { ...route?.params } });
    return true;
  };
}

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly operation: Operation | undefined;
  readonly path: Record<string, string>;
}

async function answer(deps: ConsoleApiDeps, environment: Environment, arrival: Arrival): Promise<void> {
  const { request, response, operation, path } = arrival;
  const own = deps.calls[environment];
  let user: string | Refusal;
  try {
    if (own.fence) await own.fence();
    user = await userOf(deps, request);
  } catch (error) {
    if (!(error instanceof Problem)) deps.log.error({ err: error }, 'a call of a page failed');
    user = error instanceof Problem ? UNAVAILABLE : FAILED;
  }
  if (typeof user === 'object') return refuse(own, arrival, user);
  if (!operation || (operation.onlyIn ?? environment) !== environment) return refuse(own, arrival, NO_OPERATION);
  // Only pages of this service can send these types, with the token in a header.
  if (hasFormBody(request)) return refuse(own, arrival, FORM);
  const known = { caller: consoleCaller(user), bodyHash: undefined };
  await handleRequest(own, operation, request, response, path, known);
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const NO_SESSION = { status: 401, code: 'UNAUTHORIZED_ACCESS', message: 'You are not logged in' };
const FOREIGN = { status: 403, code: 'FORBIDDEN', message: 'This request does not come from a page of this service' };
const BLOCKED = { status: 403, code: 'FORBIDDEN', message: 'Your user account cannot be used at the moment' };
const NO_OPERATION = { status: 404, code: 'ROUTE_NOT_FOUND', message: 'Pages cannot call this' };
const FORM = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Pages send JSON, and files as multipart data' };
const TOO_MANY = { status: 429, code: 'TOO_MANY_REQUESTS', message: 'Too many requests from this address' };
const UNAVAILABLE = { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'Try again in a moment' };
const FAILED = { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong' };

/** The id of the user whose session the request has, or why there is none. */
async function userOf(deps: ConsoleApiDeps, request: IncomingMessage): Promise<string | Refusal> {
  const origins = deps.originsOf(request);
  const isSecure = origins.at(-1)?.startsWith('https:') ?? false;
  const address = deps.addressOf(request);
  const session = await deps.sessions.open({
    cookie: readCookie(request, SESSION_COOKIE, isSecure),
    address,
    browser: browserName(request.headers['user-agent']),
  });
  const { user } = session;
  // Those with a session are counted with the limits of the call.
  if (!user) return deps.addressLimiter?.take(address) === undefined ? NO_SESSION : TOO_MANY;
  const input = request.headers[TOKEN_HEADER];
  const tokens = { input: typeof input === 'string' ? input : undefined, own: session.csrfToken, isKept: true };
  if (!isFromOwnPage(request, origins, tokens)) return FOREIGN;
  return deps.pages.isBlocked(user) ? BLOCKED : user.id;
}

function refuse(own: PipelineDependencies, { request, response }: Arrival, refusal: Refusal): void {
  const { status, code, message } = refusal;
  const headers = baseHeaders('ads', JSON_TYPES.ads, {
    transactionId: own.nextTransactionId(),
    duration_ms: 0,
    requestId: clientRequestId(request),
    secure: own.secureHeaders(request),
  });
  if (status === 503) headers.push('retry-after', '1');
  response.shouldKeepAlive = request.complete && !own.isDraining();
  if (!request.complete) discardAndClose(request);
  send(response, status, headers, JSON.stringify({ errors: [{ code, message }] }));
  own.observer.pageVisited(CONSOLE_API, request.method!, status);
}
