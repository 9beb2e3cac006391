import { audiencesOf } from './transition-place.ts';
import type { Transition } from './transitions.ts';

const { own, shared, built, sharedBuilt } = audiencesOf;

/** Sharing audiences. @source advertising 19; decision 261, 951 */
export const SHARING: readonly Transition[] = [
  {
    what: 'the share of an included audience is revoked',
    given: shared('EQ'),
    before: 'members',
    act: (place) => place.revoke(),
    after: 'members',
  },
  {
    what: 'the share of an excluded audience is revoked',
    given: shared('NE'),
    before: 'others',
    act: (place) => place.revoke(),
    after: 'others',
  },
  {
    what: 'the share of an audience whose lookalikes are included is revoked',
    given: shared('EQ', 'CUSTOM_AUDIENCE_EXPANDED'),
    before: 'members',
    act: (place) => place.revoke(),
    after: 'members',
  },
  {
    what: 'the share of an audience that an included one is built from is revoked',
    given: built('EQ'),
    before: 'members',
    act: (place) => place.revoke(),
    after: 'members',
  },
  {
    what: 'the share of an audience that an excluded one is built from is revoked',
    given: built('NE'),
    before: 'others',
    act: (place) => place.revoke(),
    after: 'others',
  },
  {
    what: 'the share of an audience that a shared one is built from is revoked',
    given: sharedBuilt('EQ'),
    before: 'members',
    act: (place) => place.revoke(),
    after: 'members',
  },
  {
    what: 'a share is lowered to READ_ONLY',
    given: shared('EQ'),
    before: 'members',
    act: (place) => place.grant('READ_ONLY'),
    after: 'members',
  },
  {
    what: 'a share is revoked and granted again',
    given: shared('NE'),
    before: 'others',
    act: async (place) => {
      await place.revoke();
      await place.grant('READ_ONLY');
    },
    after: 'others',
  },
  {
    what: 'the account that shares an included audience is deleted',
    given: shared('EQ'),
    before: 'members',
    act: (place) => place.client.call('DELETE', place.owner!.path),
    after: 'members',
  },
];

/** Audiences that end or shrink. @source decision 262, 951 */
export const AUDIENCES: readonly Transition[] = [
  {
    what: 'an included audience is deleted',
    given: own('EQ'),
    before: 'members',
    act: (place) => place.deleteAudience(),
    after: 'nobody',
  },
  {
    what: 'an excluded audience is deleted',
    given: own('NE'),
    before: 'others',
    act: (place) => place.deleteAudience(),
    after: 'everybody',
  },
  {
    what: 'an included audience is deleted by the account that shares it',
    given: shared('EQ'),
    before: 'members',
    act: (place) => place.deleteAudience(),
    after: 'nobody',
  },
  {
    what: 'an audience that an included one is built from is deleted',
    given: built('EQ'),
    before: 'members',
    act: (place) => place.deleteAudience(),
    after: 'nobody',
  },
  {
    what: 'an included flexible audience is deleted',
    given: built('EQ'),
    before: 'members',
    act: (place) => place.remove(`custom_audiences/${place.flexible}`),
    after: 'nobody',
  },
  {
    what: 'an included audience becomes too small',
    given: own('EQ'),
    before: 'members',
    act: (place) => place.takeOut(5, 100),
    after: 'nobody',
  },
  {
    what: 'an excluded audience becomes too small',
    given: own('NE'),
    before: 'others',
    act: (place) => place.takeOut(5, 100),
    after: 'others',
  },
  {
    what: 'an excluded audience is emptied',
    given: own('NE'),
    before: 'others',
    act: (place) => place.takeOut(0, 100),
    after: 'everybody',
  },
  {
    what: 'people join an excluded audience',
    given: own('NE'),
    before: 'others',
    act: (place) => place.takeIn(0, 300),
    after: 'nobody',
  },
  { what: 'people opt out, on a do-not-reach list', act: (place) => place.optOut(0, 100), after: 'others' },
  { what: 'fewer people opt out than an audience needs', act: (place) => place.optOut(0, 5), after: 'others' },
  {
    what: 'people leave a do-not-reach list',
    given: (place) => place.optOut(0, 100),
    before: 'others',
    act: (place) => place.optIn(0, 100),
    after: 'everybody',
  },
  {
    what: 'a do-not-reach list is deleted',
    given: (place) => place.optOut(0, 100),
    before: 'others',
    act: (place) => place.remove(`do_not_reach_lists/${place.list}`),
    after: 'everybody',
  },
];
