import type { ProblemRow } from './problems.ts';

/** Errors of audiences. @source creatives 18 to 24 */
export const audienceProblems = {
  CUSTOM_AUDIENCE_NOT_FOUND: {
    when: 'no such custom audience is owned by or shared with the account',
    ads: [404, 'CUSTOM_AUDIENCE_NOT_FOUND', '{kind} {value} was not found'],
  },
  AUDIENCE_NAME_TAKEN: {
    when: 'another audience of the account has this name',
    ads: [400, 'INVALID_PARAMETER', 'Audience name already in use'],
  },
  AUDIENCE_NOT_MADE_HERE: {
    when: 'an audience type that cannot be created with this endpoint',
    ads: [400, 'INVALID_PARAMETER', 'Audiences of type {raw} cannot be created'],
  },
  TOO_MANY_LEAVES: {
    when: 'a flexible audience that combines too many audiences',
    ads: [400, 'REQUEST_TOO_COMPLEX', 'A flexible audience cannot have more than {max} leaves'],
  },
  SEGMENTS_TOO_DEEP: {
    when: 'a flexible audience whose tree has too many levels',
    ads: [400, 'INVALID_PARAMETER', 'Expected at most {max} levels of segments, got more at {parameter}'],
  },
  LEAF_UNFIT: {
    when: 'a flexible audience that combines another flexible audience',
    ads: [400, 'INVALID_PARAMETER', 'Flexible audience {raw} cannot be a leaf'],
  },
  GRANTED_TO_ITSELF: {
    when: 'an audience shared with the account that owns it',
    ads: [400, 'INVALID_PARAMETER', 'Expected another account than the owner for {parameter}'],
  },
  LIST_EXISTS: {
    when: 'the account already has a do-not-reach list',
    ads: [400, 'INVALID_PARAMETER', 'Account {account} has a do-not-reach list already'],
  },
} as const satisfies Record<string, ProblemRow>;
