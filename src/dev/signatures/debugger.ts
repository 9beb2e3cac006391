import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/input-error.ts';
import { formatInstant } from '../../base/instants.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { AUTHENTICATION_PROBLEMS, Problem, type ProblemName, problems } from '../../contract/problems/problems.ts';
import type { PendingReply, ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import type { Entry } from '../requests/entry.ts';
import { bodyOf } from '../requests/received.ts';
import { headerOf } from '../requests/signed-curl.ts';
import {
  type DevCall,
  DevError,
  devCall,
  invalidMember,
  membersOf,
  missingMember,
  textIn,
  textsIn,
} from '../surface/call.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { debuggerPages } from './debugger-pages.ts';
import { type CurlRequest, describedRequest, neededBy, parseCurl } from './described-request.ts';
import { type Explanation, explain, keysOf, LIKELY_SECRET, REFUSED, RIGHT } from './explain.ts';
import type { KnownApplication } from './known-keys.ts';
import { bearerIn } from './other-schemes.ts';
import type { SentRequest } from './sent-request.ts';
import { storedBearer, storedKeys } from './stored-keys.ts';
import { timeShare } from './time-share.ts';
import { replyOf, type TraceReply } from './trace.ts';

/** The dependencies of the debugger. */
export interface SignatureDebuggerOptions {
  readonly store: Store;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Timestamps are judged by it too. */
  readonly wallClock: Clock;
  /** How far a timestamp may be from either. */
  readonly window_s: number;
  /** The base URLs of the service. */
  readonly origins: () => readonly string[];
  readonly pages: ToolPages;
  /** Puts the words of the service into a path that came in the words of another interface. */
  readonly ownPath: (path: string) => string;
  /** The names of the service for a name of a parameter, where they are others. */
  readonly ownNames: (name: string) => readonly string[];
  readonly log: Logger;
}

/** Requests that are kept for their traces, with at most 64 KiB of body each. */
const TRACES_MAX = 250;
/** Signatures that are computed before a refusal is sent: a few milliseconds. The call for its trace tries all. */
const QUICK_TRIES = 1000;
/** A request to be explained. */
interface Suspect {
  readonly at_ms: number;
  readonly wall_ms: number;
  readonly sent: SentRequest;
  readonly needed: CredentialKind | undefined;
  readonly refusal?: string;
}

interface Trace extends Omit<Suspect, 'sent'> {
  readonly id: string;
  readonly status: number;
  /** The body may still be arriving when the request is refused. */
  readonly sent: () => SentRequest;
  summary: string;
}

/** A refused request in the list of all. */
export interface ListedTrace {
  readonly id: string;
  readonly received_at: string;
  readonly status: number;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly summary: string;
}

/** Explains refused credentials. */
export class SignatureDebugger {
  readonly #options: SignatureDebuggerOptions;
  readonly #traces = new Map<string, Trace>();
  /**
   * Hints get a tenth of the time, so that many wrong requests do not hold up the others; half a second can be saved up.
   * @source decision 904
   */
  readonly #hints = timeShare(0.1, 500, () => performance.now());

  constructor(options: SignatureDebuggerOptions) {
    this.#options = options;
  }

  /** The calls and the pages. */
  calls(): readonly DevCall[] {
    return [
      devCall(
        `GET ${TRACES}`,
        'Lists the requests that were refused because of their credentials, the last one first.',
        () => ({ traces: this.list() }),
      ),
      devCall(
        `GET ${TRACES}/:id`,
        'Explains why a request was refused; its reply named the trace in x-barker-trace.',
        async ({ path }) => {
          const trace = await this.find(path.id!);
          if (!trace) throw new DevError(404, 'TRACE_UNKNOWN', 'this trace is not known, or no longer');
          return trace;
        },
      ),
      devCall(
        'POST /_dev/auth/explain',
        'Explains whether a request is signed right: { "curl" }, or { "method", "url", "headers", "body" }.',
        ({ body }) =>
          this.explain(requestIn(body)).catch((error: unknown) => {
            if (error instanceof InputError) throw new DevError(400, 'URL_UNREADABLE', error.message, 'url');
            throw error;
          }),
      ),
      ...debuggerPages(this, this.#options.pages),
    ];
  }

  /** The last refused request first. */
  list(): readonly ListedTrace[] {
    return [...this.#traces.values()].reverse().map(({ id, wall_ms, status, sent, summary }) => {
      const { method, target } = sent();
      return { id, received_at: formatInstant(wall_ms), status, method, path: target.split('?', 1)[0]!, summary };
    });
  }

  /** Undefined when the trace is not known. */
  async find(id: string): Promise<TraceReply | undefined> {
    const trace = this.#traces.get(id);
    if (!trace) return undefined;
    const sent = trace.sent();
    const { explanation, known } = await this.#judge({ ...trace, sent });
    return replyOf(sent, explanation, known, trace);
  }

  /**
   * @param at_ms when it was received; now if omitted
   * @throws InputError when the request cannot be read.
   */
  async explain(request: CurlRequest, at_ms?: number): Promise<TraceReply> {
    const { origins, ownNames, ownPath } = this.#options;
    const sent = { ...describedRequest(request, origins()), ownNames };
    const times = at_ms === undefined ? this.#times() : { at_ms, wall_ms: at_ms };
    const { explanation, known } = await this.#judge({ ...times, sent, needed: neededBy(sent, ownPath) });
    return replyOf(sent, explanation, known);
  }

  /** Explains a recorded request. Undefined when it was refused for its credentials so long ago that its trace is gone. */
  async explainSent(
    { method, target, headers, body, status, transactionId = '', replyHeaders, environment = 'production' }: Entry,
    originOf: (environment: Environment) => string,
  ): Promise<TraceReply | undefined> {
    const trace = await this.find(transactionId);
    const authorization = headerOf(headers, 'authorization');
    if (trace || replyHeaders.includes('x-barker-trace') || authorization === '') return trace;
    const [, at_s] = /oauth_timestamp="?(\d+)/.exec(authorization) ?? [];
    const names = headers.flatMap((name, at) =>
      at % 2 === 0 ? [[name.toLowerCase(), headers[at + 1]!] as const] : [],
    );
    const url = originOf(environment) + target;
    const request = { method, url, headers: new Map(names), body: Buffer.from(body).toString() };
    const explained = await this.explain(request, Number(at_s) * 1000 || undefined);
    if (status === undefined) return explained;
    // Keys may have ended since it was accepted.
    return { ...explained, outcome: 'right', mistakes: [], summary: RIGHT };
  }

  /** Adds a trace and a hint to the reply of a request that was not authenticated. Never rejects. */
  async trace(listener: ToolsListener, exchange: Exchange, reply: PendingReply): Promise<void> {
    const { failure, status } = reply;
    const [problem] = failure instanceof Problem ? failure.errors : [];
    if (status !== 401 && !(problem && CREDENTIAL_PROBLEMS.has(problem.problem))) return;
    const { transactionId: id, operation } = exchange;
    try {
      const trace: Trace = {
        id,
        ...this.#times(),
        status,
        summary: '',
        sent: sentOf(listener, exchange, this.#options),
        needed: operation.credential ?? 'user',
        ...(problem && { refusal: reasonOf(failure as Problem, problem.problem) }),
      };
      const { explanation } = await this.#judge({ ...trace, sent: trace.sent() }, true);
      const { mistakes, outcome } = explanation;
      const isUnknown = outcome === 'unknown' && mistakes.length === 0;
      const hint = failure instanceof Problem ? failure.hint : undefined;
      // A hint of the operation says more than its refusal.
      const isBare = mistakes.every(({ name }) => name === REFUSED);
      trace.summary =
        isBare && hint !== undefined
          ? hint
          : isUnknown
            ? `The signature is wrong. ${LIKELY_SECRET} ${TRACES}/${id} tries more mistakes.`
            : explanation.summary;
      this.#traces.set(id, trace);
      if (this.#traces.size > TRACES_MAX) this.#traces.delete(this.#traces.keys().next().value!);
      addHeaders(reply, exchange, { id, hint: trace.summary });
    } catch (err) {
      // The database may be unavailable: the reply is sent as it is.
      this.#options.log.error({ err, transaction_id: id }, 'a refused request could not be explained');
    }
  }

  #times(): Pick<Suspect, 'at_ms' | 'wall_ms'> {
    const { clock, wallClock } = this.#options;
    return { at_ms: clock.now(), wall_ms: wallClock.now() };
  }

  async #judge(
    { at_ms, wall_ms, sent, needed, refusal }: Suspect,
    isHint = false,
  ): Promise<{ explanation: Explanation; known: KnownApplication[] }> {
    const { store, box, window_s } = this.#options;
    const known = await storedKeys(store, box, keysOf(sent), formatInstant(at_ms));
    const value = bearerIn(sent.authorization);
    const circumstances = {
      now_s: Math.floor(at_ms / 1000),
      wallNow_s: Math.floor(wall_ms / 1000),
      window_s,
      needed,
      refusal,
      bearer: value === undefined ? undefined : await storedBearer(store, value),
      notBefore_s: await store.read((tx) => tx.restores.findRequestsNotBefore()),
    };
    if (!isHint) return { explanation: explain(sent, known, circumstances), known };
    const triesMax = this.#hints.isLeft() ? QUICK_TRIES : 0;
    return { explanation: this.#hints.spend(() => explain(sent, known, { ...circumstances, triesMax })), known };
  }
}

/** The path of traces. */
const TRACES = '/_dev/auth/traces';

/** The problems of credentials, of any status. Plain HTTP and too large headers need no explanation. */
const CREDENTIAL_PROBLEMS: ReadonlySet<ProblemName> = new Set(
  AUTHENTICATION_PROBLEMS.filter((name) => name !== 'TLS_REQUIRED' && name !== 'HEADER_TOO_LARGE'),
);

/** The reason in the log, or where there is none, the condition of the problem. */
function reasonOf({ message }: Problem, name: ProblemName): string {
  return message === name ? problems[name].when : message;
}

/** The hint takes the place of a poorer one. */
function addHeaders(
  { headers }: PendingReply,
  { words }: Exchange,
  { id, hint }: { readonly id: string; readonly hint: string },
): void {
  const hintName = words?.header('x-hint') ?? 'x-hint';
  const at = headers.findIndex((name, index) => index % 2 === 0 && name === hintName);
  if (at >= 0) headers.splice(at, 2);
  headers.push('x-barker-trace', id, hintName, hint.replace(/[^\x20-\x7e]/g, '?').slice(0, 500));
}

function sentOf(
  listener: ToolsListener,
  { request }: Exchange,
  { origins: all, ownNames }: SignatureDebuggerOptions,
): () => SentRequest {
  const { authorization, 'content-type': contentType, 'content-length': length } = request.headers;
  const origins = listener.originsOf(request);
  const fixed = {
    method: request.method!,
    target: request.url!,
    origins,
    authorization,
    contentType,
    hostSpellings: [],
    ownNames,
    otherOrigins: all().filter((each) => !origins.includes(each)),
  };
  const body = bodyOf(request);
  return () => {
    const { bytes, total } = body();
    const isBodyCut = total > bytes.length || total < Number(length ?? 0);
    return { ...fixed, body: bytes.length === 0 ? undefined : bytes.toString(), isBodyCut };
  };
}

const MEMBERS = ['curl', 'method', 'url', 'headers', 'body'] as const;

/** The request that a body of `/_dev/auth/explain` describes. @throws DevError */
function requestIn(described: unknown): CurlRequest {
  const members = membersOf(described, MEMBERS, 'body');
  const curl = textIn(members.curl, 'curl');
  if (curl !== undefined) {
    if (Object.keys(members).length > 1) throw invalidMember('send curl alone', 'curl');
    try {
      return parseCurl(curl);
    } catch (error) {
      if (error instanceof InputError) throw new DevError(400, 'CURL_UNREADABLE', error.message, 'curl');
      throw error;
    }
  }
  const method = textIn(members.method, 'method') ?? 'GET';
  const headers = Object.entries(textsIn(members.headers ?? {}, 'headers'));
  const body = members.body === '' ? '' : textIn(members.body, 'body');
  const url = textIn(members.url, 'url');
  if (url === undefined) throw missingMember('send curl, or method and url', 'url');
  return { method, url, body, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])) };
}
