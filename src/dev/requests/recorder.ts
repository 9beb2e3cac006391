import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, symbols } from 'pino';
import { systemClock } from '../../base/clock.ts';
import { findApplicationOf } from '../../contract/declare/callers.ts';
import type { Call } from '../../contract/declare/operation.ts';
import type { OutgoingRequest, Sender, SendResult } from '../../contract/services/sending.ts';
import type { PendingReply, ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { Entry, type EntryStatements } from './entry.ts';
import { BODY_BYTES_MAX, bodyOf, keepBody, type ReceivedBody } from './received.ts';
import { RequestRing } from './ring.ts';

/** Records the requests of a service; it is there before the parts that it watches. */
export class Recorder {
  /** The statements of the request that the running code belongs to. */
  readonly scope = new AsyncLocalStorage<EntryStatements | undefined>();
  readonly ring = new RequestRing();
  /** The last lines of the log by transaction id. */
  readonly logged = new Map<string, readonly string[]>();
  readonly #entries = new WeakMap<IncomingMessage | OutgoingRequest, Entry>();
  readonly #bodies = new WeakMap<Entry, () => ReceivedBody>();
  readonly #end: (entry: Entry) => void;
  /** One listener for all responses, which finds the entry itself: a closure for each would cost more. */
  readonly #closed: (this: ServerResponse) => void;

  constructor() {
    const { ring } = this;
    const end = (entry: Entry): void => {
      const body = this.#bodies.get(entry);
      if (body) {
        const { bytes, total } = body();
        entry.body = bytes;
        entry.bodyBytes = total;
      }
      ring.end(entry);
    };
    this.#end = end;
    const entries = this.#entries;
    this.#closed = function () {
      const entry = entries.get(this.req);
      if (!entry) return;
      entries.delete(this.req);
      if (entry.ended === undefined) {
        entry.failure = LOST;
        end(entry);
      }
      ring.keep(entry);
    };
  }

  /** Keeps what a log writes about requests. */
  listen(log: Logger): void {
    const stream = (log as Logger & { readonly [symbols.streamSym]: LogStream })[symbols.streamSym];
    const { write } = stream;
    stream.write = (line) => {
      const [, id] = /"transaction_id":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined) {
        this.logged.set(id, [...(this.logged.get(id) ?? []), line.trim()]);
        if (this.logged.size > LOGGED_MAX) this.logged.delete(this.logged.keys().next().value!);
      }
      return write.call(stream, line);
    };
  }

  /** A request has arrived; its body is recorded as it comes. */
  arrive({ environment }: ToolsListener, request: IncomingMessage, response: ServerResponse): void {
    const entry = new Entry({
      id: this.ring.nextId(),
      direction: 'in',
      kind: 'other',
      at_ms: systemClock.now(),
      environment,
      method: request.method!,
      target: request.url!,
      httpVersion: request.httpVersion,
      headers: request.rawHeaders,
    });
    this.#entries.set(request, entry);
    if (keepBody(request)) this.#bodies.set(entry, bodyOf(request));
    response.on('close', this.#closed);
    this.ring.add(entry);
    this.scope.enterWith(entry.statements);
  }

  /** Records a reply as it is written: for those without `replied`. */
  tapReply(request: IncomingMessage, response: ServerResponse): void {
    const entry = this.#entries.get(request);
    if (entry) tapResponse(response, entry, this.#end);
  }

  /** An operation is about to be performed. */
  performing({ request }: Exchange, { role }: Call): void {
    const entry = this.#entries.get(request);
    if (entry) entry.role = role;
  }

  /** An operation has been performed, or the request was refused. */
  replying(exchange: Exchange): void {
    const entry = this.#entries.get(exchange.request);
    if (!entry) return;
    const { operation, caller, path, transactionId } = exchange;
    entry.kind = 'call';
    // Later statements are those of the tools, which look into refused signatures.
    entry.statements.isComplete = true;
    entry.operation = operation.id;
    entry.account = path.account_id;
    entry.transactionId = transactionId;
    entry.parameters = exchange.echoedParams;
    entry.ignored = exchange.ignoredParameters;
    entry.windows = exchange.rateUsage;
    // Callers of kind user are cached, so that keeping one costs nothing.
    entry.caller =
      caller?.kind === 'user' ? caller : caller && { kind: caller.kind, application: findApplicationOf(caller) };
  }

  /** The reply of an operation is sent as a whole now. */
  replied(request: IncomingMessage, { status, headers, text }: PendingReply): void {
    const entry = this.#entries.get(request);
    if (!entry || entry.ended !== undefined || request.socket.destroyed) return;
    entry.status = status;
    // The list itself, which gets the length of the reply when it is sent.
    entry.replyHeaders = headers;
    entry.addReply(text);
    this.#end(entry);
  }

  /** Faults touched a request that was received, or is being sent. */
  touched(request: IncomingMessage | OutgoingRequest, faults: readonly string[]): void {
    const entry = this.#entries.get(request);
    if (entry) entry.faults = faults;
  }

  /** A sender whose requests are recorded. */
  around(sender: Sender): Sender {
    return {
      urlError: (url) => sender.urlError(url),
      close: () => sender.close(),
      send: (request) => this.#send(sender, request),
    };
  }

  async #send(sender: Sender, request: OutgoingRequest): Promise<SendResult> {
    const entry = new Entry({
      id: this.ring.nextId(),
      direction: 'out',
      kind: request.method === 'POST' ? 'webhook' : 'challenge',
      at_ms: systemClock.now(),
      environment: undefined,
      method: request.method,
      target: request.url,
      headers: Object.entries(request.headers).flat(),
    });
    const { body } = request;
    if (body) {
      entry.body = body.subarray(0, BODY_BYTES_MAX);
      entry.bodyBytes = body.length;
    }
    this.#entries.set(request, entry);
    this.ring.add(entry);
    const result = await sender.send(request);
    addResult(entry, result);
    this.ring.end(entry);
    this.ring.keep(entry);
    return result;
  }
}

/** Requests whose lines of the log are kept. */
const LOGGED_MAX = 1000;

interface LogStream {
  write(line: string): unknown;
}

/** Why an entry has no reply. */
const LOST = 'the connection closed before the reply was sent';

function addResult(entry: Entry, result: SendResult): void {
  entry.duration_ms = result.duration_ms;
  if (result.outcome === 'failed') {
    entry.failure = result.reason;
    return;
  }
  entry.status = result.status;
  entry.replyHeaders = Object.entries(result.headers).flat();
  if (result.body.length > 0) entry.addReply(result.body);
}

const TAP = Symbol('tap');

/** The tap of a response: its entry and the original methods. */
interface Tap extends Pick<ServerResponse, 'writeHead' | 'write' | 'end'> {
  readonly entry: Entry;
  readonly onEnd: (entry: Entry) => void;
}

interface TappedResponse extends ServerResponse {
  [TAP]: Tap;
}

/**
 * Copies a response into an entry. Members that are added to a response make it expensive, so this is for responses that
 * cannot be recorded otherwise.
 * @param onEnd is called when the response has been handed over.
 */
function tapResponse(response: ServerResponse, entry: Entry, onEnd: (entry: Entry) => void): void {
  const { writeHead, write, end } = response;
  const tapped = response as TappedResponse;
  tapped[TAP] = { entry, onEnd, writeHead, write, end };
  // Functions that all responses share: closures for each would cost more than the rest.
  tapped.writeHead = tappedWriteHead as never;
  tapped.write = tappedWrite as never;
  tapped.end = tappedEnd as never;
}

function tappedWriteHead(this: TappedResponse, status: number, ...rest: [never]): ServerResponse {
  const { entry, writeHead } = this[TAP];
  entry.status = status;
  entry.replyHeaders = flat(rest.at(-1));
  return writeHead.call(this, status, ...rest);
}

type HeadersGiven = readonly string[] | Readonly<Record<string, string | number | readonly string[]>> | undefined;

function flat(headers: HeadersGiven): readonly string[] {
  if (typeof headers !== 'object') return [];
  if (Array.isArray(headers)) return headers as readonly string[];
  return Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
}

function tappedWrite(this: TappedResponse, chunk: string | Uint8Array, ...rest: [never]): boolean {
  const { entry, write } = this[TAP];
  entry.addReply(chunk);
  return write.call(this, chunk, ...rest);
}

function tappedEnd(this: TappedResponse, chunk?: unknown, ...rest: [never]): ServerResponse {
  const { entry, end } = this[TAP];
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) entry.addReply(chunk);
  end.call(this, chunk as never, ...rest);
  handedOver(this);
  return this;
}

function handedOver(response: TappedResponse): void {
  const { entry, onEnd } = response[TAP];
  if (entry.ended !== undefined || response.destroyed) return;
  if (response.headersSent) entry.status ??= response.statusCode;
  // Headers that were set one by one.
  if (entry.replyHeaders.length === 0) entry.replyHeaders = flat(response.getHeaders() as HeadersGiven);
  onEnd(entry);
}
