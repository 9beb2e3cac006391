import { BarkerError } from './errors.ts';
import { encode, type KeyPair, sign } from './sign.ts';

/** How to reach a server, and with which keys. Give what the calls that you make need. */
export interface ClientOptions {
  /** The address of the environment, such as `https://ads.example.com`. */
  readonly url: string;
  /** Key and secret of the application. */
  readonly consumer?: KeyPair | undefined;
  /** Token and secret of a user who has authorized the application; with `consumer`, signs calls with OAuth 1.0a. */
  readonly token?: KeyPair | undefined;
  /** The application-only token; without it, the client gets one with `consumer` when a call needs it. */
  readonly bearer?: string | undefined;
  /** The credential of a publisher, for `delivery.decisions`. */
  readonly publisher?: string | undefined;
  /** How often a call is repeated at most; 2 by default. */
  readonly retries?: number | undefined;
  /** The longest wait before a repetition, in seconds; a call that would have to wait longer fails at once. 60 by default. */
  readonly retryWaitMax_s?: number | undefined;
  /** How long a call may take, in seconds, without repetitions; 60 by default. */
  readonly timeout_s?: number | undefined;
  /** Called with each response before its body is read, for logs and rate limits. */
  readonly onResponse?: ((response: Response, operation: string) => void) | undefined;
  /** Sends requests; the `fetch` of the runtime by default. */
  readonly fetch?: typeof fetch | undefined;
}

/** What one call may add. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** The credential that an operation needs. */
export type Credential = 'user' | 'user-or-bearer' | 'bearer' | 'basic' | 'user-or-basic' | 'publisher';

/** An operation of the API. */
export interface Call {
  /** Such as `campaigns.create`. */
  readonly operation: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly credential: Credential;
  /** Where parameters are sent that are not in the path. */
  readonly place: 'query' | 'json' | 'form';
}

/** The parameters of a call: of its path, and of its query or body. `body` replaces the members of a body that is a list. */
export type Params = Readonly<Record<string, unknown>>;

const SECOND_MS = 1000;
/** Statuses after which a reading call is worth repeating. */
const PASSING = new Set([429, 500, 502, 503, 504]);

/** Sends calls: with credentials, again where that is safe, and with errors as exceptions. */
export class Transport {
  readonly options: ClientOptions;
  #bearer: Promise<string> | undefined;

  constructor(options: ClientOptions) {
    this.options = options;
  }

  /** Performs a call and returns the body of its reply; undefined if there is none. */
  async call(call: Call, params: Params = {}, { signal }: CallOptions = {}): Promise<unknown> {
    const { retries = 2, retryWaitMax_s = 60, timeout_s = 60 } = this.options;
    for (let attempt = 0; ; attempt++) {
      const late = AbortSignal.timeout(timeout_s * SECOND_MS);
      try {
        const response = await this.open(call, params, signal ? AbortSignal.any([signal, late]) : late);
        const text = await response.text();
        return text === '' ? undefined : parsed(text);
      } catch (error) {
        const wait_s = (error instanceof BarkerError ? error.retryAfter_s : undefined) ?? 0.25 * 2 ** attempt;
        const isWorthIt = attempt < retries && wait_s <= retryWaitMax_s && mayRepeat(call, error);
        if (!isWorthIt || signal?.aborted) throw error;
        await pause(wait_s, signal);
      }
    }
  }

  /** Begins a reply that may last: one attempt, without a limit on its duration. @throws BarkerError if it is refused */
  async open(call: Call, params: Params, signal: AbortSignal): Promise<Response> {
    const response = await this.#attempt(call, params, signal);
    this.options.onResponse?.(response, call.operation);
    if (response.ok) return response;
    throw new BarkerError(call.operation, response, parsed(await response.text()));
  }

  async #attempt(call: Call, params: Params, signal: AbortSignal): Promise<Response> {
    const { url, body, headers } = requestOf(call, params, this.options.url);
    const authorization = await this.#authorization(call, url);
    const { fetch: send = fetch } = this.options;
    const sent = { method: call.method, headers: { ...headers, authorization }, signal };
    return send(url, body === undefined ? sent : { ...sent, body });
  }

  async #authorization({ credential, method, operation }: Call, url: URL): Promise<string> {
    const { consumer, token, bearer, publisher } = this.options;
    if (credential.startsWith('user') && consumer && token) return sign(consumer, token, method, url);
    if (credential.endsWith('basic') && consumer) return basic(consumer);
    if (credential.endsWith('bearer') && (bearer || consumer)) return `Bearer ${bearer ?? (await this.#ownBearer())}`;
    if (credential === 'user' && bearer) return `Bearer ${bearer}`;
    if (credential === 'publisher' && publisher) return `Bearer ${publisher}`;
    throw new UsageError(`${operation} needs ${NEEDS[credential]}`);
  }

  /** The application-only token, fetched once. */
  #ownBearer(): Promise<string> {
    this.#bearer ??= this.call(TOKEN, { grant_type: 'client_credentials' }).then(
      (reply) => (reply as { readonly access_token: string }).access_token,
    );
    this.#bearer.catch(() => {
      this.#bearer = undefined;
    });
    return this.#bearer;
  }
}

/** A mistake of the program that calls, found before anything is sent. */
export class UsageError extends TypeError {
  override readonly name = 'UsageError';
}

const NEEDS: Readonly<Record<Credential, string>> = {
  user: 'the options `consumer` and `token`',
  'user-or-bearer': 'the options `consumer` and `token`, or `bearer`',
  bearer: 'the option `consumer` or `bearer`',
  basic: 'the option `consumer`',
  'user-or-basic': 'the option `consumer`',
  publisher: 'the option `publisher`',
};

const TOKEN: Call = {
  operation: 'oauth2.token',
  method: 'POST',
  path: '/oauth2/token',
  credential: 'basic',
  place: 'form',
};

function basic(consumer: KeyPair): string {
  return `Basic ${btoa(consumer.map(encode).join(':'))}`;
}

/** A call that a limit refused was not performed; reads may also be repeated when the server or the network failed. */
function mayRepeat({ method }: Call, error: unknown): boolean {
  if (error instanceof BarkerError) return error.status === 429 || (method === 'GET' && PASSING.has(error.status));
  return method === 'GET' && !(error instanceof UsageError);
}

/** Waits some seconds. */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, seconds * SECOND_MS);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}

interface BuiltRequest {
  readonly url: URL;
  readonly body?: BodyInit;
  readonly headers: Readonly<Record<string, string>>;
}

function requestOf({ operation, path, place }: Call, params: Params, base: string): BuiltRequest {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name);
    if (value === undefined || value === null || value === '') throw new UsageError(`${operation} needs ${name}`);
    rest.delete(name);
    return encode(String(value));
  });
  const url = new URL(base.replace(/\/$/, '') + filled);
  const pairs = [...rest].map(([name, value]): [string, string] => [name, textOf(value)]);
  if (place === 'query') {
    // Built by hand: a form writes spaces as `+`, which signatures do not.
    url.search = pairs.map((pair) => pair.map(encode).join('=')).join('&');
    return { url, headers: {} };
  }
  if (place === 'form') return { url, body: new URLSearchParams(pairs), headers: {} };
  const list = rest.get('body');
  if (list !== undefined) return { url, ...jsonOf(list) };
  const values = [...rest.values()];
  if (values.some(isBytes)) {
    const form = new FormData();
    for (const [name, value] of rest) form.append(name, isBytes(value) ? blobOf(value) : textOf(value));
    return { url, body: form, headers: {} };
  }
  return rest.size > 0 ? { url, ...jsonOf(Object.fromEntries(rest)) } : { url, headers: {} };
}

function jsonOf(value: unknown): Omit<BuiltRequest, 'url'> {
  const body = JSON.stringify(value, function (this: Params, name, each) {
    const own = this[name];
    return own instanceof Date ? timeOf(own) : each;
  });
  return { body, headers: { 'content-type': 'application/json' } };
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (value instanceof Date) return timeOf(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

/** Times have seconds, and no parts of them. */
function timeOf(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Bytes of a file. */
export type Bytes = Blob | Uint8Array<ArrayBuffer>;

function isBytes(value: unknown): value is Bytes {
  return value instanceof Blob || value instanceof Uint8Array;
}

function blobOf(value: Bytes): Blob {
  return value instanceof Blob ? value : new Blob([value]);
}

/** A body as JSON, or the text if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
