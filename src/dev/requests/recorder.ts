import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../base/clock.ts';
import { applicationOf } from '../../contract/declare/callers.ts';
import type { Call } from '../../contract/declare/operation.ts';
import type { OutgoingRequest, Sender, SendResult } from '../../contract/services/sending.ts';
import type { ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { Entry } from './entry.ts';
import { BODY_BYTES_MAX, bodyOf, keepBody, type ReceivedBody } from './received.ts';
import type { RequestRing } from './ring.ts';
import { tapResponse } from './taps.ts';

/** Records requests in a ring. */
export interface Recorder {
  /** The entry of whatever runs: statements are added to it. */
  readonly scope: AsyncLocalStorage<Entry | undefined>;
  /** A request has arrived; its body and its reply are recorded as they come. */
  arrive(listener: ToolsListener, request: IncomingMessage, response: ServerResponse): void;
  /** An operation is about to be performed. */
  performing(exchange: Exchange, call: Call): void;
  /** An operation has been performed, or the request was refused. */
  replying(exchange: Exchange): void;
  /** Faults touched a request that was received, or is being sent. */
  touched(request: IncomingMessage | OutgoingRequest, faults: readonly string[]): void;
  /** A sender whose requests are recorded. */
  around(sender: Sender): Sender;
}

/** @param clock that of the machine. */
export function recorderOf(ring: RequestRing, clock: Clock = systemClock): Recorder {
  const entries = new WeakMap<IncomingMessage | OutgoingRequest, Entry>();
  const scope = new AsyncLocalStorage<Entry | undefined>();
  const bodies = new WeakMap<Entry, () => ReceivedBody>();

  const onEnd = (entry: Entry): void => {
    const body = bodies.get(entry);
    if (body) {
      const { bytes, total } = body();
      entry.body = bytes;
      entry.bodyBytes = total;
    }
    ring.end(entry);
  };

  return {
    scope,
    arrive({ environment }, request, response) {
      const entry = new Entry({
        ...{ id: ring.nextId(), direction: 'in', kind: 'other', at_ms: clock.now(), environment },
        ...{ method: request.method!, target: request.url!, headers: request.rawHeaders },
      });
      entries.set(request, entry);
      if (keepBody(request)) bodies.set(entry, bodyOf(request));
      tapResponse(response, entry, onEnd);
      ring.add(entry);
      scope.enterWith(entry);
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
      entry.operation = operation.id;
      entry.account = path.account_id;
      entry.transactionId = transactionId;
      entry.parameters = exchange.echoedParams;
      entry.ignored = exchange.ignoredParameters;
      entry.windows = exchange.rateUsage;
      entry.caller = caller && {
        kind: caller.kind,
        user: caller.kind === 'user' ? caller.user : undefined,
        application: applicationOf(caller),
        level: caller.kind === 'user' ? caller.level : undefined,
      };
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
        return result;
      },
    }),
  };
}

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
