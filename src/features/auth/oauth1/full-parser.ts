/**
 * The full parser, for signed requests of any shape.
 */
import { encode } from '../../../base/percent.ts';
import type { SignedParts } from '../../../contract/declare/callers.ts';
import { parseAuthorizationHeader } from './authorization-header.ts';
import { mergeParameters, normalizeParameters, parseForm } from './parameters.ts';
import { decodeUtf8, malformed, type Parameter, type ParsedRequest, type ParseError } from './parsed-request.ts';

/**
 * Every signed request has these, and only signed requests do. `oauth_token` is not among them, because links to the
 * consent page have it.
 */
const REQUIRED_PARAMETERS: readonly string[] = [
  'oauth_consumer_key',
  'oauth_signature_method',
  'oauth_signature',
  'oauth_timestamp',
  'oauth_nonce',
];

/**
 * Splits a raw request target. An absolute target loses its scheme and authority, an empty path becomes `/`, a fragment
 * is dropped; nothing is decoded.
 * @source authentication 2.1; RFC 5849 3.4.1.2; RFC 9112 3.2
 */
export function splitTarget(target: string): { path: string; query: string } {
  const [, rest = ''] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^#]*)/i.exec(target)!;
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : rest.slice(mark + 1) };
}

/**
 * Parses a request of any shape: header, query and form parameters, repeats, all tolerated spellings.
 * @source authentication 2.2 to 2.4, 2.7
 */
export function fullParse(parts: SignedParts): ParsedRequest | ParseError {
  const header = parts.authorization === undefined ? undefined : parseAuthorizationHeader(parts.authorization);
  if (header !== undefined && 'reason' in header) return header;
  const target = decodeUtf8(parts.target);
  const { path, query } = splitTarget(target ?? parts.target);
  const sources = [header ?? [], parseForm(query), parseForm(parts.form ?? '')];
  const readable = sources.filter(isReadable);
  // A malformed query or body is not a malformed credential unless the request has an OAuth credential.
  if (header === undefined && !readable.some((source) => source.some(isRequired))) return ABSENT;
  if (target === undefined) return malformed('the request target is not UTF-8');
  const broken = sources.find((source) => 'reason' in source);
  if (broken !== undefined) return broken;
  const gathered = mergeParameters(readable);
  if ('reason' in gathered) return gathered;
  const refusal = checkShape(gathered.protocol);
  if (refusal !== undefined) return refusal;
  const { protocol } = gathered;
  const signature = protocol.get('oauth_signature') ?? '';
  return {
    consumerKey: protocol.get('oauth_consumer_key') ?? '',
    token: protocol.get('oauth_token') ?? '',
    timestamp: protocol.get('oauth_timestamp') ?? '',
    nonce: protocol.get('oauth_nonce') ?? '',
    signature,
    bodyHash: protocol.get('oauth_body_hash'),
    callback: protocol.get('oauth_callback'),
    verifier: protocol.get('oauth_verifier'),
    headerParameters: (header ?? []).filter((pair) => !pair.name.startsWith('oauth_')),
    encodedSignature: encode(signature),
    method: parts.method.toUpperCase(),
    baseStringTail: restOf(path, gathered.unique),
    baseStringTailWithRepeats: gathered.withRepeats === undefined ? undefined : restOf(path, gathered.withRepeats),
  };
}

/** The token and the verifier of a request with any signature or none; undefined when they cannot be read. `consumerKey` is empty when absent. @source authentication 7 */
export function parseUnsignedRequest(parts: SignedParts) {
  const header = parseAuthorizationHeader(parts.authorization ?? '') ?? [];
  const sources = [header, parseForm(splitTarget(parts.target).query), parseForm(parts.form ?? '')];
  const gathered = mergeParameters(sources.filter(isReadable));
  if (!sources.every(isReadable) || 'reason' in gathered) return undefined;
  const { protocol } = gathered;
  const [token, verifier] = [protocol.get('oauth_token') ?? '', protocol.get('oauth_verifier') ?? ''];
  // PostgreSQL refuses U+0000 in text, even in a query.
  if (token === '' || verifier === '' || /\p{Cc}/u.test(token)) return undefined;
  return { consumerKey: protocol.get('oauth_consumer_key') ?? '', token, verifier };
}

function restOf(path: string, pairs: readonly Parameter[]): string {
  return `${encode(path)}&${encode(normalizeParameters(pairs))}`;
}

const ABSENT: ParseError = { reason: 'absent', detail: 'the request carries no OAuth credential' };

function isReadable(source: Parameter[] | ParseError): source is Parameter[] {
  return !('reason' in source);
}

function isRequired(pair: Parameter): boolean {
  return REQUIRED_PARAMETERS.includes(pair.name);
}

/** Checks presence and grammar of the protocol parameters. The caller checks the timestamp and over-long keys. */
function checkShape(protocol: ReadonlyMap<string, string>): ParseError | undefined {
  const missing = REQUIRED_PARAMETERS.find((name) => !protocol.has(name));
  if (missing !== undefined) return malformed(`${missing} is missing`, missing);
  const broken = SHAPES.find(([name, shape]) => protocol.has(name) && !shape.test(protocol.get(name)!));
  return broken === undefined ? undefined : malformed(`${broken[0]} ${broken[2]}`, broken[0]);
}

/** The grammar of protocol parameters. @source decision 79 */
const SHAPES: readonly (readonly [name: string, shape: RegExp, rule: string])[] = [
  ['oauth_consumer_key', /^[\x20-\x7e]+$/, 'must be printable ASCII and not empty'],
  ['oauth_signature_method', /^HMAC-SHA1$/, 'must be HMAC-SHA1'],
  ['oauth_nonce', /^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters'],
  // PostgreSQL refuses U+0000 in text, even in a query.
  ['oauth_token', /^\P{Cc}*$/u, 'must not hold control characters'],
  ['oauth_version', /^1\.0$/, 'must be 1.0 when given'],
];
