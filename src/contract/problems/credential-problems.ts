import type { ProblemRow } from './problems.ts';

/** Errors of issuing and revoking credentials and of reading users. @source authentication 7, 10, 11 and 12 */
export const credentialProblems = {
  // Login steps of the token protocol.
  REQUEST_TOKEN_MISSING: {
    when: 'an access token is requested without a request token',
    numeric: [401, 32, 'Request token missing'],
  },
  VERIFIER_MISSING: {
    when: 'an access token is requested without a verifier',
    numeric: [401, 32, 'Required oauth_verifier parameter not provided'],
  },
  VERIFIER_INVALID: {
    when: 'a wrong verifier, or a request token that was not approved',
    numeric: [401, 32, 'Error processing your OAuth request: Invalid oauth_verifier parameter'],
  },
  CALLBACK_NOT_APPROVED: {
    when: 'a callback URL that is not registered for the application',
    numeric: [
      403,
      415,
      'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
    ],
  },
  CALLBACK_NOT_OOB: {
    when: 'a native application uses a callback other than oob',
    numeric: [401, 417, "Desktop applications only support the oauth_callback value 'oob'"],
  },

  // Application-only tokens.
  CLIENT_REFUSED: {
    when: 'unreadable or wrong application credentials, or a suspended application',
    label: 'authenticity_token_error',
    numeric: [403, 99, 'Unable to verify your credentials'],
  },
  CLIENT_TOO_OFTEN: {
    when: 'the rate limit of requests for bearer tokens is exceeded',
    label: 'authenticity_token_error',
    numeric: [403, 99, 'Unable to verify your credentials'],
  },
  GRANT_TYPE_MISSING: {
    when: 'the form has no grant_type',
    label: 'forbidden_missing_parameter',
    numeric: [403, 170, 'Missing required parameter: grant_type'],
  },
  GRANT_TYPE_UNKNOWN: {
    when: 'a grant_type other than client_credentials',
    label: 'authenticity_token_error',
    numeric: [403, 99, 'Unable to verify your credentials'],
  },
  BEARER_NOT_OWN: {
    when: 'a bearer token of another application, or a user who does not own the application',
    numeric: [403, 348, 'Client application is not permitted to invalidate this token.'],
  },
  BEARER_INVALID: {
    when: 'a bearer token that is unknown or revoked',
    ads: [401, 'UNAUTHORIZED_ACCESS', 'This request is not properly authenticated'],
    numeric: [401, 89, 'invalid or expired token'],
  },

  // Users.
  USER_NOT_FOUND: { when: 'no such user', numeric: [404, 50, 'User not found.'] },
  USER_SHOWN_SUSPENDED: { when: 'the requested user is suspended', numeric: [403, 63, 'User has been suspended.'] },
} as const satisfies Record<string, ProblemRow>;
