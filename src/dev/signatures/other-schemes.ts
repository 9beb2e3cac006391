import type { CredentialKind } from '../../contract/declare/operation.ts';
import { parseBasicHeader } from '../../features/auth/oauth2/basic-header.ts';
import type { KnownApplication } from './known-keys.ts';
import { type MistakeName, mistakeNamed, type NamedMistake } from './mistakes.ts';

/** The state of a bearer token. */
export type BearerState = 'unknown' | 'revoked' | 'suspended' | 'valid';

/** The credentials of a request that does not use OAuth 1.0a, or has none. */
export interface OtherCredentials {
  readonly authorization: string | undefined;
  readonly known: readonly KnownApplication[];
  /** The credential that the operation requires, if that is known. */
  readonly needed: CredentialKind | undefined;
  /** Undefined when it was not looked up. */
  readonly bearer: BearerState | undefined;
}

/** The value of a bearer token in a header; undefined for other schemes. */
export function bearerIn(authorization: string | undefined): string | undefined {
  return /^\s*bearer(?:\s+(.*?))?\s*$/is.exec(authorization ?? '')?.[1];
}

/** The mistakes in credentials of another scheme than OAuth, or of a request without any. */
export function otherMistakes(credentials: OtherCredentials): readonly NamedMistake[] {
  const { authorization = '', needed = 'user' } = credentials;
  if (authorization.trim() === '') {
    return [{ name: 'credentials-missing', text: 'The request has no credentials.', remedy: REMEDIES[needed] }];
  }
  return schemeMistakes(authorization, credentials).map(mistakeNamed);
}

function schemeMistakes(authorization: string, { known, needed, bearer }: OtherCredentials): readonly MistakeName[] {
  if (/^\s*bearer(?:\s|$)/i.test(authorization)) {
    const found = bearerMistakes(bearerIn(authorization) ?? '', known, bearer);
    // A kind of credential that the operation does not take is refused, whatever its value.
    if (needed === 'publisher') return [];
    return needed === undefined || needed === 'bearer' || needed === 'user-or-bearer'
      ? found
      : [needed === 'basic' ? 'bearer-instead-of-basic' : 'bearer-instead-of-signature', ...found];
  }
  if (/^\s*basic(?:\s|$)/i.test(authorization)) {
    const found = basicMistakes(authorization, known);
    if (needed === undefined || needed === 'basic' || needed === 'owner-or-basic') return found;
    return [needed === 'bearer' ? 'basic-instead-of-bearer' : 'basic-instead-of-signature', ...found];
  }
  return [/^\s*oauth_\w+\s*=/i.test(authorization) ? 'scheme-missing' : 'other-scheme'];
}

/** How a request without credentials gets some. */
const REMEDIES: Readonly<Record<CredentialKind, string>> = {
  user: 'Sign it by OAuth 1.0a with consumer key and access token, and send the signature in the Authorization header.',
  consumer: 'Sign it by OAuth 1.0a with the consumer key alone.',
  'request-token': 'Sign it by OAuth 1.0a with consumer key and request token.',
  basic: 'Send consumer key and consumer secret as Authorization: Basic.',
  bearer: 'Send the bearer token of the application as Authorization: Bearer.',
  publisher: 'Send the credential of a publisher as Authorization: Bearer.',
  'user-or-bearer': 'Sign it by OAuth 1.0a, or send the bearer token of the application as Authorization: Bearer.',
  'owner-or-basic': 'Sign it by OAuth 1.0a as the owner of the application.',
};

function bearerMistakes(
  value: string,
  known: readonly KnownApplication[],
  state: BearerState | undefined,
): readonly MistakeName[] {
  const tokens = known.flatMap((each) => each.tokens);
  const secrets = [
    ...known.map(({ consumerSecret }) => consumerSecret),
    ...tokens.map(({ tokenSecret }) => tokenSecret),
  ];
  if (value === '') return ['bearer-empty'];
  if (secrets.includes(value)) return ['secret-sent-as-bearer'];
  if (known.some(({ consumerKey }) => consumerKey === value)) return ['consumer-key-sent-as-bearer'];
  if (tokens.some(({ token }) => token === value)) return ['access-token-sent-as-bearer'];
  if (/^["'<{]/.test(value)) return ['bearer-quoted'];
  if (state === 'unknown') return ['bearer-unknown'];
  if (state === 'revoked') return ['bearer-revoked'];
  return state === 'suspended' ? ['application-suspended'] : [];
}

function basicMistakes(authorization: string, known: readonly KnownApplication[]): readonly MistakeName[] {
  const readings = parseBasicHeader(authorization);
  if (!readings) return ['basic-unreadable'];
  const holder = known.find(({ consumerKey }) => readings.some(({ key }) => key === consumerKey));
  if (!holder) {
    const isSwapped = known.some(({ consumerSecret }) => readings.some(({ key }) => key === consumerSecret));
    const isToken = known.some(({ tokens }) => tokens.some(({ token }) => readings.some(({ key }) => key === token)));
    return [isSwapped ? 'basic-swapped' : isToken ? 'token-sent-as-basic' : 'unknown-consumer-key'];
  }
  const suspended: MistakeName[] = holder.isSuspended ? ['application-suspended'] : [];
  const secrets = readings.map(({ secret }) => secret);
  if (secrets.includes(holder.consumerSecret)) return suspended;
  if (secrets.some((secret) => secret !== secret.trim() && secret.trim() === holder.consumerSecret))
    return [...suspended, 'space-in-secret'];
  const isTokenSecret = holder.tokens.some(({ tokenSecret }) => secrets.includes(tokenSecret));
  return [...suspended, isTokenSecret ? 'token-secret-sent-as-basic' : 'basic-wrong-secret'];
}
