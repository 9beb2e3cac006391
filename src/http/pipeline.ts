import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject } from '../base/objects.ts';
import { decode } from '../base/percent.ts';
import { pause } from '../base/timers.ts';
import type { Authenticated } from '../contract/declare/callers.ts';
import type { RawValue } from '../contract/declare/fields.ts';
import type { Call, Operation } from '../contract/declare/operation.ts';
import { Problem, type ProblemName, problem } from '../contract/problems/problems.ts';
import type { ReceivedFile } from '../contract/services/received-files.ts';
import type { StreamHandle } from '../contract/services/streams.ts';
import { echo } from '../engine/echo.ts';
import { envelope } from '../engine/envelope.ts';
import { performOperation } from '../engine/perform-operation.ts';
import {
  admitCaller,
  auditOrigin,
  callOrigin,
  commitNonce,
  createExchange,
  limitAddress,
  nonceUse,
} from './call-steps.ts';
import { withCalledOrigin } from './called-host.ts';
import { errorReply } from './error-reply.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';
import { hasFormBody, readFormBody, signedPartsOf } from './form-body.ts';
import { hasJsonBody, parseJson, readAuthenticatedBody, readJsonBytes, readVerifiedBody } from './json-body.ts';
import { hasMultipartBody, type MultipartTarget, receiveMultipart, receiveTextFiles } from './multipart.ts';
import { discardAndClose } from './read-body.ts';
import { answerHeaders, buildReplyHeaders, chargeRefusedCall, send } from './reply.ts';
import { countHeader } from './request-host.ts';
import { translateStream } from './vocabulary/event-words.ts';

/**
 * Processes a request, step by step. The comment after each step lists its possible error statuses.
 * @source authentication 1.3; campaigns 2.1
 */
async function runSteps(
  deps: PipelineDependencies,
  exchange: Exchange,
  known: Authenticated | undefined,
): Promise<CallResult> {
  const { operation, request } = exchange;
  const origins = deps.originsOf(request); // 403 plain HTTP
  if (deps.addressLimiter) limitAddress(deps, exchange, deps.addressLimiter); // 429
  const fenced = deps.fence?.(); // 503
  // A request that is refused earlier does not wait for the fence.
  fenced?.catch(() => {});
  const form = hasFormBody(request) ? await readFormBody(deps, exchange) : undefined; // 400 401 408 413 429 503
  if (fenced) await (operation.toleratesOutages ? deps.services.serving.outages.wait(fenced) : fenced);
  const pending = known ?? authenticate(deps, exchange, origins, form); // 400 401 403 431 503
  const authenticated = pending instanceof Promise ? await pending : pending;
  deps.connectionLimiter.markAuthenticated(request.socket);
  const bodyHash = acceptCaller(exchange, authenticated, form); // 401 403
  const raw = rawParameters(deps, exchange, form, authenticated.headerParameters); // 400 401
  const { nonce } = authenticated;
  const access = await admitCaller(deps, exchange, raw, nonce); // 403 404 429 503
  const use = nonceUse(operation);
  const nonceWritten = commitNonce(deps, exchange, nonce, use); // 401 503
  // A change must not happen twice, even if the process ends before the reply; an open stream counts as answered.
  if (use !== 'read' || operation.shape === 'stream') await nonceWritten;
  const received = new Map<string, ReceivedFile>();
  try {
    const isUpload = operation.body === 'upload' && hasMultipartBody(request);
    const hasBody = !isUpload && hasWholeBody(exchange, bodyHash);
    const body = operation.bodyBytes
      ? await jsonBytes(deps, exchange, operation.bodyBytes, bodyHash) // 400 401 408 429 503
      : hasBody
        ? await jsonBody(deps, exchange, raw, bodyHash) // 400 401 408 413 429 503
        : undefined;
    if (operation.files) await receive(deps, exchange, { raw, received, bodyHash, isUpload }); // 400 401 408 413 429 503
    const origin = callOrigin(deps, exchange, withCalledOrigin(deps.services, deps.environment, origins[0]));
    const sees = deps.tools && (async (call: Call) => deps.tools!.performing(exchange, call));
    const answer = await performOperation(exchange, origin, access, { raw, body, files: received }, sees); // 400 403 404 409 410 429 503
    exchange.usesDeprecated = answer.usesDeprecated ?? false;
    if (answer.headers || (answer.hint && deps.includesHints))
      exchange.answerHeaders = await answerHeaders(deps, answer);
    return {
      status: answer.status ?? 200,
      text: envelope(operation, answer, exchange.echoedParams),
      flow: answer.flow,
    };
  } finally {
    await nonceWritten;
    for (const each of received.values()) await deps.services.media.received.discard(each);
  }
}

/** The result of a successful call. */
interface CallResult {
  readonly status: number;
  readonly text: string;
  /** The stream that follows the headers. */
  readonly flow: StreamHandle | undefined;
}

/** The status recorded for a request whose client disconnected midway. @source decision 66 */
const CANCELLED = 408;

/**
 * Answers one request of an operation. Never rejects.
 * @param known the caller, if known without credentials in the request.
 */
export async function handleRequest(
  deps: PipelineDependencies,
  operation: Operation,
  request: IncomingMessage,
  response: ServerResponse,
  path: Record<string, string>,
  known?: Authenticated,
): Promise<void> {
  const exchange = createExchange(deps, operation, request, path);
  let status = 200;
  let text: string;
  let flow: StreamHandle | undefined;
  let failure: unknown;
  try {
    ({ status, text, flow } = await runSteps(deps, exchange, known));
  } catch (error) {
    failure = error;
    const reply = errorReply(error, operation.family, exchange.echoedParams, {
      base: () => deps.originsOf(request)[0] ?? '',
      path: request.url!.split('?', 1)[0]!,
      words: exchange.words,
      textOf: deps.textOfError,
    });
    status = reply.status;
    text = reply.body;
    // A client that disconnected in the middle of a body is not an internal error, and gets no reply.
    if (request.destroyed && !request.complete) return deps.observer.replied(exchange, CANCELLED, failure);
    await delayRefusal(failure, exchange.startedAt_ms);
  }
  if (exchange.auditEvents.length > 0) await deps.auditLog.record(exchange.auditEvents, auditOrigin(deps, exchange));
  if (deps.isDraining() || exchange.closesConnection) response.shouldKeepAlive = false;
  if (exchange.closesConnection) discardAndClose(request);
  const counted = chargeRefusedCall(exchange, deps);
  if (counted) await counted;
  let headers = buildReplyHeaders(exchange, deps, status, failure);
  if (exchange.words) {
    text = exchange.words.replyOut(text);
    headers = exchange.words.headers(headers);
    flow &&= translateStream(flow, exchange.words);
  }
  if (flow) {
    deps.tools?.streaming(exchange, headers, response);
    deps.streamWriter.begin(response, headers, flow);
  } else {
    const reply = { status, headers, text, failure };
    const isDone = deps.tools && (await deps.tools.reply(exchange, reply, response));
    status = reply.status;
    if (!isDone) {
      const write = () => send(response, reply.status, reply.headers, reply.text);
      // A body that is still arriving could break the connection before a grouped write.
      if (request.complete) deps.replyGroups.write(write);
      else write();
    }
  }
  deps.observer.replied(exchange, status, failure);
}

const AUTHORIZATION_BYTES_MAX = 8192;

function authenticate(
  deps: PipelineDependencies,
  { operation, request }: Exchange,
  origins: readonly string[],
  form: string | undefined,
): Authenticated | Promise<Authenticated> {
  const { authorization } = request.headers;
  if (authorization !== undefined && authorization.length > AUTHORIZATION_BYTES_MAX) {
    throw problem('HEADER_TOO_LARGE');
  }
  // Node keeps only the first of repeated headers, so the raw list has to be searched.
  if (countHeader(request.rawHeaders, 'authorization') > 1)
    throw problem('CREDENTIAL_UNUSABLE', {}, 'more than one Authorization header');
  const presented = signedPartsOf(request, form);
  const { credential = 'user' } = operation;
  if (credential === 'user') return deps.userAuthenticator.authenticate(presented, origins);
  return deps.otherAuthenticators[credential]!({ ...presented, address: deps.addressOf(request) }, origins);
}

/**
 * The SHA-1 of an empty body. Ruby's OAuth library sends it with requests whose parameters are all in the query, and its HTTP
 * client then declares a form body.
 * @source analytics 2; decision 969
 */
const HASH_OF_NOTHING = '2jmj7l5rSw0yVb/vlWAYkK/YBwk=';

/** Records the caller and checks the access level of their token; returns the signed body hash that needs verifying. */
function acceptCaller(
  exchange: Exchange,
  { caller, bodyHash }: Authenticated,
  form: string | undefined,
): string | undefined {
  const { operation } = exchange;
  exchange.caller = caller;
  exchange.echoedParams = echo(exchange.path, {}, {});
  const isOfNothing = form === '' && bodyHash === HASH_OF_NOTHING;
  if (bodyHash !== undefined && form !== undefined && !isOfNothing) {
    throw problem('SIGNATURE_REFUSED', {}, 'a body hash with a form body');
  }
  const unchecked = isOfNothing ? undefined : bodyHash;
  if (operation.method === 'GET' || operation.allowsReadOnlyToken || caller.kind !== 'user') return unchecked;
  if (caller.level === 'read') {
    throw problem(caller.applicationLevel === 'read' ? 'READ_ONLY_APPLICATION' : 'READ_ONLY_TOKEN');
  }
  return unchecked;
}

function rawParameters(
  { vocabulary }: PipelineDependencies,
  exchange: Exchange,
  form: string | undefined,
  header: Authenticated['headerParameters'],
): Map<string, readonly RawValue[]> {
  const { operation, request } = exchange;
  const raw = new Map<string, readonly RawValue[]>();
  for (const [name, value] of header ?? []) raw.set(name, [...(raw.get(name) ?? []), value]);
  const target = request.url!;
  const mark = operation.formOnly ? -1 : target.indexOf('?');
  if (mark >= 0) parsePairs(target.slice(mark + 1), 'query', raw);
  if (form) parsePairs(form, 'body', raw);
  exchange.words = vocabulary?.clientOf(request.url!, raw.keys()).of(operation);
  return exchange.words?.parametersIn(raw) ?? raw;
}

/** Whether the body must be JSON. */
function isJsonOnly({ body }: Operation): boolean {
  return body === 'json' || body === 'object' || body === 'members';
}

/** Whether the body is read as a whole: JSON, or any body with a signed hash. */
function hasWholeBody({ operation, request }: Exchange, bodyHash: string | undefined): boolean {
  return isJsonOnly(operation) || bodyHash !== undefined || (hasJsonBody(request) && !operation.formOnly);
}

/** The bytes of a JSON body that the operation parses itself. */
async function jsonBytes(
  deps: PipelineDependencies,
  exchange: Exchange,
  limit: NonNullable<Operation['bodyBytes']>,
  bodyHash: string | undefined,
): Promise<Uint8Array> {
  const bytes = await readJsonBytes(deps, exchange, limit, bodyHash);
  return exchange.words ? exchange.words.bytesIn(bytes) : bytes;
}

/** Receives the files of an upload, which go straight to storage. */
async function receive(
  deps: PipelineDependencies,
  exchange: Exchange,
  of: Pick<MultipartTarget, 'raw' | 'received' | 'bodyHash'> & { readonly isUpload: boolean },
): Promise<void> {
  const { operation, request, words } = exchange;
  const { services } = deps;
  const bytes_max = operation.bytesMax?.(services.media.uploadRules) ?? 0;
  const reception = { ...of, words, storage: services.media.received, files: operation.files!, bytes_max };
  if (of.isUpload) await readAuthenticatedBody(deps, exchange, (watch) => receiveMultipart(request, reception, watch));
  else await receiveTextFiles(reception);
}

/**
 * The JSON body: required by JSON endpoints; others read the members of an object as parameters.
 * @source decision 30
 */
async function jsonBody(
  deps: PipelineDependencies,
  exchange: Exchange,
  raw: Map<string, readonly RawValue[]>,
  bodyHash: string | undefined,
) {
  const { operation, request, words } = exchange;
  if (operation.shape === 'batch') exchange.echoedParams = '[]';
  else if (operation.body === 'json' || operation.body === 'members')
    exchange.echoedParams = echo({ ...exchange.path, ...operation.extraEcho }, {}, {});
  const isNeeded = isJsonOnly(operation);
  if (isNeeded && !hasJsonBody(request)) throw problem('CONTENT_TYPE', { parameter: 'Content-Type' });
  const bytes = await readVerifiedBody(deps, exchange, bodyHash);
  if (!hasJsonBody(request) || (bytes.length === 0 && !isNeeded)) return undefined;
  const parsed = parseJson(bytes);
  const body = words ? words.bodyIn(parsed) : parsed;
  const takesBody =
    operation.body !== 'json' &&
    operation.body !== 'members' &&
    (operation.method === 'POST' || operation.method === 'PUT');
  if (operation.body === 'object') {
    if (!isObject(body)) throw problem('NOT_AN_OBJECT', { words: { parameter: 'the request body' } });
    raw.clear();
  }
  if (takesBody && isObject(body)) for (const [name, value] of Object.entries(body)) raw.set(name, [value as RawValue]);
  return body;
}

/**
 * Parses the `name=value` pairs of a query or form body into lists by name, which replace earlier ones of the same name.
 * Protocol parameters are omitted.
 * @source decision 29
 */
function parsePairs(source: string, part: 'query' | 'body', into: Map<string, readonly RawValue[]>): void {
  if (source === '') return;
  const own = new Map<string, RawValue[]>();
  for (const pair of source.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), true);
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1), true);
    // Such a pair cannot have been signed, so no request with a valid signature gets here.
    if (name === undefined || value === undefined) throw problem('CREDENTIAL_UNUSABLE', {}, `undecodable ${part}`);
    if (name.startsWith('oauth_')) continue;
    const values = own.get(name);
    if (values) values.push(value);
    else own.set(name, [value]);
  }
  // The body is parsed last, so its values take precedence.
  for (const [name, values] of own) into.set(name, values);
}

/** Refusals whose timing could disclose which keys, tokens or secrets exist. */
const DELAYED_PROBLEMS: ReadonlySet<ProblemName> = new Set([
  'CLIENT_REFUSED',
  'BEARER_INVALID',
  'SIGNATURE_REFUSED',
  'TOKEN_UNKNOWN',
  'TOKEN_REVOKED',
]);

/** Minimum duration of a refusal: ten times that of its work. */
const REFUSAL_MS = 5;

/**
 * Delays a refusal until a fixed time after the request arrived. Refusals do the same work where possible; the delay hides
 * the remaining differences, such as whether a row is read.
 * @source authentication 1.3
 */
async function delayRefusal(failure: unknown, startedAt_ms: number): Promise<void> {
  if (!(failure instanceof Problem) || !DELAYED_PROBLEMS.has(failure.errors[0]!.problem)) return;
  const left_ms = Math.ceil(REFUSAL_MS - (performance.now() - startedAt_ms));
  if (left_ms > 0) await pause(left_ms);
}
