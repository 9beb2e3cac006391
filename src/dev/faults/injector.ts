import type { IncomingMessage, ServerResponse } from 'node:http';
import { pause } from '../../base/timers.ts';
import { findApplicationOf } from '../../contract/declare/callers.ts';
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
import { delayOf, type Facts, FaultRules, type Hit, type WebhookFault } from './rules.ts';

/** Called with the faults that apply to a received request, or to one that is being sent. */
export type OnTouched = (request: IncomingMessage | OutgoingRequest, faults: readonly string[]) => void;

/** The faults of a request, from when it is performed until it is answered. */
interface Plan {
  readonly hits: readonly Hit[];
  /** The faults that end it before it is performed. */
  readonly instead: ReplyFaults | undefined;
}

/** Applies the faults of rules and headers. Created before the parts that it disturbs. */
export class FaultInjector {
  readonly rules = new FaultRules();
  /** The names of all kinds of jobs. */
  jobKinds: readonly string[] = [];
  readonly #onTouched: OnTouched;
  readonly #plans = new WeakMap<Exchange, Plan>();

  constructor(onTouched: OnTouched) {
    this.#onTouched = onTouched;
  }

  /** Runs before a call is performed. @throws Problem that stands for the fault until its reply is written */
  performing(exchange: Exchange): Promise<void> | undefined {
    if (this.rules.isEmpty() && exchange.request.headers[FAULT_HEADER] === undefined) return undefined;
    let hits: readonly Hit[];
    try {
      hits = this.#hitsOf(exchange);
    } catch (error) {
      if (!(error instanceof DevError)) throw error;
      const { status, code, message } = error;
      return this.#refuse(exchange, [], { reply: { status, code, message, headers: {} } });
    }
    if (hits.length === 0) return undefined;
    this.#plans.set(exchange, { hits, instead: undefined });
    this.#report(exchange.request, hits);
    return this.#disturb(exchange, hits);
  }

  /** @returns whether the reply has been sent, or none will be */
  replying(exchange: Exchange, reply: PendingReply, response: ServerResponse): Promise<boolean> | undefined {
    const plan = this.#plans.get(exchange);
    return plan && finish(plan, exchange, reply, response);
  }

  streaming(exchange: Exchange, headers: Headers, response: ServerResponse): void {
    const hits = this.#plans.get(exchange)?.hits ?? [];
    if (hits.length === 0) return;
    headers.push(FAULT_HEADER, idsOf(hits));
    applyToStream(Object.assign({}, ...hits.map(({ rule }) => rule.do).reverse()), response);
  }

  aroundSender(sender: Sender): Sender {
    return {
      urlError: (url) => sender.urlError(url),
      close: () => sender.close(),
      send: async (request) => {
        const hits = this.#touch(() => factsOfMessage(request));
        const [first] = hits;
        if (!first) return sender.send(request);
        this.#report(request, hits);
        await pauseFor(hits);
        if (first.rule.when === 'after') await sender.send(request);
        return resultOf(first.rule.do.webhook!);
      },
    };
  }

  aroundJobKinds(kinds: readonly JobKind[]): readonly JobKind[] {
    this.jobKinds = kinds.map(({ name }) => name);
    return kinds.map((kind) => ({
      ...kind,
      prepare: async (job, services, signal) => {
        const facts = { target: 'job', jobKind: kind.name, method: '', path: '', valuesOf: () => [] } as const;
        const [hit] = this.#touch(() => facts);
        if (hit) throw new Error(`the fault ${hit.rule.id} lets this job fail`);
        return kind.prepare?.(job, services, signal);
      },
    }));
  }

  #touch(facts: () => Facts): readonly Hit[] {
    return this.rules.isEmpty() ? [] : this.rules.touch(facts());
  }

  #hitsOf(exchange: Exchange): readonly Hit[] {
    const header = exchange.request.headers[FAULT_HEADER];
    const hits = this.#touch(() => factsOf(exchange));
    return header === undefined ? hits : [{ rule: faultOfHeader(String(header)), number: 1 }, ...hits];
  }

  #report(request: IncomingMessage | OutgoingRequest, hits: readonly Hit[]): void {
    this.#onTouched(
      request,
      hits.map(({ rule }) => rule.id),
    );
  }

  async #disturb(exchange: Exchange, hits: readonly Hit[]): Promise<void> {
    const before = hits.filter(({ rule }) => rule.when === 'before');
    await pauseFor(before);
    const { reset, reply, rate_limited } = combined(before.map(({ rule }) => rule.do));
    if (reset || reply || rate_limited) this.#refuse(exchange, hits, { reset, reply, rate_limited });
  }

  /** Ends the request before it is performed. */
  #refuse(exchange: Exchange, hits: readonly Hit[], instead: ReplyFaults): never {
    this.#plans.set(exchange, { hits, instead });
    throw problemFor(instead);
  }
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

/** The problem that the pipeline counts and logs for a fault. */
function problemFor({ reply, rate_limited }: ReplyFaults): Problem {
  const status = rate_limited ? 429 : (reply?.status ?? 503);
  const name = status === 429 ? 'RATE_LIMITED' : status >= 500 ? 'UNAVAILABLE' : 'ROUTE_UNKNOWN';
  return new Problem([{ problem: name }], { because: 'a fault was asked for' });
}

function factsOf({ operation, request, path, caller }: Exchange): Facts {
  const [target = '', query = ''] = request.url!.split('?', 2);
  let parameters: URLSearchParams | undefined;
  return {
    target: operation.shape === 'stream' ? 'stream' : 'call',
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
