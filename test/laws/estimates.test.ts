import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type Condition,
  joinMembers,
  PERSON_LISTS,
  PERSON_WORDS,
  type PeopleQuery,
  type Person,
  splitMembers,
} from '../../src/contract/store/directory.ts';
import { toSizeRange } from '../../src/features/ads/audience-estimate/size-range.ts';
import { fc } from '../rig/laws.ts';
import { NOBODY_IN_PARTICULAR, person, settlePeople } from '../rig/people-of-directory.ts';
import { rounds } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';

const ROUNDS = rounds(25);
const QUESTIONS = 20;
const SINCE = NOBODY_IN_PARTICULAR.last_active_at - 100;

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const word = fc.constantFrom('a', 'b', 'c', 'd');
const list = fc.uniqueArray(fc.constantFrom('1', '2', '3', '4', '5', '6'), { maxLength: 4 }).map(joinMembers);

/** Few values, so that people have much in common, and few ids, so that later people take the place of earlier ones. */
const someone: fc.Arbitrary<Person> = fc
  .record({
    user_id: fc.integer({ min: 1, max: 400 }).map(String),
    ...Object.fromEntries(PERSON_WORDS.map((name) => [name, fc.option(word)])),
    ...Object.fromEntries(PERSON_LISTS.map((name) => [name, list])),
    age: fc.option(fc.integer({ min: 13, max: 90 })),
    activated_at: fc.option(fc.integer({ min: 1000, max: 1100 })),
    last_active_at: fc.integer({ min: SINCE - 20, max: SINCE + 80 }),
  })
  .map((known) => person(String(known.user_id), known as Partial<Person>));

const plain: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    is: fc.constant('word' as const),
    word: fc.constantFrom(...PERSON_WORDS),
    values: fc.array(fc.oneof(word, fc.constant('never')), { maxLength: 3 }),
  }),
  fc.record({
    is: fc.constant('listed' as const),
    list: fc.constantFrom(...PERSON_LISTS),
    values: fc.array(fc.constantFrom('1', '2', '6', '7'), { maxLength: 3 }),
  }),
  fc.record({
    is: fc.constant('age' as const),
    from: fc.integer({ min: 13, max: 60 }),
    to: fc.constantFrom(24, 54, 200),
  }),
  fc.record({
    is: fc.constant('activated' as const),
    from: fc.integer({ min: 1, max: 1060 }),
    to: fc.integer({ min: 1040, max: 2000 }),
  }),
  fc
    .uniqueArray(fc.integer({ min: 0, max: 500 }), { maxLength: 20 })
    .map((numbers) => ({ is: 'people' as const, numbers: Uint32Array.from(numbers) })),
  // Few are in the directory; some ids need all of 64 bits.
  fc
    .uniqueArray(fc.oneof(fc.bigInt(1n, 420n), fc.bigInt(2n ** 32n, 2n ** 64n - 1n)), { maxLength: 20 })
    .map((ids) => ({ is: 'users' as const, ids: BigUint64Array.from(ids).sort() })),
  fc.record({ is: fc.constantFrom('everybody' as const, 'nobody' as const) }),
);
const condition = fc.oneof(
  { weight: 6, arbitrary: plain },
  { weight: 1, arbitrary: plain.map((to): Condition => ({ is: 'alike', to })) },
);
const questionOf = (each: fc.Arbitrary<Condition>): fc.Arbitrary<PeopleQuery> =>
  fc.record({
    anyOf: fc.array(each, { minLength: 1, maxLength: 3 }),
    allOf: fc.array(fc.array(each, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
    noneOf: fc.array(each, { maxLength: 2 }),
  });

/** Whether one is meant, one at a time, as it is written in the specification. */
function isMeant(someone: Person & { readonly number: number }, question: PeopleQuery): boolean {
  const fits = (each: Condition): boolean => {
    switch (each.is) {
      case 'word':
        return someone[each.word] !== null && each.values.includes(someone[each.word]!);
      case 'listed':
        return splitMembers(someone[each.list]).some((member) => each.values.includes(member));
      case 'age':
        return someone.age !== null && someone.age >= each.from && someone.age <= each.to;
      case 'activated':
        return someone.activated_at !== null && someone.activated_at >= each.from && someone.activated_at < each.to;
      case 'people':
        return each.numbers.includes(someone.number);
      case 'users':
        return each.ids.includes(BigInt(someone.user_id));
      case 'everybody':
        return true;
      default:
        return false;
    }
  };
  return (
    someone.last_active_at >= SINCE &&
    question.anyOf.some(fits) &&
    question.allOf.every((group) => group.some(fits)) &&
    !question.noneOf.some(fits)
  );
}

const count = (question: PeopleQuery) => world.service.services.audiences.directory.count(question, SINCE);
const histogram = (questions: readonly PeopleQuery[]) =>
  world.service.services.audiences.directory.histogram(questions, SINCE, ['country', 'device']);
/** How many people have each value, one at a time. */
const tally = (values: readonly (string | null)[]) => {
  const known = values.filter((value) => value !== null);
  return Object.fromEntries([...Map.groupBy(known, (value) => value)].map(([value, all]) => [value, all.length]));
};
const all = () => world.service.store.read((tx) => tx.directory.list(0, 100_000));

describe('estimates', () => {
  test('equal a linear scan, and follow the laws of sets', async () => {
    const rounds = fc.tuple(
      fc.array(someone, { maxLength: 120 }),
      fc.array(fc.record({ plain: questionOf(plain), any: questionOf(condition), more: condition }), {
        minLength: QUESTIONS,
        maxLength: QUESTIONS,
      }),
    );
    await fc.assert(
      fc.asyncProperty(rounds, async ([people, questions]) => {
        await settlePeople(world, people);
        const known = await all();
        for (const { plain, any, more } of questions) {
          assert.equal(await count(plain), known.filter((each) => isMeant(each, plain)).length);
          const before = await count(any);
          assert.ok((await count({ ...any, anyOf: [...any.anyOf, more] })) >= before, 'another OR shrinks it');
          assert.ok((await count({ ...any, allOf: [...any.allOf, [more]] })) <= before, 'another AND grows it');
          assert.ok((await count({ ...any, noneOf: [...any.noneOf, more] })) <= before, 'another NE grows it');
          const [first, ...others] = any.allOf;
          if (!first) continue;
          const wider = { ...any, allOf: [[...first, more], ...others] };
          assert.ok((await count(wider)) >= before, 'another value of a type shrinks it');
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  test('by attribute equal a linear scan, for questions together too', async () => {
    const rounds = fc.tuple(
      fc.array(someone, { maxLength: 120 }),
      fc.array(fc.array(questionOf(plain), { maxLength: 3 }), { minLength: 10, maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(rounds, async ([people, unions]) => {
        await settlePeople(world, people);
        const { mark } = await world.service.store.read((tx) => tx.directory.findState());
        const known = await all();
        for (const questions of unions) {
          const meant = known.filter((each) => questions.some((question) => isMeant(each, question)));
          const found = await histogram(questions);
          const words = {
            country: tally(meant.map(({ country }) => country)),
            device: tally(meant.map(({ device }) => device)),
          };
          const ages = Object.entries(found.ages).filter(([, count]) => count > 0);
          assert.deepEqual([found.people, found.words, found.mark], [meant.length, words, mark]);
          assert.deepEqual(Object.fromEntries(ages), tally(meant.map(({ age }) => String(age ?? 0))));
        }
      }),
      { numRuns: ROUNDS },
    );
  });

  test('a person who is imported again is replaced and keeps the number', async () => {
    await settlePeople(world, [person('900', { country: 'x', interests: '1 2' }), person('901', { country: 'x' })]);
    const numbers = new Map((await all()).map(({ user_id, number }) => [user_id, number]));
    await settlePeople(world, [person('900', { country: 'y' }), person('902'), person('900', { country: 'z' })]);
    const found = await all();
    assert.equal(new Set(found.map(({ number }) => number)).size, found.length);
    assert.deepEqual(
      found.map(({ number }) => number),
      found.map((_, index) => index),
    );
    const changed = found.find(({ user_id }) => user_id === '900')!;
    assert.equal(changed.number, numbers.get('900'));
    assert.deepEqual([changed.country, changed.interests], ['z', '']);
  });

  test('ranges contain the count and grow monotonically', () => {
    fc.assert(
      fc.property(fc.nat(300_000_000), fc.nat(5000), (size, more) => {
        const [range, larger] = [toSizeRange(size), toSizeRange(size + more)];
        assert.ok(range.min <= size && size <= range.max);
        assert.ok(range.min <= larger.min && range.max <= larger.max);
      }),
    );
  });
});
