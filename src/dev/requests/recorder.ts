import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import { findApplicationOf } from '../../contract/declare/callers.ts';
import type { Call } from '../../contract/declare/operation.ts';
import type { OutgoingRequest, Sender, SendResult } from '../../contract/services/sending.ts';
import type { PendingReply, ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { Entry, type EntryStatements } from './entry.ts';
import { BODY_BYTES_MAX, bodyOf, keepBody, type ReceivedBody } from './received.ts';
import type { RequestRing } from './ring.ts';
import { tapResponse } from './taps.ts';

/** Records requests in a ring. */
export interface Recorder {
  /** The statements of the request that whatever runs belongs to. */
  readonly scope: AsyncLocalStorage<EntryStatements | undefined>;
  /** A request has arrived; its body is recorded as it comes. */
  arrive(listener: ToolsListener, request: IncomingMessage, response: ServerResponse): void;
  /** Its reply is recorded as it is written: for those that `replied` never hears of. */
  tapReply(request: IncomingMessage, response: ServerResponse): void;
  /** An operation is about to be performed. */
  performing(exchange: Exchange, call: Call): void;
  /** An operation has been performed, or the request was refused. */
  replying(exchange: Exchange): void;
  /** The reply of an operation is sent as a whole now. */
  replied(request: IncomingMessage, reply: PendingReply): void;
  /** Faults touched a request that was received, or is being sent. */
  touched(request: IncomingMessage | OutgoingRequest, faults: readonly string[]): void;
  /** A sender whose requests are recorded. */
  around(sender: Sender): Sender;
}

/** @param clock that of the machine. */
export function recorderOf(ring: RequestRing, clock: Clock = systemClock): Recorder {
  const entries = new WeakMap<IncomingMessage | OutgoingRequest, Entry>();
  const scope = new AsyncLocalStorage<EntryStatements | undefined>();
  const bodies = new WeakMap<Entry, () => ReceivedBody>();

  const end = (entry: Entry): void => {
    const body = bodies.get(entry);
    if (body) {
      const { bytes, total } = body();
      entry.body = bytes;
      entry.bodyBytes = total;
    }
    ring.end(entry);
  };
  // One function for all responses, which finds the entry itself: a closure for each would cost more.
  function closed(this: ServerResponse): void {
    const entry = entries.get(this.req);
    if (!entry) return;
    entries.delete(this.req);
    if (entry.ended === undefined) {
      entry.failure = LOST;
      end(entry);
    }
    ring.keep(entry);
  }

  return {
    scope,
    arrive({ environment }, request, response) {
      const entry = new Entry({
        id: ring.nextId(),
        direction: 'in',
        kind: 'other',
        at_ms: clock.now(),
        environment,
        method: request.method!,
        target: request.url!,
        httpVersion: request.httpVersion,
        headers: request.rawHeaders,
      });
      entries.set(request, entry);
      if (keepBody(request)) bodies.set(entry, bodyOf(request));
      response.on('close', closed);
      ring.add(entry);
      scope.enterWith(entry.statements);
    },
    tapReply(request, response) {
      const entry = entries.get(request);
      if (entry) tapResponse(response, entry, end);
    },
    performing({ request }, { role }) {
      const entry = entries.get(request);
      if (entry) entry.role = role;
    },
    replying(exchange) {
      const entry = entries.get(exchange.request);
      if (!entry) return;
      const { operation, caller, path, transactionId } = exchange;
      entry.kind = 'call';
      // Those of the tools themselves, which look into refused signatures, do not belong to it.
      entry.statements.isComplete = true;
      entry.operation = operation.id;
      entry.account = path.account_id;
      entry.transactionId = transactionId;
      entry.parameters = exchange.echoedParams;
      entry.ignored = exchange.ignoredParameters;
      entry.windows = exchange.rateUsage;
      // That of a user is cached, so that keeping it costs nothing.
      entry.caller =
        caller?.kind === 'user' ? caller : caller && { kind: caller.kind, application: findApplicationOf(caller) };
    },
    replied(request, { status, headers, text }) {
      const entry = entries.get(request);
      if (!entry || entry.ended !== undefined) return;
      if (request.socket.destroyed) return;
      entry.status = status;
      // The list itself, which gets the length of the reply when it is sent.
      entry.replyHeaders = headers;
      entry.addReply(text);
      end(entry);
    },
    touched(request, faults) {
      const entry = entries.get(request);
      if (entry) entry.faults = faults;
    },
    around: (sender) => ({
      urlError: (url) => sender.urlError(url),
      close: () => sender.close(),
      async send(request) {
        const entry = new Entry({
          ...{ id: ring.nextId(), direction: 'out', kind: request.method === 'POST' ? 'webhook' : 'challenge' },
          ...{ at_ms: clock.now(), environment: undefined, method: request.method, target: request.url },
          headers: Object.entries(request.headers).flat(),
        });
        const { body } = request;
        if (body) {
          entry.body = body.subarray(0, BODY_BYTES_MAX);
          entry.bodyBytes = body.length;
        }
        entries.set(request, entry);
        ring.add(entry);
        const result = await sender.send(request);
        addResult(entry, result);
        ring.end(entry);
        ring.keep(entry);
        return result;
      },
    }),
  };
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
