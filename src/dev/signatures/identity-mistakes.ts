import type { NamedMistake } from './mistakes.ts';

/** What can be wrong with a key or a token that is sent. */
export const identityMistakes = {
  unknownKey: {
    name: 'unknown-consumer-key',
    text: 'No application has this consumer key.',
    remedy: 'Copy the consumer key again; new keys replace the old ones when they are regenerated.',
  },
  secretAsKey: {
    name: 'secret-sent-as-consumer-key',
    text: 'A consumer secret was sent as oauth_consumer_key.',
    remedy: 'Swap key and secret. Secrets are never sent: replace this one.',
  },
  tokenAsKey: {
    name: 'token-sent-as-consumer-key',
    text: 'A token was sent as oauth_consumer_key.',
    remedy: 'Send the consumer key as oauth_consumer_key and the access token as oauth_token.',
  },
  suspendedApplication: {
    name: 'application-suspended',
    text: 'The application is suspended.',
    remedy: 'barker app resume lifts the suspension.',
  },
  secretAsToken: {
    name: 'secret-sent-as-token',
    text: 'A token secret was sent as oauth_token.',
    remedy: 'Swap token and token secret. Secrets are never sent: replace this one.',
  },
  keyAsToken: {
    name: 'consumer-key-sent-as-token',
    text: 'The consumer key was sent as oauth_token.',
    remedy: 'Send the access token as oauth_token.',
  },
  tokenOfAnother: {
    name: 'token-of-another-application',
    text: 'The token was issued to another application.',
    remedy: 'Use a token that was issued to the application of the consumer key.',
  },
  unknownToken: {
    name: 'unknown-token',
    text: 'The token is not known: it was mistyped, or is older than the keys of the application.',
    remedy: 'Copy the present token of the user again, or have access granted again.',
  },
  revokedToken: {
    name: 'token-revoked',
    text: 'The token was revoked.',
    remedy: 'Have access granted again, and use the new token.',
  },
  endedRequestToken: {
    name: 'request-token-ended',
    text: 'The request token has expired, was denied, or was exchanged before.',
    remedy: 'Begin the login anew with a new request token.',
  },
  suspendedUser: {
    name: 'user-suspended',
    text: 'The user of the token is suspended.',
    remedy: 'barker user resume lifts the suspension.',
  },
  lockedUser: {
    name: 'user-locked',
    text: 'The user of the token is locked.',
    remedy: 'barker user unlock unlocks it.',
  },
  tokenMissing: {
    name: 'token-missing',
    text: 'The request was signed without an access token.',
    remedy: 'Send the access token of a user as oauth_token, and sign with its secret too.',
  },
  requestTokenMissing: {
    name: 'request-token-missing',
    text: 'The request was signed without a request token.',
    remedy: 'Send the request token of this login as oauth_token, and sign with its secret too.',
  },
  tokenNotWanted: {
    name: 'token-where-none-belongs',
    text: 'The request was sent with a token, but a login begins without one.',
    remedy: 'Leave out oauth_token, and sign with consumer secret and & alone.',
  },
  requestTokenForAccess: {
    name: 'request-token-instead-of-access-token',
    text: 'A request token was sent where an access token belongs.',
    remedy: 'Exchange the request token for an access token first.',
  },
  accessTokenForRequest: {
    name: 'access-token-instead-of-request-token',
    text: 'An access token was sent where a request token belongs.',
    remedy: 'Send the request token of this login.',
  },
} as const satisfies Record<string, NamedMistake>;
