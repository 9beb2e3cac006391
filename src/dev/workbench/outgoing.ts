import type { Clock } from '../../base/clock.ts';
import { request } from '../../base/node-http.ts';
import { encode } from '../../base/percent.ts';
import type { Random } from '../../base/random.ts';
import { after } from '../../base/timers.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { pathNames } from '../../engine/describe/words.ts';
import { sign } from '../../features/auth/oauth1/signature.ts';
import { texts } from '../../texts/texts.ts';
import { jsonOf } from '../requests/show.ts';
import type { KnownApplication, KnownToken } from '../signatures/known-keys.ts';
import type { SnippetCall } from '../snippets/call-snippets.ts';
import { DevError } from '../surface/call.ts';
import { type Draft, pairsOf } from './draft.ts';

const words = texts.tools.workbench;

/** A request with its credentials, ready to be sent. */
export interface Outgoing {
  readonly method: string;
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
}

/** The dependencies of a signature. */
export interface SigningDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** The base URL of each listener. */
  readonly originOf: (environment: Draft['environment']) => string;
  /** The applications and tokens whose secrets are known, among them those that are named. */
  readonly keysFor: (named: { consumerKey: string; token: string }) => Promise<readonly KnownApplication[]>;
  /** The bearer token of an application. */
  readonly bearerOf: (application: KnownApplication) => Promise<string>;
}

/** The keys of a draft; without a token where none signs it. */
export interface DraftKeys {
  readonly application: KnownApplication;
  readonly token: KnownToken | undefined;
}

/**
 * The keys that sign a draft among those that are known: those that it names, else those of its signer.
 * @throws DevError when there is no such key or token
 */
export function findKeys(
  known: readonly KnownApplication[],
  { operation, signer }: Draft,
  { oauth_consumer_key: key, oauth_token: named }: Draft['parameters'],
): DraftKeys {
  const chosen = findSigner(known, signer);
  const application = key === undefined ? chosen.application : known.find(({ consumerKey }) => consumerKey === key);
  if (!application) throw new DevError(409, 'KEYS_UNKNOWN', words.unknownKey, 'signer');
  if (!isSigned(operation) || operation.credential === 'consumer') return { application, token: undefined };
  const all = known.flatMap(({ tokens }) => tokens);
  const token = named === undefined ? chosen.token : all.find((each) => each.token === named);
  if (token) return { application, token };
  throw new DevError(409, 'KEYS_UNKNOWN', words.unknownToken, 'signer');
}

/** Whether requests of an operation are signed, rather than sent with a password or a bearer token. */
export function isSigned({ credential = 'user' }: Operation): boolean {
  return credential !== 'basic' && credential !== 'bearer' && credential !== 'publisher';
}

/** The first where none is named. */
function findSigner(known: readonly KnownApplication[], signer: string) {
  const at = signer.lastIndexOf('/');
  const [name, user] = at < 0 ? [signer, ''] : [signer.slice(0, at), signer.slice(at + 1)];
  const application = known.find((each) => each.name === name) ?? known[0];
  const token = application?.tokens.find((each) => each.name === user) ?? application?.tokens[0];
  return { application, token };
}

/** The names of the path parameters that a draft lacks. */
export function missingIn({ operation, parameters }: Draft): string[] {
  return pathNames(operation.path).filter((name) => !parameters[name]);
}

/** The parts of the request of a draft, without its credentials. */
function partsOf(draft: Draft) {
  const { operation, parameters, body } = draft;
  const inPath = new Set(pathNames(operation.path));
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => encode(parameters[name] ?? ''));
  const all = [...Object.entries(parameters).filter(([name]) => !inPath.has(name)), ...pairsOf(draft)];
  const oauth = all.filter(([name]) => name.startsWith('oauth_') && !(name in operation.parameters));
  const pairs = all.filter((pair) => !oauth.includes(pair));
  const takesForm = body === '' && (operation.method === 'POST' || operation.method === 'PUT');
  const [form, query] = takesForm ? [pairs, []] : [[], pairs];
  return { path, form, query, oauth: Object.fromEntries(oauth) };
}

/** The call of a draft, as snippets show it. @throws DevError when its body is not JSON */
export function callOf(draft: Draft): Omit<SnippetCall, 'url'> & { readonly path: string } {
  const { body, operation } = draft;
  const { path, form, query, oauth: protocol } = partsOf(draft);
  if (body !== '' && jsonOf(body) === body) throw new DevError(400, 'NOT_JSON', words.notJson, 'body');
  return {
    ...{ method: operation.method, credential: operation.credential ?? 'user', path, protocol },
    ...(query.length > 0 && { query }),
    ...(form.length > 0 && { form }),
    ...(body !== '' && { json: body }),
  };
}

/**
 * Builds the request of a draft and signs it.
 * @param credential that of a publisher, which only the caller knows
 * @throws DevError when there is no such key or token
 */
export async function signed(draft: Draft, credential: string, deps: SigningDeps): Promise<Outgoing> {
  const { operation, environment, body } = draft;
  const { path, form, query, oauth } = partsOf(draft);
  const search = query.length === 0 ? '' : `?${new URLSearchParams(query)}`;
  const url = deps.originOf(environment) + path + search;
  const text = body !== '' ? body : form.length > 0 ? new URLSearchParams(form).toString() : undefined;
  const headers = new Map([['authorization', await authorization(draft, { url, form, oauth, credential }, deps)]]);
  if (text !== undefined) {
    headers.set('content-type', body === '' ? 'application/x-www-form-urlencoded' : 'application/json');
  }
  return { method: operation.method, url, headers, body: text };
}

interface Unsigned {
  readonly url: string;
  readonly form: [string, string][];
  /** Protocol parameters that the draft names itself. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly credential: string;
}

async function authorization(draft: Draft, unsigned: Unsigned, deps: SigningDeps): Promise<string> {
  const { operation } = draft;
  const { url, form, oauth, credential } = unsigned;
  const { oauth_consumer_key: consumerKey = '', oauth_token: named = '' } = oauth;
  const known = await deps.keysFor({ consumerKey, token: named });
  const { application, token } = findKeys(known, draft, oauth);
  const kind = operation.credential ?? 'user';
  if (kind === 'basic') return `Basic ${btoa(`${application.consumerKey}:${application.consumerSecret}`)}`;
  if (kind === 'bearer') return `Bearer ${await deps.bearerOf(application)}`;
  if (kind === 'publisher') return `Bearer ${credential}`;
  return sign({
    method: operation.method,
    url,
    form,
    oauth: {
      oauth_consumer_key: application.consumerKey,
      oauth_nonce: deps.random.bytes(16).toString('hex'),
      oauth_signature_method: 'HMAC-SHA1',
      oauth_timestamp: String(Math.floor(deps.clock.now() / 1000)),
      ...(token && { oauth_token: token.token }),
      oauth_version: '1.0',
      ...oauth,
    },
    consumerSecret: application.consumerSecret,
    tokenSecret: token?.tokenSecret ?? '',
  }).header;
}

/** Streams are read this long; other replies take as long as they take. */
const STREAM_MS = 1500;
/** Longer waits are given up. */
const WAIT_MS = 60_000;

/**
 * Sends a request over HTTP; resolves with the text of the reply when it has ended, or broke off.
 * @param ca the certificate authority of the service; undefined for the usual ones
 */
export function sendOver(
  { method, url, headers, body }: Outgoing,
  { isStream, ca }: { readonly isStream: boolean; readonly ca?: string | undefined },
): Promise<string> {
  return new Promise((resolve) => {
    // Otherwise Node.js sends no length with DELETE.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, headers: { ...Object.fromEntries(headers), ...length }, agent: false } as const;
    const sent = url.startsWith('https:')
      ? process.getBuiltinModule('node:https').request(url, { ...options, ca })
      : request(url, options);
    let text = '';
    const callOff = after(isStream ? STREAM_MS : WAIT_MS, () => sent.destroy());
    sent.on('error', () => {});
    sent.on('response', (response) => {
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', () => {});
    });
    sent.on('close', () => {
      callOff();
      resolve(text);
    });
    sent.end(body);
  });
}
