import type { IncomingMessage, ServerResponse } from 'node:http';
import { formatInstant } from '../base/instants.ts';
import type { Access, Authenticated, Caller } from '../contract/declare/callers.ts';
import { isId, type Raw } from '../contract/declare/fields.ts';
import type { Call, OpenWindow, Operation, Principal } from '../contract/declare/operation.ts';
import type { AccountState } from '../contract/declare/resource.ts';
import { type ErrorDetail, Problem, problem } from '../contract/problems/problems.ts';
import type { Incoming } from '../contract/services/blobs.ts';
import type { Flow } from '../contract/services/streams.ts';
import { echo } from '../engine/echo.ts';
import { envelope } from '../engine/envelope.ts';
import { readParameters, refuse } from '../engine/validate.ts';
import type { AddressCounts } from './address-counts.ts';
import type { AuditOrigin } from './audit-log.ts';
import { endSoftly } from './bytes-body.ts';
import { failureReply } from './envelopes.ts';
import type { Exchange, PipelineParts } from './exchange.ts';
import { formBody, isForm, signedPartsOf } from './form.ts';
import { heldBack } from './held-back.ts';
import { isJson, jsonBytes, ofCaller, parseJson, wholeBody } from './json-body.ts';
import { isMultipart, type Reception, receiveParts, receiveText } from './multipart.ts';
import { headersOf, scopeOf, send } from './reply.ts';
import { readPairs } from './request.ts';
import { requestIdOf } from './request-id.ts';

/**
 * The life of a request, in order. Beside each step: the statuses with which it can end the request.
 * @source authentication gaps 1.3; campaigns 2.1
 */
async function perform(parts: PipelineParts, exchange: Exchange): Promise<Done> {
  const { operation, request } = exchange;
  const origins = parts.origins(request); //                                           403 plain HTTP
  if (parts.flood) holdBack(parts, exchange, parts.flood); //                          429
  const form = isForm(request) ? await formBody(parts, exchange) : undefined; //       408 413 429 503
  const signer = authenticate(parts, exchange, origins, form); //                      400 401 403 431
  const signed = signer instanceof Promise ? await signer : signer;
  parts.connections.vouch(request.socket);
  const bodyHash = admit(exchange, signed, form); //                                   401 403
  const raw = rawParameters(exchange, form, signed.headerParameters); //               400
  const access = operation.roles && (rememberedAccess(parts, exchange) ?? (await findAccess(parts, exchange)));
  if (operation.roles) checkAccess(parts, exchange, raw, access); //                   403 404
  takeRate(parts, exchange, { account: access?.account.id, raw, nonce: signed.nonce }); // 429
  const kept = signed.nonce?.keep(); //                                                503
  // What changes something must not do so twice, even if the process ends before the reply.
  if (operation.method !== 'GET' || operation.isTokenStep) await kept;
  const received = new Map<string, Incoming>();
  try {
    const isUpload = operation.body === 'upload' && isMultipart(request);
    const hasBody = !isUpload && hasWholeBody(exchange, bodyHash);
    const body = operation.bodyBytes
      ? await jsonBytes(parts, exchange, operation.bodyBytes, bodyHash) //             400 401 408 429 503
      : hasBody
        ? await jsonBody(parts, exchange, raw, bodyHash) //                            400 401 408 413 429 503
        : undefined;
    if (operation.files) await receive(parts, exchange, { raw, received, bodyHash, isUpload }); // 400 401 413
    const input = parameters(exchange, raw, access?.account); //                       400
    const answer = await operation.perform(callOf(parts, exchange, { access, input, body, received })); // 400 403 404
    exchange.usesDeprecated = answer.usesDeprecated ?? false;
    return { status: answer.status ?? 200, text: envelope(operation, answer, exchange.params), flow: answer.flow }; // 200
  } finally {
    await kept;
    for (const each of received.values()) await parts.services.blobs.discard(each);
  }
}

/** How a call ended that succeeded. */
interface Done {
  readonly status: number;
  readonly text: string;
  /** What goes on after the head. */
  readonly flow: Flow | undefined;
}

const NOTHING: Exchange['noted'] = [];

/** The status under which a request is counted whose caller went away. */
const CANCELLED = 408;

/** Answers one request of an operation. Never rejects. */
export async function answer(
  parts: PipelineParts,
  operation: Operation,
  request: IncomingMessage,
  response: ServerResponse,
  path: Record<string, string>,
): Promise<void> {
  const exchange: Exchange = {
    operation,
    request,
    transactionId: parts.nextTransactionId(),
    startedAt_ms: performance.now(),
    path,
    caller: undefined,
    taken: undefined,
    params: '{}',
    ignored: '',
    noted: NOTHING,
    usesDeprecated: false,
    isCut: false,
  };
  let status = 200;
  let text: string;
  let flow: Flow | undefined;
  let failure: unknown;
  try {
    ({ status, text, flow } = await perform(parts, exchange));
  } catch (error) {
    failure = error;
    const reply = failureReply(error, operation.family, exchange.params, {
      base: () => parts.origins(request)[0] ?? '',
      path: request.url!.split('?', 1)[0]!,
    });
    status = reply.status;
    text = reply.body;
    // Whoever goes away in the middle of a body is no fault of ours, and gets no reply.
    if (request.destroyed && !request.complete) return parts.observer.replied(exchange, CANCELLED, failure);
    await heldBack(failure, exchange.startedAt_ms);
  }
  if (exchange.noted.length > 0) await parts.auditLog.record(exchange.noted, auditOriginOf(parts, exchange));
  if (parts.isDraining() || exchange.isCut) response.shouldKeepAlive = false;
  if (exchange.isCut) endSoftly(request);
  const headers = headersOf(exchange, parts, status, failure);
  if (flow) parts.streamWriter.begin(response, headers, flow);
  else send(response, status, headers, text);
  parts.observer.replied(exchange, status, failure);
}

function auditOriginOf(parts: PipelineParts, { request, transactionId }: Exchange): AuditOrigin {
  return { transaction_id: transactionId, request_id: requestIdOf(request), address: parts.address(request) };
}

function callOf(
  parts: PipelineParts,
  exchange: Exchange,
  of: Pick<Call, 'input' | 'body' | 'received'> & { readonly access: Access | undefined },
): Call {
  const { access, input, body, received } = of;
  return {
    services: parts.services,
    environment: parts.environment,
    caller: exchange.caller!,
    principal: exchange.caller as Principal,
    address: parts.address(exchange.request),
    account: access?.account,
    role: access?.role,
    composer: access?.composer ?? false,
    path: exchange.path,
    input,
    body,
    received,
    isHead: exchange.request.method === 'HEAD',
    now: formatInstant(parts.services.clock.now()),
    record: (tx, event) => parts.auditLog.within(auditOriginOf(parts, exchange))(tx, event),
    note(noted) {
      exchange.noted = [...exchange.noted, noted];
    },
    windows: () => windowsOf(parts, exchange.caller!),
  };
}

/** The windows of a caller, of whatever the credential presented is good for. */
function windowsOf({ operations, environment, rates }: PipelineParts, caller: Caller): OpenWindow[] {
  const fitting = operations.filter(({ credential = 'user', only = environment }) => {
    const isGood =
      credential === 'user-or-bearer' || credential === (caller.kind === 'application' ? 'bearer' : caller.kind);
    return isGood && only === environment;
  });
  return fitting.map((each) => ({ path: each.path, ...rates.look(each, { environment, caller }) }));
}

/** An address that sends too much is stopped before its requests cost anything; it is told the window that it filled. */
function holdBack({ address, services }: PipelineParts, exchange: Exchange, flood: AddressCounts): void {
  const wait_s = flood.take(address(exchange.request));
  if (wait_s === undefined) return;
  const reset = Math.floor(services.clock.now() / 1000) + wait_s;
  const filled = { limit: flood.max, remaining: 0, reset };
  exchange.taken = { user: filled, account: undefined, address: filled, isRefused: true, counters: [] };
  throw new Problem([{ problem: 'RATE_LIMITED' }], { because: 'too much from one address', retryAfter_s: wait_s });
}

const AUTHORIZATION_BYTES_MAX = 8192;

function authenticate(
  parts: PipelineParts,
  { operation, request }: Exchange,
  origins: readonly string[],
  form: string | undefined,
): Authenticated | Promise<Authenticated> {
  const { authorization } = request.headers;
  if (authorization !== undefined && authorization.length > AUTHORIZATION_BYTES_MAX) {
    throw problem('HEADER_TOO_LARGE');
  }
  if (hasRepeatedAuthorization(request)) throw problem('CREDENTIAL_UNUSABLE', {}, 'two Authorization headers');
  const presented = signedPartsOf(request, form);
  const { credential = 'user' } = operation;
  if (credential === 'user') return parts.authenticator.authenticate(presented, origins);
  return parts.authenticators[credential]!({ ...presented, address: parts.address(request) }, origins);
}

/** Takes note of the caller, and checks what the level of the token allows; the answer is the hash of the body. */
function admit(exchange: Exchange, { caller, bodyHash }: Authenticated, form: string | undefined): string | undefined {
  const { operation } = exchange;
  exchange.caller = caller;
  exchange.params = echo(exchange.path, {}, {});
  if (bodyHash !== undefined && form !== undefined) {
    throw problem('SIGNATURE_REFUSED', {}, 'a body hash beside a form body');
  }
  if (operation.method === 'GET' || operation.isTokenStep || caller.kind !== 'user') return bodyHash;
  if (caller.level === 'read') {
    throw problem(caller.applicationLevel === 'read' ? 'READ_ONLY_APPLICATION' : 'READ_ONLY_TOKEN');
  }
  return bodyHash;
}

/** Node joins repeated headers and keeps the first of this one; only the raw list shows the second. */
function hasRepeatedAuthorization(request: IncomingMessage): boolean {
  const { rawHeaders } = request;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count += 1;
  }
  return count > 1;
}

type RawParameters = Map<string, readonly Raw[]>;

function rawParameters(
  { operation, request }: Exchange,
  form: string | undefined,
  header: Authenticated['headerParameters'],
): RawParameters {
  const raw: RawParameters = new Map();
  for (const [name, value] of header ?? []) raw.set(name, [...(raw.get(name) ?? []), value]);
  const target = request.url!;
  const mark = operation.formOnly ? -1 : target.indexOf('?');
  if (mark >= 0) readPairs(target.slice(mark + 1), 'query', raw);
  if (form) readPairs(form, 'body', raw);
  return raw;
}

/** The access that the caller is known to have: the common case. */
function rememberedAccess(parts: PipelineParts, { path, caller }: Exchange): Access | undefined {
  const id = path.account_id!;
  if (!isId(id)) throw problem('ID_ILLEGAL', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  return parts.accesses.remembered((caller as Principal).user, id);
}

function findAccess(parts: PipelineParts, { path, caller }: Exchange): Promise<Access | undefined> {
  return parts.accesses.find((caller as Principal).user, path.account_id!);
}

/** Who may see that an account exists, and who may do what on it. */
function checkAccess(
  parts: PipelineParts,
  { operation, path }: Exchange,
  raw: RawParameters,
  access: Access | undefined,
): void {
  const id = path.account_id!;
  if (!access || access.account.environment !== parts.environment) {
    throw problem('ACCOUNT_NOT_ACCESSIBLE', { parameter: 'account_id', value: id });
  }
  if (access.account.deleted && !(operation.deletedAccount && isTrue(raw, 'with_deleted'))) {
    throw problem('NOT_FOUND', { parameter: 'account_id', value: id, words: { kind: 'Account' } });
  }
  if (!operation.roles!.includes(access.role)) throw problem('ACTION_NOT_ALLOWED', { words: { account: id } });
}

/** A switch that must be known before the parameters are read; one that is no boolean is refused there. */
function isTrue(raw: RawParameters, name: string): boolean {
  return /^(true|t|1)$/i.test(String(raw.get(name)?.[0] ?? ''));
}

/** A call that is refused here has used nothing up: it may be sent again as it is. @source decision 431 */
function takeRate(
  parts: PipelineParts,
  exchange: Exchange,
  of: Pick<Authenticated, 'nonce'> & { readonly account: string | undefined; readonly raw: RawParameters },
): void {
  const { account, raw, nonce } = of;
  const isCounting = 'with_total_count' in exchange.operation.parameters;
  const withTotalCount = isCounting && isTrue(raw, 'with_total_count');
  const scope = { ...scopeOf(parts, exchange), account, withTotalCount };
  exchange.taken = parts.rates.take(exchange.operation, scope);
  if (!exchange.taken.isRefused) return;
  nonce?.release();
  const { user, account: shared, address } = exchange.taken;
  const { reset } = [shared, address].find((window) => window?.remaining === 0) ?? user;
  const wait = Math.max(1, reset - Math.floor(parts.services.clock.now() / 1000));
  throw new Problem([{ problem: exchange.operation.rateProblem ?? 'RATE_LIMITED' }], { retryAfter_s: wait });
}

/** Whether the body is read as a whole: JSON, or anything of which a hash was signed. */
function hasWholeBody({ operation, request }: Exchange, bodyHash: string | undefined): boolean {
  return (
    operation.body === 'json' ||
    operation.body === 'object' ||
    bodyHash !== undefined ||
    (isJson(request) && !operation.formOnly)
  );
}

/** The files of an upload, past the memory. */
async function receive(
  parts: PipelineParts,
  exchange: Exchange,
  of: Pick<Reception, 'raw' | 'received' | 'bodyHash'> & { readonly isUpload: boolean },
): Promise<void> {
  const { operation, request } = exchange;
  const { services } = parts;
  const bytes_max = operation.bytesMax?.(services.uploads) ?? 0;
  const reception = { ...of, blobs: services.blobs, files: operation.files!, bytes_max };
  if (of.isUpload) await ofCaller(parts, exchange, (watch) => receiveParts(request, reception, watch));
  else await receiveText(reception);
}

/** The JSON body: required by JSON endpoints, read as parameters by those that do not read it themselves. */
async function jsonBody(parts: PipelineParts, exchange: Exchange, raw: RawParameters, bodyHash: string | undefined) {
  const { operation, request } = exchange;
  if (operation.shape === 'batch') exchange.params = '[]';
  else if (operation.body === 'json') exchange.params = echo({ ...exchange.path, ...operation.echoes }, {}, {});
  const isNeeded = operation.body === 'json' || operation.body === 'object';
  if (isNeeded && !isJson(request)) throw problem('CONTENT_TYPE', { parameter: 'Content-Type' });
  const bytes = await wholeBody(parts, exchange, bodyHash);
  if (!isJson(request) || (bytes.length === 0 && !isNeeded)) return undefined;
  const body = parseJson(bytes);
  const takesBody = operation.body !== 'json' && (operation.method === 'POST' || operation.method === 'PUT');
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (operation.body === 'object') {
    if (!isObject) throw problem('NOT_AN_OBJECT', { words: { parameter: 'the request body' } });
    raw.clear();
  }
  if (takesBody && isObject) for (const [name, value] of Object.entries(body)) raw.set(name, [value as Raw]);
  return body;
}

function parameters(exchange: Exchange, raw: RawParameters, account: AccountState | undefined) {
  const { operation, path } = exchange;
  if (operation.body === 'json' || operation.body === 'bytes') return {};
  const { input, errors } = readParameters(operation.parameters, raw, {
    empty: operation.method === 'GET' ? 'is refused' : 'unsets',
  });
  exchange.params = echo({ ...path, ...operation.echoes }, operation.parameters, input, raw);
  exchange.ignored = [...raw.keys()].filter((name) => !(name in operation.parameters)).join(', ');
  const together: readonly ErrorDetail[] = operation.check?.(input, account, new Set(raw.keys())) ?? [];
  // What could not be read is not missing.
  const read = new Set(errors.map(({ parameter }) => parameter));
  refuse([
    ...errors,
    ...together.filter((error) => error.problem !== 'MISSING_PARAMETER' || !read.has(error.parameter)),
  ]);
  return input;
}
