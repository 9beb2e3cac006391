import { boundedCache } from '../../base/bounded-cache.ts';
import type { Clock } from '../../base/clock.ts';
import { InputError } from '../../base/input-error.ts';
import { formatInstant } from '../../base/instants.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { Store } from '../../contract/store/store.ts';
import type { PendingReply, ToolsListener } from '../../http/developer-tools.ts';
import type { Exchange } from '../../http/exchange.ts';
import { receivedBody } from '../requests/received.ts';
import { type DevCall, DevError } from '../surface/call.ts';
import { type CurlRequest, parseCurl } from './curl.ts';
import { type Explanation, explain, keysOf } from './explain.ts';
import type { SentRequest } from './sent-request.ts';
import { storedKeys } from './stored-keys.ts';

/** What the debugger is made of. */
export interface SignatureDebuggerOptions {
  readonly store: Store;
  readonly box: SecretBox;
  /** The clock by which timestamps are judged. */
  readonly clock: Clock;
  /** How far a timestamp may be from it. */
  readonly window_s: number;
  /** The base URLs of the service. */
  readonly origins: () => readonly string[];
}

/** Explains refused signatures. */
export interface SignatureDebugger {
  readonly calls: readonly DevCall[];
  /** Adds a trace and a hint to the reply of a request that was not authenticated. */
  trace(listener: ToolsListener, exchange: Exchange, reply: PendingReply): Promise<void>;
}

/** Requests that are kept for their traces. */
const TRACES_MAX = 1000;
/** Signatures that are computed before a refusal is sent: a few milliseconds. The call for its trace tries all. */
const QUICK_TRIES = 1000;

interface Trace {
  readonly at_ms: number;
  readonly sent: SentRequest;
}

/** Explains why requests were refused, and why others would be. */
export function signatureDebugger(options: SignatureDebuggerOptions): SignatureDebugger {
  const { store, box, clock, window_s } = options;
  const traces = boundedCache<string, Trace>(TRACES_MAX);

  async function explained({ sent, at_ms }: Trace, triesMax?: number): Promise<Explanation> {
    const known = await storedKeys(store, box, keysOf(sent));
    return explain(sent, known, { now_s: Math.floor(at_ms / 1000), window_s }, triesMax);
  }

  const shown = async (trace: Trace) => ({
    ...{ received_at: formatInstant(trace.at_ms), method: trace.sent.method, target: trace.sent.target },
    ...(await explained(trace)),
  });

  const calls: readonly DevCall[] = [
    {
      ...{ method: 'GET', path: '/_dev/auth/traces/:id' },
      about: 'Explains why a request was refused; its reply named the trace in x-barker-trace.',
      perform({ path }) {
        const trace = traces.get(path.id!);
        if (!trace) throw new DevError(404, 'TRACE_UNKNOWN', 'this trace is not known, or no longer');
        return shown(trace);
      },
    },
    {
      ...{ method: 'POST', path: '/_dev/auth/explain' },
      about: 'Explains whether a request is signed right: { "curl" }, or { "method", "url", "headers", "body" }.',
      perform({ body, listener }) {
        const sent = sentBy(requestIn(body), listener.environment, options.origins());
        return shown({ at_ms: clock.now(), sent });
      },
    },
  ];

  return {
    calls,
    async trace(listener, { request, transactionId, operation }, reply) {
      const { authorization } = request.headers;
      if (reply.status !== 401 || (operation.credential ?? 'user') === 'basic') return;
      const { bytes } = receivedBody(request);
      const origins = listener.originsOf(request);
      const trace: Trace = {
        at_ms: clock.now(),
        sent: {
          ...{ method: request.method!, target: request.url!, origins, authorization },
          hostSpellings: [],
          otherOrigins: options.origins().filter((each) => !origins.includes(each)),
          contentType: request.headers['content-type'],
          body: bytes.length === 0 ? undefined : bytes.toString(),
        },
      };
      traces.set(transactionId, trace);
      const { summary } = await explained(trace, QUICK_TRIES);
      reply.headers.push('x-barker-trace', transactionId, 'x-barker-hint', summary.replace(/[^\x20-\x7e]/g, '?'));
    },
  };
}

/** The request that a body of `/_dev/auth/explain` describes. @throws DevError */
function requestIn(body: unknown): CurlRequest {
  const { curl, method, url, headers, body: content } = (body ?? {}) as Record<string, unknown>;
  if (typeof curl === 'string') {
    try {
      return parseCurl(curl);
    } catch (error) {
      if (error instanceof InputError) throw new DevError(400, 'CURL_UNREADABLE', error.message, 'curl');
      throw error;
    }
  }
  if (typeof url !== 'string') throw new DevError(400, 'MEMBER_MISSING', 'send curl, or method and url', 'url');
  return {
    method: typeof method === 'string' ? method : 'GET',
    url,
    headers: new Map(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])),
    body: typeof content === 'string' ? content : undefined,
  };
}

function sentBy({ method, url, headers, body }: CurlRequest, _: string, all: readonly string[]): SentRequest {
  const parsed = URL.parse(url);
  if (!parsed) throw new DevError(400, 'URL_UNREADABLE', `${url} is not a URL`, 'url');
  // As written: the parser of URLs would change escapes.
  const [, origin = '', target = '/'] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^#]*)/i.exec(url) ?? [];
  return {
    ...{ method, target: target.startsWith('/') ? target : `/${target}`, origins: [parsed.origin] },
    hostSpellings: origin.toLowerCase() === origin ? [] : [origin.replace(/^[^:]+:\/\//, '').replace(/:\d*$/, '')],
    otherOrigins: all.filter((each) => each !== parsed.origin),
    authorization: headers.get('authorization'),
    contentType: headers.get('content-type'),
    body,
  };
}
