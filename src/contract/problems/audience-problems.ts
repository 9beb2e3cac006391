import type { ProblemRow } from './problems.ts';

/** Errors of audiences. @source creatives 18 to 24 */
export const audienceProblems = {
  CUSTOM_AUDIENCE_NOT_FOUND: {
    when: 'a custom audience that is neither of the account nor granted to it',
    ads: [404, 'CUSTOM_AUDIENCE_NOT_FOUND', '{kind} {value} was not found'],
  },
  AUDIENCE_NAME_TAKEN: {
    when: 'the name of another audience of the account',
    ads: [400, 'INVALID_PARAMETER', 'Audience name already in use'],
  },
  AUDIENCE_NOT_MADE_HERE: {
    when: 'a type of audience that exists and cannot be created',
    ads: [400, 'INVALID_PARAMETER', 'Audiences of type {raw} cannot be created'],
  },
  TOO_MANY_LEAVES: {
    when: 'a flexible audience made of more audiences than it can be',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'A flexible audience cannot have more than {max} leaves'],
  },
  SEGMENTS_TOO_DEEP: {
    when: 'a tree of more levels than a flexible audience can have',
    ads: [400, 'INVALID_PARAMETER', 'Expected at most {max} levels of segments, got more at {parameter}'],
  },
  LEAF_UNFIT: {
    when: 'a flexible audience as a leaf of another',
    ads: [400, 'INVALID_PARAMETER', 'Flexible audience {raw} cannot be a leaf'],
  },
  GRANTED_TO_ITSELF: {
    when: 'an audience granted to the account that owns it',
    ads: [400, 'INVALID_PARAMETER', 'Expected another account than the owner for {parameter}'],
  },
  LIST_EXISTS: {
    when: 'a second list of those whom an account never reaches',
    ads: [400, 'INVALID_PARAMETER', 'Account {account} has a do-not-reach list already'],
  },
} as const satisfies Record<string, ProblemRow>;
