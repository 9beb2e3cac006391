import { lookup } from 'node:dns/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, hostIn, listen } from '../base/node-http.ts';
import { asciiLowerCase, nearestWord } from '../base/text.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { Problem, type ProblemName, problem } from '../contract/problems/problems.ts';
import { VERSION } from '../engine/operations.ts';
import { type ConnectionDrain, type DrainTimes, watchConnections } from './connection-drain.ts';
import type { PipelineDependencies } from './exchange.ts';
import { handleRequest } from './pipeline.ts';
import { pipeliningLimit } from './pipelining-limit.ts';
import { discardAndClose, hasEncodedBody } from './read-body.ts';
import { send } from './reply.ts';
import { hasValidHost } from './request-host.ts';
import { type Route, type Router, type Routes, sharedRouter } from './routes.ts';
import { familyOf, sendError } from './send-error.ts';
import type { Tls } from './tls.ts';
import { answerParseError, endIncompleteRequest, refuseConnection, trackChunkedRequest } from './unparsed-requests.ts';

/** Other methods get the reply of an unknown path. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Interval of the check for slow requests. */
const LOOK_MS = 1000;

/** The parts of a listener beside the operations. */
interface ListenerParts {
  /** Undefined for plain HTTP. */
  readonly tls: Tls | undefined;
  /** Answers a request for a page; returns false, and does nothing, when no page has its path. */
  readonly answerPage: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly routes: Routes;
  /** Whether servers of this role answer an operation. */
  readonly serves: (operation: Operation) => boolean;
  /** Whether servers of this role answer other requests. */
  readonly servesOthers: boolean;
  /** Receives failures of routes, which are internal errors. */
  readonly onError: (error: unknown) => void;
}

/**
 * A listener of one environment: it serves the operations of the catalog that exist there; https with `tls`.
 * @source decision 1, 2
 */
export class Listener {
  readonly #deps: PipelineDependencies;
  readonly #parts: ListenerParts;
  readonly #paths: Map<string, ByMethod>;
  readonly #find: Router;
  /** One for each address of the host. */
  readonly #drains: ConnectionDrain[] = [];

  constructor(deps: PipelineDependencies, operations: readonly Operation[], parts: ListenerParts) {
    this.#deps = deps;
    this.#parts = parts;
    this.#paths = byPath(deps, operations);
    this.#find = sharedRouter([...this.#paths.keys()]);
  }

  /**
   * Opens the listener; resolves with its base URL. `localhost` opens all its addresses, as far as they are free.
   * Rejects when the first is in use.
   */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<string> {
    const main = await this.#open(host, port);
    const { address, port: actual } = main;
    if (host === 'localhost') {
      const others = (await lookup(host, { all: true }).catch(() => [])).filter((each) => each.address !== address);
      await Promise.allSettled(others.map((each) => this.#open(each.address, actual)));
    }
    const scheme = this.#parts.tls ? 'https' : 'http';
    const named = address === '0.0.0.0' ? '127.0.0.1' : hostIn(main);
    return `${scheme}://${named}:${actual}`;
  }

  /** Drains and closes it; resolves with the number of connections cut. */
  async close(times: DrainTimes): Promise<number> {
    const cut = await Promise.all(this.#drains.map((drain) => drain.finish(times)));
    return cut.reduce((total, count) => total + count, 0);
  }

  async #open(host: string, port: number): Promise<AddressInfo> {
    const server = this.#server();
    const drain = watchConnections(server);
    const address = await listen(server, { host, port });
    this.#drains.push(drain);
    return address;
  }

  #server(): Server {
    const deps = this.#deps;
    const { tls } = this.#parts;
    const inTurn = pipeliningLimit(deps, (request, response) => this.#answer(request, response));
    const readable = (request: IncomingMessage, response: ServerResponse): void => {
      trackChunkedRequest(request, response);
      inTurn(request, response);
    };
    const head_ms = deps.request_head_timeout_s * 1000;
    const options = { requireHostHeader: false, headersTimeout: head_ms, connectionsCheckingInterval: LOOK_MS };
    const server = tls?.server({ ...options, handshakeTimeout: head_ms }, readable) ?? createServer(options, readable);
    deps.firstRequestBuffer.attachTo(server, tls ? 'secureConnection' : 'connection', (socket, failure, bytes) =>
      endIncompleteRequest(deps, failure, socket, bytes),
    );
    deps.connectionLimiter.guard(server, (socket, why) => refuseConnection(deps, why, socket, tls !== undefined));
    server.keepAliveTimeout = 72_000;
    server.requestTimeout = 120_000;
    server.timeout = deps.reply_stall_timeout_s * 1000;
    server.on('clientError', (error, socket) =>
      answerParseError(deps, error, tls?.rawSocketOf(socket as Socket), socket as Socket),
    );
    server.on('checkExpectation', (request, response) => {
      sendError(deps, request, response, problem('EXPECTATION_UNKNOWN'));
    });
    return server;
  }

  /** Answers one request: an operation, a page, another route, or an error. */
  #answer(request: IncomingMessage, response: ServerResponse): void {
    const deps = this.#deps;
    const { answerPage, routes, servesOthers, onError } = this.#parts;
    deps.connectionLimiter.requestStarted(request.socket, response);
    response.on('timeout', endStalled);
    if (deps.firstRequestBuffer.failureOf(request.socket)) {
      response.shouldKeepAlive = false;
      discardAndClose(request);
    }
    if (!hasValidHost(request)) {
      sendError(deps, request, response, problem('REQUEST_UNREADABLE'));
      return;
    }
    if (hasEncodedBody(request)) {
      response.shouldKeepAlive = false;
      discardAndClose(request);
      const coding = String(request.headers['content-encoding']).slice(0, 64);
      sendError(deps, request, response, problem('CODING_UNKNOWN', { words: { coding } }));
      return;
    }
    if (deps.tools?.arrive(request, response) || this.#answerOperation(request, response)) return;
    // Credentials do not cover the path of a page, which can therefore be replaced.
    const target = request.url!;
    if (deps.vocabulary) request.url = deps.vocabulary.paths.own(target);
    if (answerPage(request, response)) return;
    try {
      if (routes.answer(request, response)) return;
    } catch (error) {
      onError(error);
      sendError(deps, request, response, problem('INTERNAL'));
      return;
    }
    request.url = target;
    if (servesOthers) notFound(deps, request, response);
    else sendMisdirected(deps, request, response);
  }

  #answerOperation(request: IncomingMessage, response: ServerResponse): boolean {
    const deps = this.#deps;
    const method = request.method!;
    const route = METHODS.has(method) ? this.#find(request.url!) : undefined;
    const methods = route && this.#paths.get(route.path)!;
    const operation = methods?.get(method === 'HEAD' ? 'GET' : method);
    if (operation && this.#parts.serves(operation)) {
      deps.replyGroups.requestArrived();
      void handleRequest(deps, operation, request, response, pathOf(deps, operation, route!));
      return true;
    }
    deps.tools?.pass(request, response);
    if (!methods) return false;
    if (operation) sendMisdirected(deps, request, response);
    else otherMethod(deps, request, response, methods);
    return true;
  }
}

/**
 * Closes a connection without progress whose client does not read the pending reply. A request that is still being
 * processed is not cut off.
 * @source decision 626
 */
function endStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

type ByMethod = Map<string, Operation>;

/** Operations by path and method. A path is listed even if its operations belong to the other environment only. */
function byPath(deps: PipelineDependencies, operations: readonly Operation[]): Map<string, ByMethod> {
  const paths = new Map<string, ByMethod>();
  for (const operation of operations) {
    for (const path of pathsOf(deps, operation)) {
      const methods = paths.get(path) ?? new Map();
      paths.set(path, methods);
      if (operation.onlyIn === undefined || operation.onlyIn === deps.environment)
        for (const method of methodsOf(operation)) methods.set(method, operation);
    }
  }
  return paths;
}

/** The paths of an operation, in the words of callers too. @source decision 890 */
function pathsOf({ vocabulary }: PipelineDependencies, { path, aliases = [] }: Operation): Iterable<string> {
  const own = [path, ...aliases];
  // Path parameters keep their own names.
  const clients = vocabulary?.clients ?? [];
  return new Set([...own, ...clients.flatMap(({ paths }) => own.map((each) => paths.foreign(each, true)))]);
}

/** The path parameters of a request, in the words of this service. */
function pathOf({ vocabulary }: PipelineDependencies, operation: Operation, { params }: Route): Record<string, string> {
  return foldIds(vocabulary ? vocabulary.of(operation).pathIn(params) : params);
}

function methodsOf({ method, allowsGet }: Operation): string[] {
  return allowsGet ? ['GET', method] : [method];
}

/** Ids are lower case; upper-case letters in a path are folded. @source campaigns 1.1; decision 25 */
function foldIds(params: Readonly<Record<string, string>>): Record<string, string> {
  const folded: Record<string, string> = {};
  for (const name in params) folded[name] = asciiLowerCase(params[name]!);
  return folded;
}

function otherMethod(
  deps: PipelineDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  methods: ByMethod,
): void {
  const allowed = [...methods.keys()];
  // Other methods of a replaced path get 404, as if the path did not exist.
  const isFormer = [...methods.values()].every(({ replacedBy }) => replacedBy !== undefined);
  if (isFormer && request.method !== 'OPTIONS') {
    notFound(deps, request, response);
    return;
  }
  const allow = [
    ...(allowed.includes('GET') ? ['GET', 'HEAD'] : []),
    ...allowed.filter((name) => name !== 'GET'),
    'OPTIONS',
  ];
  if (request.method === 'OPTIONS') {
    response.writeHead(204, ['allow', allow.join(', '), ...deps.secureHeaders(request)]);
    response.end();
    return;
  }
  const words = { method: request.method!, allowed: allowed.join(' or ') };
  sendError(deps, request, response, new Problem([{ problem: 'METHOD_UNKNOWN', words }], { allow: allow.join(', ') }));
}

function notFound(deps: PipelineDependencies, request: IncomingMessage, response: ServerResponse): void {
  const { vocabulary } = deps;
  const target = request.url ?? '/';
  const path = vocabulary ? vocabulary.paths.own(target) : target;
  const name: ProblemName = familyOf(path) !== 'ads' || isOfVersion(path) ? 'ROUTE_UNKNOWN' : 'VERSION_UNKNOWN';
  const version = vocabulary?.clientOf(target).paths.foreignSegment(VERSION) ?? VERSION;
  // Suggestions use the names of this service.
  const near = deps.includesHints && !vocabulary ? nearestPath(deps.operations, path) : undefined;
  sendError(
    deps,
    request,
    response,
    problem(name, {
      ...(name === 'VERSION_UNKNOWN' && { words: { version } }),
      ...(near !== undefined && { hint: `There is no such path. Did you mean ${near}?` }),
    }),
  );
}

/** Longer paths are not compared, which would be slow. */
const COMPARED_MAX = 200;

/** Returns the known path nearest to an unknown one, with its parameters. */
function nearestPath(operations: readonly Operation[], target: string): string | undefined {
  const [path = ''] = target.split('?', 1);
  if (path.length > COMPARED_MAX) return undefined;
  const isReference = /^(?:\/docs)?\/reference\//.test(path);
  const given = isReference || familyOf(path) !== 'ads' || isOfVersion(path) ? path : `/${VERSION}${path}`;
  const segments = given.split('/');
  const known = isReference
    ? operations.flatMap(({ id, group }) => [id, group.replaceAll(' ', '_')].map((page) => `/docs/reference/${page}`))
    : operations.flatMap((operation) => {
        const own = operation.path.split('/');
        if (own.length !== segments.length) return [];
        return own.map((each, at) => (each.startsWith(':') ? segments[at] : each)).join('/');
      });
  return nearestWord(given, known);
}

function isOfVersion(path: string): boolean {
  return path.split(/[/?]/, 2)[1] === VERSION;
}

const MISDIRECTED = JSON.stringify({
  errors: [{ code: 'MISDIRECTED_REQUEST', message: 'This server does not answer this path: its role is another one' }],
});

/**
 * Answers a request that a server with another role would have answered. Only a wrongly configured load balancer sends
 * one, so that it is no error of the API. Nothing of the request has been used up.
 * @source decision 806; RFC 9110 15.5.20
 */
function sendMisdirected(deps: PipelineDependencies, request: IncomingMessage, response: ServerResponse): void {
  discardAndClose(request);
  response.shouldKeepAlive = false;
  const headers = ['content-type', 'application/json; charset=utf-8', 'cache-control', 'no-store'];
  send(response, 421, [...headers, ...deps.secureHeaders(request)], MISDIRECTED);
  deps.observer.unrouted(request, 421, deps.nextTransactionId());
}
