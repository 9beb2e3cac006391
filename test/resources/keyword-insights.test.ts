import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CorpusPost } from '../../src/contract/store/corpus.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import type { Client, Reply } from '../rig/client.ts';
import { importPosts, madeHere, post } from '../rig/corpus.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import { openWorld, type World } from '../rig/world.ts';
import { openFixture } from './post-calls.ts';

const PATH = '/12/insights/keywords/search';
const placeOf = (name: string, type = 'COUNTRIES') =>
  locations().find((each) => each.name === name && each.location_type === type)!.targeting_value;

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

type Params = Readonly<Record<string, string>>;

function ask(params: Params, client: Client = world.sandbox): Promise<Reply> {
  const input = { granularity: 'DAY', keywords: 'coffee', start_time: '2026-03-01', ...params };
  return client.call('GET', PATH, { params: Object.fromEntries(Object.entries(input).filter(([, value]) => value)) });
}

async function volume(params: Params, client?: Client): Promise<number[]> {
  const reply = await ask(params, client);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.post_volume;
}

const at = (time: string) => Date.parse(time) / 1000;

describe('keyword insights', () => {
  test('are zero in every bucket without posts', async () => {
    const reply = await ask({
      granularity: 'HOUR',
      keywords: 'coffee, cold brew',
      end_time: '2026-03-01T03:30:00+01:00',
      location: placeOf('Germany'),
      negative_keywords: 'tea',
    });
    assert.deepEqual(reply.body, {
      request: {
        params: {
          granularity: 'HOUR',
          keywords: ['coffee', 'cold brew'],
          start_time: '2026-03-01',
          end_time: '2026-03-01T03:30:00+01:00',
          location: placeOf('Germany'),
          negative_keywords: ['tea'],
        },
      },
      data: { related_keywords: [], post_volume: [0, 0, 0] },
    });
  });

  describe('count posts', () => {
    const posts: readonly CorpusPost[] = [
      post('1', 'Fresh COFFEE for all', { created_at: at('2026-02-24T00:00:00Z'), country: 'DE' }),
      post('2', 'cold brew at last', { created_at: at('2026-02-24T23:59:59Z'), country: 'DE' }),
      post('3', 'brew it cold', { created_at: at('2026-02-25T00:00:00Z'), country: 'JP' }),
      post('4', 'No words but #Coffee', { created_at: at('2026-02-25T12:30:00Z') }),
      post('5', '@coffee tells https://example.com/coffee', { created_at: at('2026-02-25T12:30:00Z') }),
      post('6', 'tea, not coffee', { created_at: at('2026-02-26T12:59:59Z'), country: 'JP' }),
      post('7', 'コーヒーを飲みたい', { created_at: at('2026-02-26T13:00:00Z'), country: 'JP', language: 'ja' }),
      post('8', '我喜欢喝咖啡', { created_at: at('2026-02-26T13:00:00Z'), language: 'zh' }),
      post('9', 'ฉันชอบกาแฟ', { created_at: at('2026-02-26T13:00:00Z'), language: 'th' }),
      post('10', "It isn't Straße 5 ☕", { created_at: at('2026-02-26T13:00:00Z') }),
    ];
    before(async () => {
      assert.deepEqual(await importPosts(world, posts), { added: 10, known: 0, expired: 0, refused: 0, skipped: 0 });
    });

    const WEEK = { start_time: '2026-02-23', end_time: '2026-03-02' };
    const DAY = { start_time: '2026-02-26', end_time: '2026-02-27' };
    const cases: [what: string, input: Params, volume: readonly number[]][] = [
      ['that say a word, in any case, or its hashtag', WEEK, [0, 1, 1, 1, 0, 0, 0]],
      ['that say a hashtag', { ...WEEK, keywords: '#COFFEE' }, [0, 0, 1, 0, 0, 0, 0]],
      ['that name a handle', { ...WEEK, keywords: '@coffee' }, [0, 0, 1, 0, 0, 0, 0]],
      ['that say words in a row', { ...WEEK, keywords: 'Cold Brew' }, [0, 1, 0, 0, 0, 0, 0]],
      ['that say one of several keywords, once', { ...WEEK, keywords: 'coffee,tea,cold brew' }, [0, 2, 1, 1, 0, 0, 0]],
      ['that do not say others', { ...WEEK, negative_keywords: 'tea,for all' }, [0, 0, 1, 0, 0, 0, 0]],
      ['of a country', { ...WEEK, keywords: 'coffee,brew', location: placeOf('Japan') }, [0, 0, 1, 1, 0, 0, 0]],
      ['of a country where there are none', { ...WEEK, location: placeOf('France') }, [0, 0, 0, 0, 0, 0, 0]],
      ['of Japanese', { ...DAY, keywords: 'コーヒー' }, [1]],
      ['of half-width Japanese', { ...DAY, keywords: 'ｺｰﾋｰ' }, [1]],
      ['of Chinese', { ...DAY, keywords: '咖啡' }, [1]],
      ['of Thai', { ...DAY, keywords: 'กาแฟ' }, [1]],
      ['of German', { ...DAY, keywords: 'STRASSE' }, [1]],
      ['with apostrophes of either kind', { ...DAY, keywords: 'isn\u2019t' }, [1]],
      ['with pictures', { ...DAY, keywords: '☕' }, [1]],
      ['with numbers', { ...DAY, keywords: '5' }, [1]],
      ['of nobody', { ...DAY, keywords: 'never' }, [0]],
      [
        'from the start (inclusive) to the end (exclusive)',
        { start_time: '2026-02-24T23:59:59Z', end_time: '2026-02-25T00:00:00Z', keywords: 'cold' },
        [1],
      ],
      [
        'in buckets from the start on, the last in part',
        { start_time: '2026-02-25T12:30:00Z', end_time: '2026-02-26T12:59:59Z' },
        [1, 0],
      ],
      [
        'in a last bucket up to its end',
        { start_time: '2026-02-25T12:30:00Z', end_time: '2026-02-26T13:00:00Z' },
        [1, 1],
      ],
      [
        'by the hour',
        {
          start_time: '2026-02-26T12:00:00Z',
          end_time: '2026-02-26T14:00:00Z',
          granularity: 'HOUR',
          keywords: 'coffee,咖啡',
        },
        [1, 1],
      ],
    ];
    for (const [what, input, expected] of cases) {
      test(what, async () => assert.deepEqual(await volume(input), expected));
    }

    test('of a day by 24 hours', async () => {
      const hours = await volume({ ...DAY, granularity: 'HOUR' });
      assert.deepEqual([hours.length, hours.indexOf(1)], [24, 12]);
    });

    test('in both environments when imported', async () => {
      assert.deepEqual(await volume(DAY, world.production), [1]);
    });
  });

  test('include organic posts at once, in their environment only', async () => {
    const place = await openFixture(world);
    const today = { start_time: '2026-03-02', keywords: 'ristretto' };
    assert.deepEqual(await volume(today), [0]);
    await settlePeople(world, [person(world.keys.user_id!, { country: 'JP' })]);
    await place.post_({ text: 'A Ristretto for everybody', nullcast: 'false' });
    await place.post_({ text: 'A ristretto for those who paid', nullcast: 'true' });
    world.clock.advance(1);
    assert.deepEqual(await volume(today), [1]);
    assert.deepEqual(await volume({ ...today, location: placeOf('Japan') }), [1]);
    assert.deepEqual(await volume({ ...today, location: placeOf('Germany') }), [0]);
    assert.deepEqual(await volume(today, world.production), [0]);
  });

  test('end now by default and at the latest', async () => {
    const now = at('2026-03-02T17:04:56Z');
    await madeHere(
      world,
      [now - 1, now, now + 1].map((created_at) => ({
        text: 'doppio',
        created_at,
        country: null,
        language: 'en',
        user_id: '9',
      })),
    );
    const today = { start_time: '2026-03-02T16:00:00Z', keywords: 'doppio', granularity: 'HOUR' };
    assert.deepEqual(await volume(today), [0, 1]);
    const later = await ask({ ...today, end_time: '2026-04-01' });
    assert.deepEqual(later.body.data.post_volume, [0, 1]);
    // Told as it was sent.
    assert.equal(later.body.request.params.end_time, '2026-04-01');
    assert.ok(!('end_time' in (await ask(today)).body.request.params));
  });
});

describe('refused', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join(',');
  const TOO_MANY = ['INVALID_PARAMETER', 'A maximum of 10 items may be provided for keywords', 'keywords'];
  const EMPTY = ['INVALID_TIME_WINDOW', 'The end_time must be after the start_time', ''];
  const LONG = ['INVALID_TIME_WINDOW', 'The end_time can be a maximum of 7.days after the start_time', ''];
  const required = (name: string) => ['MISSING_PARAMETER', `"${name}" is a required parameter`, name];
  const notACountry = (raw: string) => [
    'INVALID_PARAMETER',
    `Expected the targeting value of a country, got "${raw}" for location`,
    'location',
  ];
  const wordless = (name: string) => [
    'INVALID_PARAMETER',
    `Expected keywords with letters, digits or emoji, got "!?" for ${name}`,
    name,
  ];
  const cases: [what: string, input: Params, ...errors: (readonly string[])[]][] = [
    ['no granularity', { granularity: '' }, required('granularity')],
    ['no keywords and no start', { keywords: '', start_time: '' }, required('keywords'), required('start_time')],
    [
      'another granularity',
      { granularity: 'WEEK' },
      ['INVALID_PARAMETER', 'Expected a value in DAY, HOUR, got "WEEK" for granularity', 'granularity'],
    ],
    ['eleven keywords', { keywords: many(11) }, TOO_MANY],
    ['eleven with the negative ones', { keywords: many(6), negative_keywords: 'a,b,c,d,e' }, TOO_MANY],
    ['eleven negative ones', { negative_keywords: many(11) }, TOO_MANY],
    ['many more of both', { keywords: many(300), negative_keywords: many(300) }, TOO_MANY],
    ['many more negative ones', { negative_keywords: many(300) }, TOO_MANY],
    [
      'keywords that are only commas',
      { keywords: ',,' },
      ['INVALID_PARAMETER', 'A minimum of 1 items must be provided for keywords', 'keywords'],
    ],
    [
      'a time that is none',
      { start_time: 'yesterday' },
      ['INVALID_PARAMETER', 'Expected time, got "yesterday" for start_time', 'start_time'],
    ],
    [
      'two countries',
      { location: `${placeOf('Japan')},${placeOf('Germany')}` },
      notACountry(`${placeOf('Japan')},${placeOf('Germany')}`),
    ],
    [
      'keywords without words',
      { keywords: 'a,!?', negative_keywords: '!?' },
      wordless('keywords'),
      wordless('negative_keywords'),
    ],
    ['an end before the start', { end_time: '2026-02-28' }, EMPTY],
    ['an end at the start', { end_time: '2026-03-01' }, EMPTY],
    ['a start that is to come', { start_time: '2026-03-03' }, EMPTY],
    ['a start that is to come, before an end', { start_time: '2026-03-03', end_time: '2026-03-04' }, EMPTY],
    ['more than seven days', { start_time: '2026-02-01', end_time: '2026-02-08T00:00:01Z' }, LONG],
    ['more than seven days until now', { start_time: '2026-02-23T17:04:54Z' }, LONG],
    [
      'a place within a country',
      { location: placeOf('California', 'REGIONS') },
      notACountry(placeOf('California', 'REGIONS')),
    ],
    ['a code in place of a place', { location: 'DE', keywords: many(11) }, TOO_MANY, notACountry('DE')],
  ];
  for (const [what, input, ...errors] of cases) {
    test(what, async () => {
      const reply = await ask(input);
      const told = reply.body.errors.map((error: Record<string, string>) => [
        error.code,
        error.message,
        error.parameter,
      ]);
      assert.deepEqual([reply.status, told], [400, errors]);
    });
  }

  test('not: a start long ago', async () => {
    assert.deepEqual(await volume({ start_time: '2020-02-01', end_time: '2020-02-03' }), [0, 0]);
  });

  test('not: seven days by the hour', async () => {
    const input = { start_time: '2026-02-01', end_time: '2026-02-08', granularity: 'HOUR' };
    assert.equal((await volume(input)).length, 168);
  });

  test('not: seven days, and ten keywords together', async () => {
    const input = { start_time: '2026-02-01', end_time: '2026-02-08', keywords: many(9), negative_keywords: 'a' };
    assert.equal((await volume(input)).length, 7);
  });
});
