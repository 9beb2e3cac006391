/**
 * Verification and making of OAuth 1.0a HMAC-SHA1 signatures. Pure: no clock, no storage, no randomness.
 */
import { origin } from '../../../base/origin.ts';
import { decode, encode } from '../../../base/percent.ts';
import type { SignedParts } from '../../../contract/declare/callers.ts';
import type { Claim, Pair, Refusal } from './claim.ts';
import { hmac, type SigningKey, sameSignature, signingKey } from './hmac.ts';
import { normalise, readForm } from './parameters.ts';
import { readClaim, splitTarget } from './reading.ts';
import { readUsualClaim } from './usual-shape.ts';

export type { SignedParts } from '../../../contract/declare/callers.ts';
export type { Claim, Refusal } from './claim.ts';
export { type SigningKey, signingKey } from './hmac.ts';

/**
 * Reads the protocol parameters of a request from header, query and form, and checks their grammar.
 * @returns the claim, or the refusal (tell apart with `'reason' in x`).
 * @source authentication gaps 2.2 to 2.4, 2.7
 */
export function parseClaim(parts: SignedParts): Claim | Refusal {
  return readUsualClaim(parts) ?? readClaim(parts);
}

/**
 * The base URI of a request: origin and path, no query, no fragment.
 * @param target raw request target.
 * @source authentication gaps 2.1; RFC 5849 3.4.1.2
 */
export function baseUri(requestOrigin: string, target: string): string {
  return requestOrigin + splitTarget(target).path;
}

/**
 * Tells whether the claim's signature fits one of the origins, with one copy of repeated protocol parameters or with
 * all copies. The work depends on the request, not on the key being a real one.
 * @param origins results of `origin`, the likeliest first.
 * @source authentication gaps 1.3, 2.1; RFC 5849 3.2
 */
export function verify(claim: Claim, origins: readonly string[], key: SigningKey): boolean {
  for (const candidate of origins) {
    const head = headOf(claim.method, candidate);
    if (sameSignature(hmac(key, head, claim.signedRest), claim.encodedSignature)) return true;
    if (claim.signedRestCopies === undefined) continue;
    if (sameSignature(hmac(key, head, claim.signedRestCopies), claim.encodedSignature)) return true;
  }
  return false;
}

/**
 * The base strings that `verify` tries, in its order.
 * @source authentication gaps 2.1; RFC 5849 3.4.1.1
 */
export function baseStrings(claim: Claim, origins: readonly string[]): string[] {
  const rests = [claim.signedRest, ...(claim.signedRestCopies === undefined ? [] : [claim.signedRestCopies])];
  return origins.flatMap((candidate) => rests.map((rest) => `${claim.method}&${encode(candidate)}${rest}`));
}

/**
 * The normalised parameters of a claim, with one copy of each protocol parameter.
 * @source authentication gaps 2.1; RFC 5849 3.4.1.3.2
 */
export function normalisedParameters(claim: Claim): string {
  // No `&` is left in an encoded path.
  return decode(claim.signedRest.slice(claim.signedRest.indexOf('&') + 1), false) ?? '';
}

let lastMethod = '';
let lastOrigin = '';
let lastHead = Buffer.alloc(0);

/** The base string up to the path. A server has one origin nearly always, so the last result is kept. */
function headOf(method: string, candidate: string): Uint8Array {
  if (candidate !== lastOrigin || method !== lastMethod) {
    lastHead = Buffer.from(`${method}&${encode(candidate)}`);
    lastMethod = method;
    lastOrigin = candidate;
  }
  return lastHead;
}

const NOTHING = new Uint8Array(0);

/**
 * What a client needs to sign a request.
 * @source authentication gaps 2.1
 */
export interface Signable {
  readonly method: string;
  /** Absolute `http` or `https` URL with its query, as it will be sent. */
  readonly url: string;
  /** Decoded pairs of a form body. */
  readonly form?: readonly (readonly [string, string])[];
  /** Decoded header parameters without the signature; a `realm` is sent and not signed. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/**
 * The pieces of a signed request, in the order they are made.
 * @source authentication gaps 2.1; RFC 5849 3.4, 3.5.1
 */
export interface Signed {
  readonly parameterString: string;
  readonly baseString: string;
  readonly signature: string;
  /** Value of the Authorization header. */
  readonly header: string;
}

/**
 * Signs a request, for clients and tests.
 * @throws TypeError when the URL is not absolute `http` or `https`, or its query has a bad escape.
 * @source authentication gaps 2.1; RFC 5849 3.4, 3.5.1
 */
export function sign(request: Signable): Signed {
  const url = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]+)(.*)$/is.exec(request.url);
  if (url === null) throw new TypeError('the URL must be absolute, http or https');
  const scheme = url[1]!.toLowerCase() === 'http' ? 'http' : 'https';
  const { path, query } = splitTarget(url[3]!);
  const fromQuery = readForm(query);
  if ('reason' in fromQuery) throw new TypeError(`the query of the URL cannot be read: ${fromQuery.detail}`);
  const header = Object.entries(request.oauth)
    .filter(([name]) => name !== 'oauth_signature')
    .map(toPair);
  const signed = [...header.filter((pair) => pair.name !== 'realm'), ...fromQuery, ...(request.form ?? []).map(toPair)];
  const parameterString = normalise(signed);
  const uri = origin(scheme, url[2]!) + path;
  const baseString = `${request.method.toUpperCase()}&${encode(uri)}&${encode(parameterString)}`;
  const signature = hmac(signingKey(request.consumerSecret, request.tokenSecret), NOTHING, baseString);
  const sent = [...header, { name: 'oauth_signature', value: signature }];
  return { parameterString, baseString, signature, header: `OAuth ${sent.map(headerPiece).sort().join(', ')}` };
}

function toPair([name, value]: readonly [string, string]): Pair {
  return { name, value };
}

function headerPiece(pair: Pair): string {
  return `${encode(pair.name)}="${encode(pair.value)}"`;
}
