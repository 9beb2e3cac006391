import type { ProblemRow } from './problems.ts';

/** Errors of uploads of people. None repeats a value, because values may be personal data. @source creatives 19 */
export const peopleProblems = {
  PEOPLE_TOO_LARGE: {
    when: 'an upload of people that is too large',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'Expected at most {max} bytes'],
  },
  TOO_MANY_OPERATIONS: {
    when: 'an upload of people with too many operations',
    ads: [400, 'INVALID_PARAMETER', 'Expected at most {max} operations, got {count}'],
  },
  NOT_A_LIST: {
    when: 'a value that must be a list',
    ads: [400, 'INVALID_PARAMETER', 'Expected a list for {parameter}'],
  },
  NOT_A_HASH: {
    when: 'a value that is not hashed, or not as required; the details say what it looks like',
    ads: [400, 'INVALID_PARAMETER', 'Expected SHA256 hash for {parameter}'],
  },
  HASH_OF_NOTHING: {
    when: 'the hash of an empty string',
    ads: [400, 'INVALID_PARAMETER', 'Expected SHA256 hash of a value for {parameter}, got that of an empty text'],
  },
  HASH_OF_A_FILE: {
    when: 'many people with one and the same hash',
    ads: [
      400,
      'INVALID_PARAMETER',
      'Expected a hash a person for {parameter}; all {count} have the same one, which looks like the hash of a whole file',
    ],
  },
  IDENTIFIER_KIND_UNKNOWN: {
    when: 'an unknown kind of identifier',
    ads: [400, 'INVALID_PARAMETER', 'Expected identifiers in {list} for {parameter}'],
  },
  NO_IDENTIFIER: {
    when: 'a person without identifiers',
    ads: [400, 'INVALID_PARAMETER', 'Expected at least one identifier for {parameter}'],
  },
  EXPIRES_TOO_EARLY: {
    when: 'an expiry that is not after the effective time',
    ads: [400, 'INVALID_PARAMETER', 'expires_at must be later than effective_at'],
  },
  EXPIRED_ALREADY: {
    when: 'an expiry in the past',
    ads: [400, 'INVALID_PARAMETER', 'expires_at must be in the future'],
  },
  EXPIRES_TOO_LATE: {
    when: 'an expiry too far in the future',
    ads: [400, 'INVALID_PARAMETER', 'expires_at must be at most {months} months ahead'],
  },
  FURTHER_FAULTS: {
    when: 'an operation has more errors than are listed',
    ads: [400, 'INVALID_PARAMETER', '{count} further errors in this operation'],
  },
} as const satisfies Record<string, ProblemRow>;
