import type { ProblemRow } from './problems.ts';

/** Errors of requests for ads. */
export const servingProblems = {
  MEMBER_NO_LIST: {
    when: 'a value that must be a JSON array',
    problem: [400, 'invalid-request', '$.{parameter}: is not an array'],
  },
  USER_NOT_ONE: {
    when: 'a user with neither or both of id and key',
    problem: [400, 'invalid-request', '$.{parameter}: needs either id or key'],
  },
  COUNTRY_CODE_INVALID: {
    when: 'a country that is not two letters',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not a country code of two letters'],
  },
  USER_ID_NOT_ALLOWED: {
    when: 'a user of the directory, named by a publisher that a user registered',
    problem: [
      403,
      'unsupported-authentication',
      'This publisher may not use `{parameter}`: only publishers that the operator registers with `barker publisher create` may. Name people by `user.key`.',
    ],
  },
  EXPLAIN_NOT_ALLOWED: {
    when: 'a publisher that may not ask why ads lost',
    problem: [403, 'unsupported-authentication', 'This publisher may not use `{parameter}`.'],
  },
} as const satisfies Record<string, ProblemRow>;
