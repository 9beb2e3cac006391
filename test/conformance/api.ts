import { randomBytes } from 'node:crypto';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { type Browser, browserOf } from '../rig/browser.ts';
import type { Reply } from '../rig/client.ts';
import type { ConformanceKeys, SigningKeys } from './keys.ts';
import { Skipped } from './rule.ts';
import { type Sent, send } from './send.ts';

/** A call; without anything else, a signed GET for the user of the keys. */
export interface CallOptions {
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** The credential: keys to sign with, the value of `Authorization`, or none. */
  readonly as?: SigningKeys | string | null;
  /** A form body, which the signature covers. */
  readonly form?: readonly (readonly [name: string, value: string])[];
  readonly json?: unknown;
  /** A body as it is, with its type; signed by nobody. */
  readonly body?: string;
  readonly type?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Other protocol parameters; undefined ones are left out. */
  readonly oauth?: Readonly<Record<string, string | undefined>>;
  /** Seconds by which the timestamp is ahead. */
  readonly skew_s?: number;
  /** Where protocol parameters travel. */
  readonly place?: 'header' | 'query' | 'form';
  /** Changes the header after signing. */
  readonly header?: (signed: string) => string;
}

/** A server under test, the keys for it, and what a check has to remove. */
export interface Api {
  readonly url: string;
  /** The keys of the application alone. */
  readonly consumer: SigningKeys;
  /** The keys of the application and its user. */
  readonly user: SigningKeys;
  readonly userId: string;
  /** Keys by the prefix of their names: `other_`, `messages_` or `messages_other_`. @throws Skipped when one is missing */
  keysOf(prefix: string): SigningKeys;
  /** A member of the file of keys. @throws Skipped when it is missing */
  key(name: string): string;
  /** The account of the keys, or the first one of the user. @throws Skipped when there is none */
  accountId(): Promise<string>;
  /** `Authorization` with the bearer token of the application, or of other keys. */
  bearer(keys?: SigningKeys): Promise<string>;
  call(options: CallOptions): Promise<Reply>;
  /** A request to send once or more often. */
  prepare(options: CallOptions): Sent;
  send(sent: Sent): Promise<Reply>;
  /** A browser without scripts and without a session. */
  browser(): Browser;
  /** Runs after the check, the last one first; a failure is reported. */
  finally(remove: () => Promise<unknown>): void;
  /** What several checks need, made once; its `finally` runs after the last check. */
  shared<Made>(name: string, make: (api: Api) => Promise<Made>): Promise<Made>;
}

/** The form type that token endpoints are called with. */
export const FORM = 'application/x-www-form-urlencoded';

/** What the runner needs beside checks. */
export interface Target {
  readonly url: string;
  readonly keys: ConformanceKeys;
  /** Sends requests; tests of the runner change replies. */
  readonly send?: typeof send;
}

/** What checks of one run share. */
export interface Session {
  /** `Authorization` by consumer key, as long as no bearer token is revoked: asking for tokens has a rate limit. */
  readonly bearers: Map<string, string>;
  /** What was made for several checks, by name. */
  readonly shared: Map<string, Promise<unknown>>;
  readonly removals: Removals;
}

/** What is still to be removed. */
export type Removals = (() => Promise<unknown>)[];

/** Opens a server for a check; `removals` collects what it has to remove. */
export function openApi(target: Target, session: Session, removals: Removals): Api {
  const { bearers, shared } = session;
  const url = target.url.replace(/\/$/, '');
  const { keys } = target;
  const key = (name: string): string => {
    const value = keys[name];
    if (value === undefined) throw new Skipped(`no ${name} in the keys`);
    return value;
  };
  const keysOf = (prefix: string): SigningKeys => {
    const application = prefix.replace(/other_$/, '');
    return {
      consumer_key: key(`${application}consumer_key`),
      consumer_secret: key(`${application}consumer_secret`),
      access_token: key(`${prefix}access_token`),
      access_token_secret: key(`${prefix}access_token_secret`),
    };
  };
  const user = keysOf('');
  const consumer = { consumer_key: user.consumer_key, consumer_secret: user.consumer_secret };
  const api: Api = {
    url,
    consumer,
    user,
    userId: user.access_token!.split('-', 1)[0]!,
    keysOf,
    key,
    async accountId() {
      if (keys.account_id !== undefined) return keys.account_id;
      const reply = await api.call({ path: '/12/accounts?count=1' });
      if (reply.status !== 200) throw new Error(`no accounts: ${reply.status} ${reply.text}`);
      const id: string | undefined = reply.body.data[0]?.id;
      if (id === undefined) throw new Skipped('the user has no account');
      return id;
    },
    async bearer(of = consumer) {
      const known = bearers.get(of.consumer_key);
      if (known !== undefined) return known;
      const reply = await api.call(tokenRequest(of));
      if (reply.status !== 200) throw new Error(`no bearer token: ${reply.status} ${reply.text}`);
      const authorization = `Bearer ${reply.body.access_token}`;
      bearers.set(of.consumer_key, authorization);
      return authorization;
    },
    call: (options) => api.send(api.prepare(options)),
    prepare: (options) => prepare(url, { as: user, ...options }),
    async send(sent) {
      if (sent.url.includes('/oauth2/invalidate_token')) bearers.clear();
      return (target.send ?? send)(sent);
    },
    browser: () => browserOf(url),
    finally: (remove) => void removals.push(remove),
    shared<Made>(name: string, make: (of: Api) => Promise<Made>) {
      const made = shared.get(name) ?? make(openApi(target, session, session.removals));
      shared.set(name, made);
      return made as Promise<Made>;
    },
  };
  return api;
}

/** The request for the bearer token of an application. */
export function tokenRequest(of: SigningKeys, form: CallOptions['form'] = [['grant_type', 'client_credentials']]) {
  return { method: 'POST', path: '/oauth2/token', as: basic(of), form } as const;
}

/** `Authorization` with key and secret. */
export function basic({ consumer_key, consumer_secret }: SigningKeys): string {
  return `Basic ${Buffer.from(`${consumer_key}:${consumer_secret}`).toString('base64')}`;
}

function prepare(base: string, options: CallOptions): Sent {
  const { method = 'GET', path, as, form, json, headers = [], place = 'header', header: change = (it) => it } = options;
  const url = base + path;
  const type = form ? FORM : json === undefined ? options.type : 'application/json';
  const text = form ? encodeForm(form) : json === undefined ? options.body : JSON.stringify(json);
  const typed = type === undefined ? headers : [...headers, ['content-type', type] as const];
  if (as == null) return { method, url, headers: typed, body: text };
  if (typeof as === 'string') return { method, url, headers: [['authorization', as], ...typed], body: text };
  const oauth = protocolOf(as, options);
  const { header, signature } = sign({
    method,
    url,
    form,
    oauth,
    consumerSecret: as.consumer_secret,
    tokenSecret: as.access_token_secret ?? '',
  });
  if (place === 'header') {
    return { method, url, headers: [['authorization', change(header)], ...typed], body: text };
  }
  const all = encodeForm([...Object.entries(oauth), ['oauth_signature', signature] as const]);
  if (place === 'query') {
    return { method, url: `${url}${path.includes('?') ? '&' : '?'}${all}`, headers: typed, body: text };
  }
  const body = text ? `${text}&${all}` : all;
  return { method, url, headers: [...headers, ['content-type', FORM]], body };
}

function protocolOf(keys: SigningKeys, { oauth = {}, skew_s = 0 }: CallOptions): Record<string, string> {
  const all = {
    oauth_consumer_key: keys.consumer_key,
    oauth_nonce: randomBytes(12).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000) + skew_s),
    oauth_version: '1.0',
    ...(keys.access_token !== undefined && { oauth_token: keys.access_token }),
    ...oauth,
  };
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function encodeForm(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs as [string, string][]).toString();
}
