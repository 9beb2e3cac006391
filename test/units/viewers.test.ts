import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Condition, type NumberedPerson, PERSON_WORDS } from '../../src/contract/store/directory.ts';
import { predicateOf } from '../../src/features/delivery/serving/match.ts';
import { parseDecisionRequest } from '../../src/features/delivery/serving/parse-decision-request.ts';
import { type Viewer, viewerOf } from '../../src/features/delivery/serving/viewer.ts';

const NO_CONTEXT = { words: {}, age: null, interests: [], keywords: [] };

const PERSON: NumberedPerson = {
  ...(Object.fromEntries(PERSON_WORDS.map((word) => [word, `their ${word}`])) as Record<
    (typeof PERSON_WORDS)[number],
    string
  >),
  ...{ user_id: '7', number: 3, age: 30, activated_at: 500, last_active_at: 900, identifiers: new Uint8Array() },
  ...{ interests: 'a b', follows: '8', store_categories: '', engagements: 'likes user:9' },
};

const person = viewerOf(PERSON, NO_CONTEXT);
const stranger = viewerOf(undefined, NO_CONTEXT);
const NO_KEYWORDS = { included: [], excluded: [] };
const meets = (condition: Condition, viewer: Viewer): boolean =>
  predicateOf({ anyOf: [condition], allOf: [], noneOf: [] }, NO_KEYWORDS)(viewer);

describe('a condition on a viewer', () => {
  for (const [name, condition, isMet] of [
    ['a word', { is: 'word', word: 'city', values: ['x', 'their city'] }, true],
    ['another word', { is: 'word', word: 'city', values: ['their region'] }, false],
    ['an age from theirs', { is: 'age', from: 30, to: 40 }, true],
    ['an age up to theirs', { is: 'age', from: 20, to: 30 }, true],
    ['an age above theirs', { is: 'age', from: 31, to: 40 }, false],
    ['an age below theirs', { is: 'age', from: 20, to: 29 }, false],
    ['an activation from theirs', { is: 'activated', from: 500, to: 501 }, true],
    ['an activation before theirs', { is: 'activated', from: 400, to: 500 }, false],
    ['an activation after theirs', { is: 'activated', from: 501, to: 600 }, false],
    ['a list', { is: 'listed', list: 'interests', values: ['z', 'b'] }, true],
    ['a list of one', { is: 'listed', list: 'follows', values: ['9', '8'] }, true],
    ['another list', { is: 'listed', list: 'follows', values: ['a'] }, false],
    ['an empty list', { is: 'listed', list: 'store_categories', values: [''] }, false],
    ['people with them', { is: 'people', numbers: Uint32Array.of(9, 3, 1) }, true],
    ['people without them', { is: 'people', numbers: Uint32Array.of(4, 2) }, false],
    ['users with them', { is: 'users', ids: BigUint64Array.of(5n, 7n) }, true],
    ['users without them', { is: 'users', ids: BigUint64Array.of(5n, 8n) }, false],
    ['people alike', { is: 'alike', to: { is: 'users', ids: BigUint64Array.of(7n) } }, true],
    ['nobody', { is: 'nobody' }, false],
  ] as const) {
    test(`for ${name} is ${isMet ? 'met' : 'not met'}, and never by a stranger`, () => {
      assert.deepEqual([meets(condition, person), meets(condition, stranger)], [isMet, false]);
    });
  }

  test('for everybody is met by strangers too', () => assert.ok(meets({ is: 'everybody' }, stranger)));
});

describe('a query', () => {
  const [yes, no] = [{ is: 'everybody' }, { is: 'nobody' }] as const;

  for (const [name, query, isMet] of [
    ['without conditions', {}, true],
    ['with one condition that holds', { anyOf: [no, yes] }, true],
    ['with none that holds', { anyOf: [no] }, false],
    ['with a group of which none holds', { allOf: [[yes], [no, no]] }, false],
    ['with groups of which one each holds', { allOf: [[no, yes], [yes]] }, true],
    ['with an exclusion that holds', { noneOf: [no, yes] }, false],
  ] as const) {
    test(`${name} is ${isMet ? 'met' : 'not met'}`, () => {
      assert.equal(predicateOf({ anyOf: [], allOf: [], noneOf: [], ...query }, NO_KEYWORDS)(stranger), isMet);
    });
  }

  test('takes predicates beside its own conditions', () => {
    const query = { anyOf: [no], allOf: [], noneOf: [] };
    assert.equal(predicateOf(query, { included: [() => true], excluded: [] })(stranger), true);
    assert.equal(predicateOf(query, { included: [() => true], excluded: [() => true] })(stranger), false);
  });
});

describe('the context of a request', () => {
  const context = (given: Record<string, unknown>) =>
    parseDecisionRequest({ placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], context: given }).context;

  test('keeps every word', () => {
    const words = {
      ...{ country: 'CH', region: 'r', metro: 'm', city: 'c', postal_code: 'p', language: 'de', gender: '2' },
      ...{ platform: 'x', platform_version: 'y', device: 'z' },
    };
    assert.deepEqual(context(words).words, words);
  });

  test('completes the directory, which takes precedence', () => {
    const given = context({ city: 'elsewhere', age: 99, interests: ['c'], keywords: ['Tea'] });
    const known = viewerOf({ ...PERSON, region: null, age: null }, { ...given, words: { city: 'x', region: 'r' } });
    assert.deepEqual([known.words.city, known.words.region, known.age], ['their city', 'r', 99]);
    assert.deepEqual([...known.lists.interests], ['a', 'b']);
    const unknown = viewerOf(undefined, given);
    assert.deepEqual([unknown.words.city, unknown.age, [...unknown.lists.interests]], ['elsewhere', 99, ['c']]);
    assert.deepEqual(unknown.keywords, ['tea']);
  });
});
