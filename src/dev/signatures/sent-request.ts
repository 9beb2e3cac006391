import { decode, encode } from '../../base/percent.ts';
import { parseAuthorizationHeader } from '../../features/auth/oauth1/authorization-header.ts';
import { splitTarget } from '../../features/auth/oauth1/full-parser.ts';
import { decodeUtf8, type ParseError } from '../../features/auth/oauth1/parsed-request.ts';
import { keyOf, type SentParameter, type Signing } from './signing.ts';

/** A signed request as it was received or is about to be sent. */
export interface SentRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  /** The origins that its signature may be for, the likeliest first. */
  readonly origins: readonly string[];
  /** The host as it was written, without its port, where that differs from the origins. */
  readonly hostSpellings: readonly string[];
  /** The other origins of the same service, for which a client may have signed by mistake. */
  readonly otherOrigins: readonly string[];
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string | undefined;
  /** Only the beginning of the body is known. */
  readonly isBodyCut?: boolean;
  /** The names of the service for a name of a parameter, where they are others. */
  readonly ownNames?: (name: string) => readonly string[];
}

/** The secrets that a request should be signed with. */
export interface RequestSecrets {
  /** The name of the application. */
  readonly name: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  /** Empty without a token. */
  readonly token: string;
  readonly tokenSecret: string;
  /** Secrets of other things that a client may have confused with these. */
  readonly others: readonly OtherSecret[];
}

/** A secret that is not the right one. */
export interface OtherSecret {
  /** Whose it is, such as `the consumer secret of the application Messages`. */
  readonly owner: string;
  readonly kind: 'consumer' | 'token';
  readonly secret: string;
}

/** All parameters of a request, in the order header, query, body; or why they cannot be read. */
export function parametersOf(sent: SentRequest): SentParameter[] | ParseError {
  const header = sent.authorization === undefined ? [] : parseAuthorizationHeader(sent.authorization);
  if (header === undefined) return { reason: 'absent', detail: 'the Authorization header is not of the scheme OAuth' };
  if ('reason' in header) return header;
  const { query } = splitTarget(targetOf(sent));
  return [
    ...header.map((pair) => ({
      ...pair,
      source: 'header' as const,
      raw: { name: encode(pair.name), value: encode(pair.value) },
    })),
    ...pairsOf(query, 'query'),
    ...(isForm(sent) ? pairsOf(sent.body ?? '', 'body') : []),
  ];
}

/** Whether the body is a form, whose parameters are signed. */
export function isForm({ contentType }: SentRequest): boolean {
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? '');
}

/** The target of a request as text: it is received as one character per byte. */
export function targetOf({ target }: SentRequest): string {
  return decodeUtf8(target) ?? target;
}

/**
 * The right ways to sign a request, the likeliest first: for each of its origins, and where OAuth parameters are sent
 * in two places, with one copy of each or with all.
 */
export function rightSignings(
  sent: SentRequest,
  parameters: readonly SentParameter[],
  secrets: RequestSecrets,
): Signing[] {
  const names = parameters.map(({ name }) => name);
  const unique = parameters.filter(({ name }, index) => !name.startsWith('oauth_') || names.indexOf(name) === index);
  const sets = unique.length === parameters.length ? [unique] : [unique, parameters];
  return sent.origins.flatMap((origin) => sets.map((set) => rightSigning(sent, set, secrets, origin)));
}

/** The right way to sign a request, for one of its origins. */
export function rightSigning(
  sent: SentRequest,
  parameters: readonly SentParameter[],
  { consumerSecret, tokenSecret }: RequestSecrets,
  origin: string,
): Signing {
  return {
    method: sent.method.toUpperCase(),
    origin,
    path: splitTarget(targetOf(sent)).path,
    parameters,
    order: 'encoded',
    encodeParameter: encode,
    encodeUri: encode,
    encodeString: encode,
    key: keyOf(consumerSecret, tokenSecret),
    digest: 'hmac-sha1',
    encoding: 'base64',
  };
}

/** Escapes that cannot be decoded are taken as they are. */
function pairsOf(text: string, source: 'query' | 'body'): SentParameter[] {
  return text
    .split('&')
    .filter((piece) => piece !== '')
    .map((piece) => {
      const at = piece.indexOf('=');
      const raw = { name: at < 0 ? piece : piece.slice(0, at), value: at < 0 ? '' : piece.slice(at + 1) };
      return { name: decode(raw.name, true) ?? raw.name, value: decode(raw.value, true) ?? raw.value, source, raw };
    });
}
