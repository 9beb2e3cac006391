import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/input-error.ts';
import { formatInstant } from '../../base/instants.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { CredentialKind } from '../../contract/declare/operation.ts';
import { AUTHENTICATION_PROBLEMS, Problem, type ProblemName, problems } from '../../contract/problems/problems.ts';
import type { Store } from '../../contract/store/store.ts';
import type { PendingReply, ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { bodyOf } from '../requests/received.ts';
import { type DevCall, DevError } from '../surface/call.ts';
import { membersOf, textIn, textsIn } from '../surface/members.ts';
import type { ToolPages } from '../surface/tool-pages.ts';
import { type CurlRequest, parseCurl } from './curl.ts';
import { debuggerPages } from './debugger-pages.ts';
import { describedRequest, neededBy } from './described-request.ts';
import { type Explanation, explain, keysOf, LIKELY_SECRET, REFUSED } from './explain.ts';
import type { KnownApplication } from './known-keys.ts';
import { bearerIn } from './other-schemes.ts';
import type { SentRequest } from './sent-request.ts';
import { storedBearer, storedKeys } from './stored-keys.ts';
import { timeShare } from './time-share.ts';
import { type ShownTrace, shownTrace } from './trace.ts';

/** What the debugger is made of. */
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

/** Explains refused credentials. */
export interface SignatureDebugger {
  readonly calls: readonly DevCall[];
  /** Adds a trace and a hint to the reply of a request that was not authenticated. Never rejects. */
  trace(listener: ToolsListener, exchange: Exchange, reply: PendingReply): Promise<void>;
}

/** Requests that are kept for their traces, with at most 64 KiB of body each. */
const TRACES_MAX = 250;
/** Signatures that are computed before a refusal is sent: a few milliseconds. The call for its trace tries all. */
const QUICK_TRIES = 1000;
/**
 * The part of the time that goes into hints, so that many wrong requests do not hold up the others, and what can be
 * saved up for the next ones.
 * @source decision 904
 */
const HINTS = { share: 0.1, burst_ms: 500 };

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

/** Explains why requests were refused, and why others would be. */
export function signatureDebugger(options: SignatureDebuggerOptions): SignatureDebugger {
  const { store, box, clock, wallClock, window_s, log } = options;
  const times = () => ({ at_ms: clock.now(), wall_ms: wallClock.now() });
  const traces = new Map<string, Trace>();
  const hints = timeShare(HINTS.share, HINTS.burst_ms, () => performance.now());

  async function judge(
    { at_ms, wall_ms, sent, needed, refusal }: Suspect,
    isHint = false,
  ): Promise<{ explanation: Explanation; known: KnownApplication[] }> {
    const known = await storedKeys(store, box, keysOf(sent), formatInstant(at_ms));
    const value = bearerIn(sent.authorization);
    const bearer = value === undefined ? undefined : await storedBearer(store, value);
    const notBefore_s = await store.read((tx) => tx.restores.findRequestsNotBefore());
    const circumstances = {
      now_s: Math.floor(at_ms / 1000),
      wallNow_s: Math.floor(wall_ms / 1000),
      ...{ window_s, notBefore_s },
      needed,
      bearer,
      refusal,
    };
    if (!isHint) return { explanation: explain(sent, known, circumstances), known };
    const triesMax = hints.isLeft() ? QUICK_TRIES : 0;
    return { explanation: hints.spend(() => explain(sent, known, { ...circumstances, triesMax })), known };
  }

  async function shown(id: string): Promise<ShownTrace | undefined> {
    const trace = traces.get(id);
    if (!trace) return undefined;
    const sent = trace.sent();
    const { explanation, known } = await judge({ ...trace, sent });
    return shownTrace(sent, explanation, known, trace);
  }

  /** @throws InputError when the request cannot be read. */
  async function explained(request: CurlRequest): Promise<ShownTrace> {
    const sent = { ...describedRequest(request, options.origins()), ownNames: options.ownNames };
    const { explanation, known } = await judge({ ...times(), sent, needed: neededBy(sent, options.ownPath) });
    return shownTrace(sent, explanation, known);
  }

  const list = (): ListedTrace[] =>
    [...traces.values()].reverse().map(({ id, at_ms, status, sent, summary }) => {
      const { method, target } = sent();
      return { id, received_at: formatInstant(at_ms), status, method, path: target.split('?', 1)[0]!, summary };
    });

  const calls: readonly DevCall[] = [
    {
      ...{ method: 'GET', path: TRACES },
      about: 'Lists the requests that were refused because of their credentials, the last one first.',
      perform: () => ({ traces: list() }),
    },
    {
      ...{ method: 'GET', path: `${TRACES}/:id` },
      about: 'Explains why a request was refused; its reply named the trace in x-barker-trace.',
      async perform({ path }) {
        const trace = await shown(path.id!);
        if (!trace) throw new DevError(404, 'TRACE_UNKNOWN', 'this trace is not known, or no longer');
        return trace;
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/auth/explain' },
      about: 'Explains whether a request is signed right: { "curl" }, or { "method", "url", "headers", "body" }.',
      perform: ({ body }) =>
        explained(requestIn(body)).catch((error: unknown) => {
          if (error instanceof InputError) throw new DevError(400, 'URL_UNREADABLE', error.message, 'url');
          throw error;
        }),
    },
    ...debuggerPages({ list, shown, explained, pages: options.pages }),
  ];

  return {
    calls,
    async trace(listener, exchange, reply) {
      const { failure } = reply;
      const [problem] = failure instanceof Problem ? failure.errors : [];
      if (reply.status !== 401 && !(problem && CREDENTIAL_PROBLEMS.has(problem.problem))) return;
      const { transactionId: id, operation } = exchange;
      try {
        const trace: Trace = {
          ...{ id, ...times(), status: reply.status, summary: '' },
          sent: sentOf(listener, exchange, options),
          needed: operation.credential ?? 'user',
          ...(problem && { refusal: reasonOf(failure as Problem, problem.problem) }),
        };
        const { explanation } = await judge({ ...trace, sent: trace.sent() }, true);
        const { mistakes, outcome } = explanation;
        const isUnknown = outcome === 'unknown' && mistakes.length === 0;
        const summary = isUnknown
          ? `The signature is wrong. ${LIKELY_SECRET} ${TRACES}/${id} tries more mistakes.`
          : explanation.summary;
        const hint = failure instanceof Problem ? failure.hint : undefined;
        // A hint of the operation says more than its refusal.
        const isBare = mistakes.every(({ name }) => name === REFUSED);
        trace.summary = isBare && hint !== undefined ? hint : summary;
        traces.set(id, trace);
        if (traces.size > TRACES_MAX) traces.delete(traces.keys().next().value!);
        addHeaders(reply, exchange, { id, hint: trace.summary });
      } catch (err) {
        // The database may be unavailable: the reply is sent as it is.
        log.error({ err, transaction_id: id }, 'a refused request could not be explained');
      }
    },
  };
}

/** The path of traces. */
const TRACES = '/_dev/auth/traces';

/** The problems of credentials, whatever their status. Of plain HTTP and too large headers, nothing else can be said. */
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
    ...{ method: request.method!, target: request.url!, origins, authorization, contentType },
    ...{ hostSpellings: [], ownNames },
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
    if (Object.keys(members).length > 1) throw new DevError(400, 'MEMBER_INVALID', 'send curl alone', 'curl');
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
  if (url === undefined) throw new DevError(400, 'MEMBER_MISSING', 'send curl, or method and url', 'url');
  return { method, url, body, headers: new Map(headers.map(([name, value]) => [name.toLowerCase(), value])) };
}
