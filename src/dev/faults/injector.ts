import type { IncomingMessage, ServerResponse } from 'node:http';
import { pause } from '../../base/timers.ts';
import { findApplicationOf } from '../../contract/declare/callers.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { Problem } from '../../contract/problems/problems.ts';
import type { OutgoingRequest, Sender, SendResult } from '../../contract/services/sending.ts';
import type { JobKind } from '../../contract/store/jobs.ts';
import type { PendingReply } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Headers } from '../../http/reply.ts';
import { pathOf } from '../requests/matching.ts';
import { bodyOf } from '../requests/received.ts';
import { DevError } from '../surface/call.ts';
import { FAULT_HEADER, faultOfHeader } from './header.ts';
import { applyToReply, applyToStream, combined, type ReplyFaults } from './reply-faults.ts';
import { delayOf, type WebhookFault } from './rule.ts';
import { type Facts, type FaultRules, faultRules, type Hit } from './rules.ts';

/** Called with the faults that apply to a received request, or to one that is being sent. */
export type OnTouched = (request: IncomingMessage | OutgoingRequest, faults: readonly string[]) => void;

/** Applies the faults of rules and headers. It exists before the parts that it disturbs. */
export interface FaultInjector {
  readonly rules: FaultRules;
  /** The names of all kinds of jobs. */
  readonly jobKinds: () => readonly string[];
  /** Before a call is performed. @throws Problem that stands for the fault until its reply is written */
  performing(exchange: Exchange): Promise<void> | undefined;
  /** @returns whether the reply has been sent, or none will be */
  replying(exchange: Exchange, reply: PendingReply, response: ServerResponse): Promise<boolean> | undefined;
  streaming(exchange: Exchange, headers: Headers, response: ServerResponse): void;
  aroundSender(sender: Sender): Sender;
  aroundJobKinds(kinds: readonly JobKind[]): readonly JobKind[];
}

/** The faults of a request, from when it is performed until it is answered. */
interface Plan {
  readonly hits: readonly Hit[];
  /** The faults that end it before it is performed. */
  instead: ReplyFaults | undefined;
}

/** Makes one without rules. */
export function faultInjector(onTouched: OnTouched): FaultInjector {
  const rules = faultRules();
  const plans = new WeakMap<Exchange, Plan>();
  let kindNames: readonly string[] = [];

  const hitsOf = (exchange: Exchange): readonly Hit[] => {
    const header = exchange.request.headers[FAULT_HEADER];
    const hits = rules.isEmpty() ? [] : rules.touch(factsOf(exchange));
    return header === undefined ? hits : [{ rule: faultOfHeader(String(header)), number: 1 }, ...hits];
  };

  /** Ends the request before it is performed. */
  const refuse = (exchange: Exchange, hits: readonly Hit[], instead: ReplyFaults): never => {
    plans.set(exchange, { hits, instead });
    throw problemFor(instead);
  };

  const hold = async (exchange: Exchange, hits: readonly Hit[]): Promise<void> => {
    const before = hits.filter(({ rule }) => rule.when === 'before');
    await pauseFor(before);
    const { reset, reply, rate_limited } = combined(before.map(({ rule }) => rule.do));
    if (reset || reply || rate_limited) refuse(exchange, hits, { reset, reply, rate_limited });
  };

  return {
    rules,
    jobKinds: () => kindNames,
    performing(exchange) {
      if (rules.isEmpty() && exchange.request.headers[FAULT_HEADER] === undefined) return undefined;
      let hits: readonly Hit[];
      try {
        hits = hitsOf(exchange);
      } catch (error) {
        if (!(error instanceof DevError)) throw error;
        const { status, code, message } = error;
        return refuse(exchange, [], { reply: { status, code, message, headers: {} } });
      }
      if (hits.length === 0) return undefined;
      plans.set(exchange, { hits, instead: undefined });
      onTouched(
        exchange.request,
        hits.map(({ rule }) => rule.id),
      );
      return hold(exchange, hits);
    },
    replying(exchange, reply, response) {
      const plan = plans.get(exchange);
      return plan && finish(plan, exchange, reply, response);
    },
    streaming(exchange, headers, response) {
      const hits = plans.get(exchange)?.hits ?? [];
      if (hits.length === 0) return;
      headers.push(FAULT_HEADER, idsOf(hits));
      applyToStream(Object.assign({}, ...hits.map(({ rule }) => rule.do).reverse()), response);
    },
    aroundSender: (sender) => ({
      urlError: (url) => sender.urlError(url),
      close: () => sender.close(),
      async send(request) {
        const hits = rules.isEmpty() ? [] : rules.touch(factsOfMessage(request));
        const [first] = hits;
        if (!first) return sender.send(request);
        onTouched(
          request,
          hits.map(({ rule }) => rule.id),
        );
        await pauseFor(hits);
        if (first.rule.when === 'after') await sender.send(request);
        return resultOf(first.rule.do.webhook!);
      },
    }),
    aroundJobKinds(kinds) {
      kindNames = kinds.map(({ name }) => name);
      return kinds.map((kind) => ({
        ...kind,
        async prepare(job, services, signal) {
          const facts: Facts = { target: 'job', jobKind: kind.name, method: '', path: '', valuesOf: () => [] };
          const [hit] = rules.isEmpty() ? [] : rules.touch(facts);
          if (hit) throw new Error(`the fault ${hit.rule.id} lets this job fail`);
          return kind.prepare?.(job, services, signal);
        },
      }));
    },
  };
}

async function finish(
  { hits, instead }: Plan,
  exchange: Exchange,
  reply: PendingReply,
  response: ServerResponse,
): Promise<boolean> {
  reply.headers.push(FAULT_HEADER, hits.length === 0 ? 'unreadable' : idsOf(hits));
  await pauseFor(hits.filter(({ rule }) => rule.when === 'after'));
  return applyToReply(instead ?? combined(hits.map(({ rule }) => rule.do)), exchange, reply, response);
}

function idsOf(hits: readonly Hit[]): string {
  return hits.map(({ rule }) => rule.id).join(', ');
}

async function pauseFor(hits: readonly Hit[]): Promise<void> {
  let total_ms = 0;
  for (const { rule, number } of hits) if (rule.do.delay) total_ms += delayOf(rule, number, rule.do.delay);
  if (total_ms > 0) await pause(total_ms);
}

/** The problem by which the pipeline counts and logs a fault. */
function problemFor({ reply, rate_limited }: ReplyFaults): Problem {
  const status = rate_limited ? 429 : (reply?.status ?? 503);
  const name = status === 429 ? 'RATE_LIMITED' : status >= 500 ? 'UNAVAILABLE' : 'ROUTE_UNKNOWN';
  return new Problem([{ problem: name }], { because: 'a fault was asked for' });
}

function factsOf({ operation, request, path, caller }: Exchange): Facts {
  const [target = '', query = ''] = request.url!.split('?', 2);
  let parameters: URLSearchParams | undefined;
  return {
    target: isStream(operation) ? 'stream' : 'call',
    operation: operation.id,
    method: request.method!,
    path: target,
    account: path.account_id,
    application: caller && findApplicationOf(caller),
    valuesOf(name) {
      const isForm = /^application\/x-www-form-urlencoded/i.test(request.headers['content-type'] ?? '');
      const form = isForm ? bodyOf(request)().bytes.toString() : '';
      parameters ??= new URLSearchParams([query, form].filter((each) => each !== '').join('&'));
      return parameters.getAll(name);
    },
  };
}

function isStream({ shape }: Operation): boolean {
  return shape === 'stream';
}

function factsOfMessage({ method, url }: OutgoingRequest): Facts {
  const { searchParams } = new URL(url);
  return { target: 'webhook', method, path: pathOf(url), valuesOf: (name) => searchParams.getAll(name) };
}

function resultOf({ status, failure }: WebhookFault): SendResult {
  const nothing = { duration_ms: 0, addresses: [] };
  if (status !== undefined) {
    return { outcome: 'answered', status, headers: {}, body: new Uint8Array(0), isCut: false, ...nothing };
  }
  const reason = failure === 'timeout' ? 'timeout' : 'connection closed';
  return { outcome: 'failed', reason, detail: 'a fault was asked for', ...nothing };
}
