import type { CredentialKind } from '../../contract/declare/operation.ts';
import { parseBasicHeader } from '../../features/auth/oauth2/basic-header.ts';
import { identityMistakes } from './identity-mistakes.ts';
import type { KnownApplication } from './known-keys.ts';
import type { NamedMistake } from './mistakes.ts';

/** What became of a bearer token. */
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

/** What is wrong with credentials of another scheme than OAuth, or with a request that has none. */
export function otherMistakes({ authorization, known, needed, bearer }: OtherCredentials): readonly NamedMistake[] {
  if (authorization === undefined || authorization.trim() === '') return [missing(needed)];
  if (/^\s*bearer(?:\s|$)/i.test(authorization)) {
    const wrong = bearerMistakes(bearerIn(authorization) ?? '', known, bearer);
    // A kind of credential that the operation does not take is refused, whatever its value.
    if (needed === 'publisher') return [];
    return needed === undefined || needed === 'bearer' || needed === 'user-or-bearer'
      ? wrong
      : [BEARER_NOT_TAKEN[needed === 'basic' ? 'basic' : 'signature'], ...wrong];
  }
  if (/^\s*basic(?:\s|$)/i.test(authorization)) {
    const wrong = basicMistakes(authorization, known);
    if (needed === undefined || needed === 'basic' || needed === 'owner-or-basic') return wrong;
    return [needed === 'bearer' ? BASIC_FOR_BEARER : BASIC_FOR_SIGNATURE, ...wrong];
  }
  if (/^\s*oauth_\w+\s*=/i.test(authorization)) return [SCHEME_MISSING];
  return [OTHER_SCHEME];
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

function missing(needed: CredentialKind = 'user'): NamedMistake {
  return { name: 'credentials-missing', text: 'The request has no credentials.', remedy: REMEDIES[needed] };
}

function bearerMistakes(
  value: string,
  known: readonly KnownApplication[],
  state: BearerState | undefined,
): readonly NamedMistake[] {
  const tokens = known.flatMap((each) => each.tokens);
  const secrets = [
    ...known.map(({ consumerSecret }) => consumerSecret),
    ...tokens.map(({ tokenSecret }) => tokenSecret),
  ];
  if (value === '') return [BEARER_EMPTY];
  if (secrets.includes(value)) return [SECRET_AS_BEARER];
  if (known.some(({ consumerKey }) => consumerKey === value)) return [KEY_AS_BEARER];
  if (tokens.some(({ token }) => token === value)) return [TOKEN_AS_BEARER];
  if (/^["'<{]/.test(value)) return [BEARER_QUOTED];
  if (state === 'unknown') return [BEARER_UNKNOWN];
  if (state === 'revoked') return [BEARER_REVOKED];
  return state === 'suspended' ? [identityMistakes.suspendedApplication] : [];
}

function basicMistakes(authorization: string, known: readonly KnownApplication[]): readonly NamedMistake[] {
  const readings = parseBasicHeader(authorization);
  if (!readings) return [BASIC_UNREADABLE];
  const holder = known.find(({ consumerKey }) => readings.some(({ key }) => key === consumerKey));
  if (!holder) {
    const isSwapped = known.some(({ consumerSecret }) => readings.some(({ key }) => key === consumerSecret));
    const isToken = known.some(({ tokens }) => tokens.some(({ token }) => readings.some(({ key }) => key === token)));
    return [isSwapped ? BASIC_SWAPPED : isToken ? TOKEN_AS_BASIC : identityMistakes.unknownKey];
  }
  const suspended = holder.isSuspended ? [identityMistakes.suspendedApplication] : [];
  const secrets = readings.map(({ secret }) => secret);
  if (secrets.includes(holder.consumerSecret)) return suspended;
  if (secrets.some((secret) => secret !== secret.trim() && secret.trim() === holder.consumerSecret))
    return [...suspended, BASIC_WITH_SPACE];
  const isTokenSecret = holder.tokens.some(({ tokenSecret }) => secrets.includes(tokenSecret));
  return [...suspended, isTokenSecret ? TOKEN_SECRET_AS_BASIC : BASIC_WRONG];
}

const SCHEME_MISSING: NamedMistake = {
  name: 'scheme-missing',
  text: 'The Authorization header does not begin with the scheme OAuth.',
  remedy: 'Send Authorization: OAuth, a space, and the parameters.',
};
const OTHER_SCHEME: NamedMistake = {
  name: 'other-scheme',
  text: 'The Authorization header has a scheme that is not known.',
  remedy: 'Use OAuth for signed requests, Bearer for bearer tokens, and Basic for consumer key and secret.',
};
const BEARER_NOT_TAKEN = {
  signature: {
    name: 'bearer-instead-of-signature',
    text: 'A bearer token was sent, but this call acts for a user.',
    remedy: 'Sign the request by OAuth 1.0a with the access token of a user.',
  },
  basic: {
    name: 'bearer-instead-of-basic',
    text: 'A bearer token was sent where consumer key and secret belong.',
    remedy: 'Send consumer key and consumer secret as Authorization: Basic.',
  },
} as const satisfies Record<string, NamedMistake>;
const BASIC_FOR_SIGNATURE: NamedMistake = {
  name: 'basic-instead-of-signature',
  text: 'Key and secret were sent as Authorization: Basic, but this call must be signed.',
  remedy: 'Sign the request by OAuth 1.0a. Secrets are never sent with such calls: replace this one.',
};
const BASIC_FOR_BEARER: NamedMistake = {
  name: 'basic-instead-of-bearer',
  text: 'Key and secret were sent as Authorization: Basic, but this call takes a bearer token.',
  remedy: 'Exchange key and secret for a bearer token at /oauth2/token, and send that.',
};
const BEARER_EMPTY: NamedMistake = {
  name: 'bearer-empty',
  text: 'The bearer token is empty.',
  remedy: 'Check the variable from which the token is read.',
};
const BEARER_QUOTED: NamedMistake = {
  name: 'bearer-quoted',
  text: 'The bearer token was sent in quotes or brackets.',
  remedy: 'Send the token as it is, after Bearer and a space.',
};
const BEARER_UNKNOWN: NamedMistake = {
  name: 'bearer-unknown',
  text: 'No application has this bearer token.',
  remedy: 'Send the access_token of the reply of /oauth2/token as it is; it contains escapes such as %2F.',
};
const BEARER_REVOKED: NamedMistake = {
  name: 'bearer-revoked',
  text: 'The bearer token was revoked.',
  remedy: 'Request a new one at /oauth2/token.',
};
const SECRET_AS_BEARER: NamedMistake = {
  name: 'secret-sent-as-bearer',
  text: 'A secret was sent as a bearer token.',
  remedy: 'Request a bearer token at /oauth2/token. Replace the secret, which is never sent.',
};
const KEY_AS_BEARER: NamedMistake = {
  name: 'consumer-key-sent-as-bearer',
  text: 'A consumer key was sent as a bearer token.',
  remedy: 'Exchange key and secret for a bearer token at /oauth2/token, and send that.',
};
const TOKEN_AS_BEARER: NamedMistake = {
  name: 'access-token-sent-as-bearer',
  text: 'The access token of a user was sent as a bearer token.',
  remedy: 'Sign the request by OAuth 1.0a with this token, or send the bearer token of the application.',
};
const BASIC_UNREADABLE: NamedMistake = {
  name: 'basic-unreadable',
  text: 'What follows Basic is not the base64 of a key, a colon and a secret.',
  remedy: 'Send the base64 of consumer key, : and consumer secret.',
};
const BASIC_SWAPPED: NamedMistake = {
  name: 'basic-swapped',
  text: 'Consumer key and consumer secret were swapped.',
  remedy: 'Send the base64 of consumer key, : and consumer secret.',
};
const TOKEN_AS_BASIC: NamedMistake = {
  name: 'token-sent-as-basic',
  text: 'An access token was sent where consumer key and secret belong.',
  remedy: 'Send the base64 of consumer key, : and consumer secret.',
};
const TOKEN_SECRET_AS_BASIC: NamedMistake = {
  name: 'token-secret-sent-as-basic',
  text: 'A token secret was sent where the consumer secret belongs.',
  remedy: 'Send the base64 of consumer key, : and consumer secret.',
};
const BASIC_WITH_SPACE: NamedMistake = {
  name: 'space-in-secret',
  text: 'The consumer secret was sent with a space or a line break that does not belong to it.',
  remedy: 'Trim what is read from files and environment variables; echo adds a line break, printf does not.',
};
const BASIC_WRONG: NamedMistake = {
  name: 'basic-wrong-secret',
  text: 'The consumer secret is wrong.',
  remedy: 'Copy the secret again; a new one replaces the old one when keys are regenerated.',
};
