import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { importPosts, madeHere } from '../rig/corpus.ts';
import { fc } from '../rig/laws.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { type PlainQuestion, plainRelated, plainVolume } from '../rig/plain-insights.ts';
import { openWorld, type World } from '../rig/world.ts';

const ROUNDS = 5;
const QUESTIONS = 25;
const IMPORTED = 400;
/** So many that they are indexed. */
const MADE = 600;

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  await settlePeople(
    world,
    AUTHORS.map(([user, country]) => person(user, { country })),
  );
});
after(() => world.close());

const NOW = Date.parse('2026-03-02T17:04:55Z') / 1000;
const DAY_S = 86_400;
const AUTHORS = [
  ['41', 'DE'],
  ['42', 'JP'],
  ['43', null],
] as const;

/** Few words of many scripts, so that they meet; some begin others, some are in two forms. */
const WORDS = [
  ...[
    'coffee',
    'Coffee',
    '#coffee',
    '@coffee',
    'COFFEES',
    'tea',
    '#tea',
    'cold',
    'brew',
    'the',
    "don't",
    'don\u2019t',
    "coffee's",
    "l'coffee",
    'İ',
    'ı',
  ],
  ...[
    'コーヒー',
    '咖啡店',
    '店',
    '#東京グルメ',
    '東京',
    '飲みたい',
    '咖啡',
    '喜欢',
    'กาแฟ',
    'ชอบ',
    'кофе',
    'Straße',
    'STRASSE',
    'قهوة',
    'कॉफ़ी',
    '커피',
    '☕',
    '🇯🇵',
  ],
];
const BLANKS = [' ', ' ', ' ', ' ', ' ', ', ', '. ', '', '\n', ' https://example.com/coffee '];
/** Words that are said together: those of a topic have its letter in front. */
const topical = (letter: string) =>
  fc.integer({ min: 1, max: 6 }).map((number) => `${letter}word${'x'.repeat(number)}`);
const LETTERS = ['a', 'b', '#c', 'd', '@e', 'я'];
const text = fc.constantFrom(...LETTERS).chain((letter) =>
  fc
    .array(
      fc.tuple(
        fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...WORDS) }, { weight: 3, arbitrary: topical(letter) }),
        fc.constantFrom(...BLANKS),
      ),
      {
        minLength: 1,
        maxLength: 9,
      },
    )
    .map((pieces) => pieces.flat().join('')),
);
const keyword = fc.oneof(
  fc.array(fc.constantFrom(...WORDS, 'never'), { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  fc.constantFrom(...LETTERS).chain(topical),
);

const time = fc.integer({ min: NOW - 9 * DAY_S, max: NOW - 1000 });
const imported: fc.Arbitrary<CorpusPost> = fc.record({
  // Few ids, so that some are given again.
  id: fc.integer({ min: 1, max: 6000 }).map(String),
  text,
  created_at: time,
  country: fc.constantFrom('DE', 'JP', 'US', null),
  language: fc.constantFrom('en', 'ja', 'und'),
  user_id: fc.constantFrom('41', '42', null),
});
const made = fc.record({ text, created_at: time, author: fc.constantFrom(...AUTHORS) });

const question: fc.Arbitrary<PlainQuestion> = fc
  .record({
    keywords: fc.uniqueArray(keyword, { minLength: 1, maxLength: 6 }),
    negatives: fc.uniqueArray(keyword, { maxLength: 3 }),
    from: fc.oneof(
      time,
      time.map((at) => at - (at % DAY_S)),
    ),
    length: fc.oneof(fc.constantFrom(3600, DAY_S, 7 * DAY_S), fc.integer({ min: 1, max: 7 * DAY_S })),
    bucket_s: fc.constantFrom(3600, DAY_S),
    country: fc.constantFrom(undefined, 'DE', 'JP', 'FR'),
  })
  .map(({ length, ...rest }) => ({ ...rest, to: Math.min(rest.from + length, NOW) }));

const placeOf = (country: string): string =>
  locations().find((each) => each.country_code === country && each.location_type === 'COUNTRIES')!.targeting_value;

async function ask(asked: PlainQuestion): Promise<{ post_volume: number[]; related_keywords: string[] }> {
  const { keywords, negatives, from, to, bucket_s, country } = asked;
  const params = {
    keywords: keywords.join(','),
    granularity: bucket_s === 3600 ? 'HOUR' : 'DAY',
    start_time: formatInstant(from * 1000),
    end_time: formatInstant(to * 1000),
    ...(negatives.length > 0 ? { negative_keywords: negatives.join(',') } : {}),
    ...(country ? { location: placeOf(country) } : {}),
  };
  const reply = await world.sandbox.call('GET', '/12/insights/keywords/search', { params });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

describe('volumes and related terms of keywords', () => {
  test('equal a linear scan of posts', async () => {
    const kept = new Map<string, CorpusPost>();
    const samples = <T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): T[] =>
      fc.sample(arbitrary, { numRuns: count, seed });
    let answered = 0;
    let related = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const some = samples(imported, IMPORTED, round + 1);
      const { added } = await importPosts(world, some);
      let fresh = 0;
      for (const each of some) {
        // A post is told from others of its day by its id; the first counts.
        const key = `${each.id} ${Math.floor(each.created_at / DAY_S)}`;
        if (kept.has(key)) continue;
        kept.set(key, each);
        fresh += 1;
      }
      assert.equal(added, fresh);
      const here = samples(made, round === 2 ? MADE : 5, round + 100).map(
        ({ author: [user_id, country], ...rest }) => ({
          ...rest,
          user_id,
          country,
          language: 'und',
        }),
      );
      for (const each of await madeHere(world, here)) kept.set(each.id, each);
      // Some questions find everything indexed, others have to wait for it.
      if (round !== 1) await world.service.jobs.runDue();
      for (const asked of samples(question, QUESTIONS, round + 200)) {
        if (asked.from >= asked.to) continue;
        const { post_volume, related_keywords } = await ask(asked);
        assert.deepEqual(post_volume, plainVolume([...kept.values()], asked), JSON.stringify(asked));
        assert.deepEqual(related_keywords, plainRelated([...kept.values()], asked, 30), JSON.stringify(asked));
        related += related_keywords.length;
        answered += post_volume.reduce((sum, each) => sum + each, 0);
      }
    }
    assert.ok(answered > 800, `${answered} posts were found in all`);
    assert.ok(related > 50, `${related} related terms in all`);
  });

  test('grow while imports overlap, and are correct in the end', async () => {
    const start = NOW - 5 * DAY_S;
    const asked = { keywords: ['overlapping'], negatives: [], from: start, to: start + DAY_S, bucket_s: 3600 };
    const numbered = (from: number, to: number): CorpusPost[] =>
      Array.from({ length: to - from }, (_, index) => ({
        id: `o${from + index}`,
        text: 'overlapping',
        created_at: start + ((from + index) % DAY_S),
        country: null,
        language: 'en',
        user_id: null,
      }));
    const total = async (): Promise<number> => {
      const { post_volume } = await ask({ ...asked, country: undefined });
      return post_volume.reduce((sum, each) => sum + each, 0);
    };
    let isDone = false;
    const imports = Promise.all([
      importPosts(world, numbered(0, 20_000)),
      importPosts(world, numbered(10_000, 30_000)),
      importPosts(world, numbered(5000, 25_000)),
    ]).finally(() => {
      isDone = true;
    });
    const seen: number[] = [];
    while (!isDone) seen.push(await total());
    const added = (await imports).reduce((sum, each) => sum + each.added, 0);
    assert.equal(added, 30_000);
    assert.equal(await total(), 30_000);
    assert.deepEqual(
      seen,
      seen.toSorted((a, b) => a - b),
      'what was found is found again',
    );
    // What nobody has to wait for is merged and indexed in the meantime.
    await world.service.jobs.runDue();
    assert.equal(await total(), 30_000);
  });
});
