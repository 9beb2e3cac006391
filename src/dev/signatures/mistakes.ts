import type { RequestSecrets, SentRequest } from './sent-request.ts';
import type { Signing } from './signing.ts';

/** The request that a mistake is applied to. */
export interface MistakeContext {
  readonly sent: SentRequest;
  readonly secrets: RequestSecrets;
}

/** A mistake in a reply. */
export interface NamedMistake {
  /** In kebab case. */
  readonly name: string;
  /** One sentence that describes the mistake. */
  readonly text: string;
  /** One sentence that tells how to avoid it. */
  readonly remedy: string;
}

/** The part of a signing procedure that a mistake changes. */
export type Change = Partial<Signing>;

/** Returns each way to make a mistake; a change without effect is skipped. */
export type Apply = (signing: Signing, context: MistakeContext) => readonly Change[];

/** A mistake that clients are known to make when they sign. */
export interface Mistake extends NamedMistake {
  /** Mistakes of one group are not combined. */
  readonly group: 'method' | 'origin' | 'path' | 'parameters' | 'order' | 'encoding' | 'base string' | 'key' | 'digest';
  readonly apply: Apply;
}

/** Builds the mistakes of a group from a table by name. */
export function mistakesOf(
  group: Mistake['group'],
  byName: Readonly<Record<string, readonly [text: string, remedy: string, apply: Apply]>>,
): Mistake[] {
  return Object.entries(byName).map(([name, [text, remedy, apply]]) => ({ name, group, text, remedy, apply }));
}

/** Mistakes that are detected without trying signatures. */
const TEXTS = {
  'unknown-consumer-key': [
    'No application has this consumer key.',
    'Copy the consumer key again; new keys replace the old ones when they are regenerated.',
  ],
  'secret-sent-as-consumer-key': [
    'A consumer secret was sent as oauth_consumer_key.',
    'Swap key and secret. Secrets are never sent: replace this one.',
  ],
  'token-sent-as-consumer-key': [
    'A token was sent as oauth_consumer_key.',
    'Send the consumer key as oauth_consumer_key and the access token as oauth_token.',
  ],
  'application-suspended': ['The application is suspended.', 'barker app resume lifts the suspension.'],
  'secret-sent-as-token': [
    'A token secret was sent as oauth_token.',
    'Swap token and token secret. Secrets are never sent: replace this one.',
  ],
  'consumer-key-sent-as-token': ['The consumer key was sent as oauth_token.', 'Send the access token as oauth_token.'],
  'token-of-another-application': [
    'The token was issued to another application.',
    'Use a token that was issued to the application of the consumer key.',
  ],
  'unknown-token': [
    'The token is not known: it was mistyped, or is older than the keys of the application.',
    'Copy the present token of the user again, or have access granted again.',
  ],
  'token-revoked': ['The token was revoked.', 'Have access granted again, and use the new token.'],
  'request-token-ended': [
    'The request token has expired, was denied, or was exchanged before.',
    'Begin the login anew with a new request token.',
  ],
  'user-suspended': ['The user of the token is suspended.', 'barker user resume lifts the suspension.'],
  'user-locked': ['The user of the token is locked.', 'barker user unlock unlocks it.'],
  'token-missing': [
    'The request was signed without an access token.',
    'Send the access token of a user as oauth_token, and sign with its secret too.',
  ],
  'request-token-missing': [
    'The request was signed without a request token.',
    'Send the request token of this login as oauth_token, and sign with its secret too.',
  ],
  'token-where-none-belongs': [
    'The request was sent with a token, but a login begins without one.',
    'Leave out oauth_token, and sign with consumer secret and & alone.',
  ],
  'request-token-instead-of-access-token': [
    'A request token was sent where an access token belongs.',
    'Exchange the request token for an access token first.',
  ],
  'access-token-instead-of-request-token': [
    'An access token was sent where a request token belongs.',
    'Send the request token of this login.',
  ],
  'scheme-missing': [
    'The Authorization header does not begin with the scheme OAuth.',
    'Send Authorization: OAuth, a space, and the parameters.',
  ],
  'other-scheme': [
    'The Authorization header has a scheme that is not known.',
    'Use OAuth for signed requests, Bearer for bearer tokens, and Basic for consumer key and secret.',
  ],
  'basic-instead-of-signature': [
    'Key and secret were sent as Authorization: Basic, but this call must be signed.',
    'Sign the request by OAuth 1.0a. Secrets are never sent with such calls: replace this one.',
  ],
  'basic-instead-of-bearer': [
    'Key and secret were sent as Authorization: Basic, but this call takes a bearer token.',
    'Exchange key and secret for a bearer token at /oauth2/token, and send that.',
  ],
  'bearer-empty': ['The bearer token is empty.', 'Check the variable from which the token is read.'],
  'bearer-quoted': [
    'The bearer token was sent in quotes or brackets.',
    'Send the token as it is, after Bearer and a space.',
  ],
  'bearer-unknown': [
    'No application has this bearer token.',
    'Send the access_token of the reply of /oauth2/token as it is; it contains escapes such as %2F.',
  ],
  'bearer-revoked': ['The bearer token was revoked.', 'Request a new one at /oauth2/token.'],
  'secret-sent-as-bearer': [
    'A secret was sent as a bearer token.',
    'Request a bearer token at /oauth2/token. Replace the secret, which is never sent.',
  ],
  'consumer-key-sent-as-bearer': [
    'A consumer key was sent as a bearer token.',
    'Exchange key and secret for a bearer token at /oauth2/token, and send that.',
  ],
  'access-token-sent-as-bearer': [
    'The access token of a user was sent as a bearer token.',
    'Sign the request by OAuth 1.0a with this token, or send the bearer token of the application.',
  ],
  'basic-unreadable': [
    'What follows Basic is not the base64 of a key, a colon and a secret.',
    'Send the base64 of consumer key, : and consumer secret.',
  ],
  'basic-swapped': [
    'Consumer key and consumer secret were swapped.',
    'Send the base64 of consumer key, : and consumer secret.',
  ],
  'token-sent-as-basic': [
    'An access token was sent where consumer key and secret belong.',
    'Send the base64 of consumer key, : and consumer secret.',
  ],
  'token-secret-sent-as-basic': [
    'A token secret was sent where the consumer secret belongs.',
    'Send the base64 of consumer key, : and consumer secret.',
  ],
  'space-in-secret': [
    'The consumer secret was sent with a space or a line break that does not belong to it.',
    'Trim what is read from files and environment variables; echo adds a line break, printf does not.',
  ],
  'basic-wrong-secret': [
    'The consumer secret is wrong.',
    'Copy the secret again; a new one replaces the old one when keys are regenerated.',
  ],
  'bearer-instead-of-signature': [
    'A bearer token was sent, but this call acts for a user.',
    'Sign the request by OAuth 1.0a with the access token of a user.',
  ],
  'bearer-instead-of-basic': [
    'A bearer token was sent where consumer key and secret belong.',
    'Send consumer key and consumer secret as Authorization: Basic.',
  ],
  'nonce-used-twice': [
    'The nonce of this request was used before: the same request was sent twice.',
    'Make a new nonce and a new timestamp for each request, also when one is sent again.',
  ],
  'nonce-forgotten': [
    'The clock of the service was set back, and it no longer knows which nonces of this second were used.',
    'Sign the request with a later timestamp.',
  ],
  'signed-before-restore': [
    'The request was signed before the service was restored from a backup.',
    'Sign the request anew, with the present time.',
  ],
  'authorization-repeated': [
    'The request has more than one Authorization header.',
    'Send one: a default of the HTTP client may have added another.',
  ],
  'too-many-wrong-secrets': [
    'Too many wrong secrets were sent for this key, so that even the right one is refused for a while.',
    'Wait as long as retry-after says.',
  ],
  'signature-where-none-belongs': [
    'The request is signed as a user, but this call is made by the application itself.',
    'Send the bearer token of the application as Authorization: Bearer; at /oauth2/token, key and secret as Basic.',
  ],
  'signature-encoded-twice': [
    'The signature was percent-encoded twice when it was sent.',
    'Percent-encode the signature once.',
  ],
  'signature-not-encoded': [
    'The signature was sent without being percent-encoded, so that its + became a space.',
    'Percent-encode the signature.',
  ],
  'signature-with-space': [
    'The signature was sent with a space or a line break.',
    'Send the 28 characters of the base64 text alone.',
  ],
  'body-hash-with-form': [
    'oauth_body_hash was sent with a form, whose fields are signed anyway.',
    'Leave oauth_body_hash out when the body is of type application/x-www-form-urlencoded.',
  ],
} as const satisfies Readonly<Record<string, readonly [text: string, remedy: string]>>;

/** The name of a mistake that is detected without trying signatures. */
export type MistakeName = keyof typeof TEXTS;

/** All names. */
export const MISTAKE_NAMES = Object.keys(TEXTS) as readonly MistakeName[];

/** Looks up a mistake by its name. */
export function mistakeNamed(name: MistakeName): NamedMistake {
  const [text, remedy] = TEXTS[name];
  return { name, text, remedy };
}
