/**
 * Creates and verifies OAuth 1.0a HMAC-SHA1 signatures. Pure: no clock, no storage, no randomness.
 */
import { type HmacKey, hmacKey, hmacOfText } from '../../../base/hmac.ts';
import { origin } from '../../../base/origin.ts';
import { encode } from '../../../base/percent.ts';
import type { SignedParts } from '../../../contract/declare/callers.ts';
import { fastParse } from './fast-parser.ts';
import { fullParse, splitTarget } from './full-parser.ts';
import { normalizeParameters, parseForm } from './parameters.ts';
import type { Parameter, ParsedRequest, ParseError } from './parsed-request.ts';

export type { SignedParts } from '../../../contract/declare/callers.ts';
export type { ParsedRequest, ParseError } from './parsed-request.ts';

/**
 * Parses the protocol parameters of a request from header, query and form, and checks their grammar.
 * @returns the parsed request or the parse error, distinguished by `'reason' in x`.
 * @source authentication 2.2 to 2.4, 2.7
 */
export function parseRequest(parts: SignedParts): ParsedRequest | ParseError {
  return fastParse(parts) ?? fullParse(parts);
}

/**
 * Whether the signature is right for one of the origins, with one copy of repeated protocol parameters or with all
 * copies. The time depends on the request, not on whether the key is real.
 * @param origins results of `origin`, the likeliest first.
 * @source authentication 1.3, 2.1; RFC 5849 3.2
 */
export function verify(claim: ParsedRequest, origins: readonly string[], key: HmacKey): boolean {
  for (const candidate of origins) {
    const head = headOf(claim.method, candidate);
    if (sameSignature(hmacOfText(key, head, claim.baseStringTail), claim.encodedSignature)) return true;
    if (claim.baseStringTailWithRepeats === undefined) continue;
    if (sameSignature(hmacOfText(key, head, claim.baseStringTailWithRepeats), claim.encodedSignature)) return true;
  }
  return false;
}

/**
 * Prepares the key enc(consumer secret) `&` enc(token secret); the `&` stays when the token secret is empty.
 * @source authentication 2.1; RFC 5849 3.4.2
 */
export function signingKey(consumerSecret: string, tokenSecret: string): HmacKey {
  return hmacKey('sha1', Buffer.from(`${encode(consumerSecret)}&${encode(tokenSecret)}`, 'latin1'));
}

/**
 * Compares a base64 digest with a percent-encoded signature in a time that does not depend on where they differ.
 * @source authentication 1.3
 */
export function sameSignature(expected: string, encoded: string): boolean {
  const length = encoded.length;
  let difference = 0;
  let position = 0;
  let at = 0;
  while (at < length) {
    let code = encoded.charCodeAt(at);
    at += 1;
    if (code === 0x25) {
      code = (hexValue(encoded.charCodeAt(at)) << 4) | hexValue(encoded.charCodeAt(at + 1));
      at += 2;
    }
    difference |= position < expected.length ? code ^ expected.charCodeAt(position) : 1;
    position += 1;
  }
  return difference === 0 && position === expected.length;
}

/** The value of an upper-case hex digit; the escapes were checked or written by this server. */
function hexValue(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x37;
}

let lastMethod = '';
let lastOrigin = '';
let lastHead = Buffer.alloc(0);

/** The base string up to the path. Nearly every server has one origin, so the last result is cached. */
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
 * A request that a client signs.
 * @source authentication 2.1
 */
export interface RequestToSign {
  readonly method: string;
  /** Absolute `http` or `https` URL with its query, as it will be sent. */
  readonly url: string;
  /** Decoded pairs of a form body. */
  readonly form?: readonly (readonly [string, string])[] | undefined;
  /** Decoded header parameters without the signature; a `realm` is sent and not signed. */
  readonly oauth: Readonly<Record<string, string>>;
  readonly consumerSecret: string;
  readonly tokenSecret: string;
}

/**
 * The results of signing a request, in the order in which they are computed.
 * @source authentication 2.1; RFC 5849 3.4, 3.5.1
 */
export interface SigningSteps {
  readonly parameterString: string;
  readonly baseString: string;
  readonly signature: string;
  /** Value of the Authorization header. */
  readonly header: string;
}

/**
 * Signs a request, for clients and tests.
 * @throws TypeError when the URL is not absolute `http` or `https`, or its query has a bad escape.
 * @source authentication 2.1; RFC 5849 3.4, 3.5.1
 */
export function sign(request: RequestToSign): SigningSteps {
  const url = /^(https?):\/\/(?:[^/?#@]*@)?([^/?#]+)(.*)$/is.exec(request.url);
  if (url === null) throw new TypeError('the URL must be absolute, http or https');
  const scheme = url[1]!.toLowerCase() === 'http' ? 'http' : 'https';
  const { path, query } = splitTarget(url[3]!);
  const fromQuery = parseForm(query);
  if ('reason' in fromQuery) throw new TypeError(`the query of the URL cannot be read: ${fromQuery.detail}`);
  const header = Object.entries(request.oauth)
    .filter(([name]) => name !== 'oauth_signature')
    .map(toPair);
  const signed = [...header.filter((pair) => pair.name !== 'realm'), ...fromQuery, ...(request.form ?? []).map(toPair)];
  const parameterString = normalizeParameters(signed);
  const uri = origin(scheme, url[2]!) + path;
  const baseString = `${request.method.toUpperCase()}&${encode(uri)}&${encode(parameterString)}`;
  const signature = hmacOfText(signingKey(request.consumerSecret, request.tokenSecret), NOTHING, baseString);
  const sent = [...header, { name: 'oauth_signature', value: signature }];
  return { parameterString, baseString, signature, header: `OAuth ${sent.map(headerPiece).sort().join(', ')}` };
}

function toPair([name, value]: readonly [string, string]): Parameter {
  return { name, value };
}

function headerPiece(pair: Parameter): string {
  return `${encode(pair.name)}="${encode(pair.value)}"`;
}
