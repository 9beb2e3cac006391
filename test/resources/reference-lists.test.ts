// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { COUNTRY_CODES } from '../../src/contract/declare/codes.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  path = (await openAccount(world.sandbox)).path;
});
after(() => world.close());

type Params = Record<string, string | number | boolean>;
const get = (end: string, params: Params = {}) => world.sandbox.call('GET', `/12/${end}`, { params });
const ids = (rows: readonly { id: string }[]) => rows.map((row) => row.id);

describe('bidding_rules', () => {
  const rule = (currency: string, least: number, most: number, step: number) => ({
    currency,
    minimum_cpe_bid_local_micro: least,
    maximum_cpe_bid_local_micro: most,
    minimum_denomination: step,
  });
  /** @source campaigns 6.1 */
  const cases: [input: string, then: object[]][] = [
    ['USD', [rule('USD', 10_000, 1_000_000_000, 10_000)]],
    ['JPY', [rule('JPY', 1_000_000, 100_000_000_000, 1_000_000)]],
    ['KWD', [rule('KWD', 10_000, 1_000_000_000, 1000)]],
    ['ZZZ', []],
  ];
  for (const [currency, data] of cases) {
    test(`${currency}, the whole reply`, async () => {
      const reply = await get('bidding_rules', { currency });
      assert.deepEqual(reply.body, { request: { params: { currency } }, next_cursor: null, data });
    });
  }

  /** @source campaigns 1.3 and 6.1 */
  const precisions: [step: number, least: number, most: number, currencies: string][] = [
    [
      10_000,
      10_000,
      1_000_000_000,
      'AED VEF PKR IDR HKD QAR PHP NZD INR EUR ARS THB MXN EGP DZD SAR LBP COP TRY SGD MAD AUD USD MYR CAD BRL GBP',
    ],
    [1_000_000, 1_000_000, 100_000_000_000, 'VND KRW CLP JPY'],
    [1000, 10_000, 1_000_000_000, 'KWD IQD BHD TND'],
  ];
  test('every currency has the bid limits of its decimals', async () => {
    const wanted = precisions.flatMap(([step, least, most, currencies]) =>
      currencies.split(' ').map((currency) => rule(currency, least, most, step)),
    );
    const sorted = wanted.sort((a, b) => (a.currency < b.currency ? -1 : 1));
    assert.deepEqual((await get('bidding_rules')).body.data, sorted);
  });

  test('currencies are case-insensitive; without a filter all are listed, sorted', async () => {
    const small = await get('bidding_rules', { currency: 'eur' });
    assert.deepEqual(small.body.request.params, { currency: 'eur' });
    assert.equal(small.body.data.length, 1);
    const all = (await get('bidding_rules')).body.data.map((row: { currency: string }) => row.currency);
    assert.equal(all.length, 35);
    assert.deepEqual(all, [...all].sort());
  });

  test('values other than three letters are rejected', async () => {
    for (const currency of ['US', 'USDX', 'U$D', '€€€', 'ÄÖÜ']) {
      const reply = await get('bidding_rules', { currency });
      assert.equal(reply.status, 400);
      assert.deepEqual(reply.body.errors, [
        {
          code: 'INVALID_PARAMETER',
          message: `Expected a code of 3 letters, got "${currency}" for currency`,
          parameter: 'currency',
        },
      ]);
    }
  });
});

describe('categories', () => {
  test('content_categories: all in one page, with counts', async () => {
    const { body, text } = await get('content_categories');
    assert.deepEqual(ids(body.data), 'ru sk sl sm sn so sp sq sr s4 ss se sg sh s0'.split(' '));
    assert.equal(body.next_cursor, null);
    const automotive =
      '{"id":"ru","name":"Automotive (Cars, Trucks, Racing)","iab_categories":["IAB2"],' +
      '"publishers_in_last_thirty_days":0,"videos_monetized_in_last_thirty_days":0}';
    assert.ok(text.includes(automotive));
  });

  test('advertiser_business_categories: all in one page', async () => {
    const { body } = await get('advertiser_business_categories');
    const sixteen = '1jl 1jm 1jn 1jo 1jp 1jq 1jr 1js 1jt 1ju 1jv 1jw 1jx 1jy 1jz 1k0'.split(' ');
    assert.deepEqual(ids(body.data), sixteen);
    assert.equal(body.next_cursor, null);
    assert.deepEqual(body.data[2], { id: '1jn', name: 'Alcohol', iab_categories: ['IAB8-5', 'IAB8-18'] });
  });

  /** A range of IAB ids: `8-1..4` is IAB8-1 to IAB8-4. */
  const spelledOut = (ranges: string) =>
    ranges.split(' ').flatMap((range) => {
      const [, tier, from, to] = /^(\d+)(?:-(\d+)(?:\.\.(\d+))?)?$/.exec(range)!;
      if (from === undefined) return [`IAB${tier}`];
      const length = Number(to ?? from) - Number(from) + 1;
      return Array.from({ length }, (_, index) => `IAB${tier}-${Number(from) + index}`);
    });

  /** @source campaigns 6.2 and 6.3 */
  const groups: Record<string, [id: string, name: string, ranges: string][]> = {
    content_categories: [
      ['ru', 'Automotive (Cars, Trucks, Racing)', '2'],
      ['sk', 'Comedy', '1-4'],
      ['sl', 'Digital Creators', '25-1'],
      ['sm', 'Entertainment & Pop Culture', '1-1..3 1-5'],
      ['sn', 'Financial & Business News', '3 13 21'],
      ['so', 'Food & Drink', '8-1..4 8-6..17'],
      ['sp', 'Lifestyle (Fashion, Travel, Wellness)', '4 6 7 10 16 18 20 22 23 9-1..29 9-31'],
      ['sq', 'Music', '1-6'],
      ['sr', 'News & Current Events', '12 14'],
      ['s4', 'Politics', '11'],
      ['ss', 'Science & Education', '5 15'],
      ['se', 'Sports', '17'],
      ['sg', 'Technology', '19'],
      ['sh', 'Television', '1-7'],
      ['s0', 'Esports & Video Games', '9-30'],
    ],
    advertiser_business_categories: [
      ['1jl', 'Consumer Packaged Goods', '4 6 10 16 22 23 9-1..6 9-8..29 9-31'],
      ['1jm', 'Health & Pharma', '7'],
      ['1jn', 'Alcohol', '8-5 8-18'],
      ['1jo', 'Dining', '8-1..4 8-6..17'],
      ['1jp', 'Financial Services', '3 13 21'],
      ['1jq', 'Retail', '18'],
      ['1jr', 'Travel', '20'],
      ['1js', 'Gaming', '9-30'],
      ['1jt', 'Technology', '5 15 19-1..5 19-7..17 19-19..36'],
      ['1ju', 'Telecommunication', '19-6 19-18'],
      ['1jv', 'Auto', '2'],
      ['1jw', 'Media & Entertainment', '1-1..7 12 14-2..8 17 25-1'],
      ['1jx', 'Politics', '11-4'],
      ['1jy', 'Gambling', '9-7'],
      ['1jz', 'Dating', '14-1'],
      ['1k0', 'Non-Profit', '11-1..3 11-5'],
    ],
  };
  for (const [list, rows] of Object.entries(groups)) {
    test(`${list}: every name and every set of IAB categories`, async () => {
      const { data } = (await get(list)).body;
      assert.deepEqual(
        data.map((row: { id: string; name: string; iab_categories: string[] }) => [
          row.id,
          row.name,
          [...row.iab_categories].sort(),
        ]),
        rows.map(([id, name, ranges]) => [id, name, spelledOut(ranges).sort()]),
      );
    });
  }

  /** The first tier, each with the number of its children and the last of them. @source campaigns 6.4 */
  const TAXONOMY: [name: string, children: number, last: string | undefined][] = [
    ['Arts & Entertainment', 7, 'Television'],
    ['Automotive', 23, 'Wagon'],
    ['Business', 12, 'Metals'],
    ['Careers', 11, 'Career Advice'],
    ['Education', 15, 'Studying Business'],
    ['Family & Parenting', 9, 'Eldercare'],
    ['Health & Fitness', 45, "Women's Health"],
    ['Food & Drink', 18, 'Wine'],
    ['Hobbies & Interests', 31, 'Woodworking'],
    ['Home & Garden', 9, 'Remodeling & Construction'],
    ["Law, Gov't & Politics", 5, 'Commentary'],
    ['News', 3, 'Local News'],
    ['Personal Finance', 12, 'Tax Planning'],
    ['Society', 8, 'Ethnic Specific'],
    ['Science', 10, 'Weather'],
    ['Pets', 7, 'Veterinary Medicine'],
    ['Sports', 44, 'World Soccer'],
    ['Style & Fashion', 6, 'Accessories'],
    ['Technology & Computing', 36, 'Windows'],
    ['Travel', 27, 'United Kingdom'],
    ['Real Estate', 3, 'Buying/Selling Homes'],
    ['Shopping', 4, 'Engines'],
    ['Religion & Spirituality', 10, 'Pagan/Wiccan'],
    ['Uncategorized', 0, undefined],
    ['Non-Standard Content', 7, 'Incentivized'],
    ['Illegal Content', 4, 'Copyright Infringement'],
  ];
  test('iab_categories: the first tier with the number of children and the last child of each', async () => {
    const { data }: { data: { parent_id: string | null; name: string }[] } = (
      await get('iab_categories', { count: 1000 })
    ).body;
    const found = data
      .filter((row) => row.parent_id === null)
      .map((row, index) => {
        const below = data.filter((each) => each.parent_id === `IAB${index + 1}`);
        return [row.name, below.length, below.at(-1)?.name];
      });
    assert.deepEqual(found, TAXONOMY);
  });

  test('iab_categories: the first two rows are as in the reference', async () => {
    const { text, body } = await get('iab_categories', { count: 2 });
    assert.deepEqual(body.request, { params: { count: 2 } });
    const rows =
      '[{"id":"IAB1","parent_id":null,"name":"Arts & Entertainment"},' +
      '{"id":"IAB1-1","parent_id":"IAB1","name":"Books & Literature"}]';
    assert.ok(text.includes(rows));
    assert.equal(typeof body.next_cursor, 'string');
  });

  for (const count of [1000, 392, 200, 49]) {
    test(`iab_categories by pages of ${count}: all 392, each after its parent`, async () => {
      const found: { id: string; parent_id: string | null }[] = [];
      let cursor: string | null = null;
      do {
        const { body }: { body: { data: typeof found; next_cursor: string | null } } = await get('iab_categories', {
          count,
          ...(cursor === null ? {} : { cursor }),
        });
        found.push(...body.data);
        cursor = body.next_cursor;
      } while (cursor !== null);
      assert.equal(found.length, 392);
      const order = (id: string) => id.slice(3).split('-').map(Number);
      for (const [index, row] of found.slice(1).entries()) {
        const [a, b] = [order(found[index]!.id), order(row.id)];
        assert.ok(a[0]! < b[0]! || (a[0] === b[0] && (a[1] ?? 0) < b[1]!), row.id);
        assert.equal(row.parent_id, b.length === 2 ? `IAB${b[0]}` : null);
      }
    });
  }

  test('iab_categories returns a total count on request, but not with a cursor', async () => {
    const counted = await get('iab_categories', { count: 1, with_total_count: true });
    assert.deepEqual([counted.body.total_count, counted.body.data.length], [392, 1]);
    const cursor = counted.body.next_cursor;
    const both = await get('iab_categories', { cursor, with_total_count: true });
    assert.equal(both.status, 400);
    assert.deepEqual(both.body.errors, [
      {
        code: 'EXCLUSIVE_PARAMETERS',
        message: 'with_total_count and cursor are exclusive parameters',
        parameter: 'with_total_count, cursor',
      },
    ]);
    const next = await get('iab_categories', { count: 1, cursor, with_total_count: false });
    assert.deepEqual(ids(next.body.data), ['IAB1-1']);
    assert.equal('total_count' in next.body, false);
  });
});

describe('curated_categories', () => {
  const list = (params: Params) => world.sandbox.call('GET', `${path}/curated_categories`, { params });

  test('are listed by country, with the requested countries', async () => {
    const { body } = await list({ country_codes: 'jp,GB,jp' });
    assert.deepEqual(body.request.params.country_codes, ['jp', 'GB']);
    const soccer = body.data.find((row: { name: string }) => row.name === 'Soccer');
    assert.deepEqual(soccer, {
      name: 'Soccer',
      description: 'Everyday soccer video from clubs, leagues and sports media.',
      country_codes: ['GB', 'JP'],
      publisher_user_ids: [],
      id: '9ddk3gesia6o',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      videos_monetized_in_last_thirty_days: 0,
    });
    assert.equal(
      body.data.some((row: { name: string }) => row.name === 'Football'),
      false,
    );
    assert.equal(body.next_cursor, null);
    assert.deepEqual((await list({ country_codes: 'DE' })).body.data, []);
  });

  test('are paged, with cursors bound to the countries', async () => {
    const first = (await list({ country_codes: 'US', count: 4 })).body;
    const rest = (await list({ country_codes: 'US', count: 1000, cursor: first.next_cursor })).body;
    const all = (await list({ country_codes: 'US' })).body;
    assert.deepEqual(
      all.data.map((row: { name: string }) => row.name),
      [
        'Baseball',
        'Basketball',
        'Esports Teams',
        'Football',
        'Gaming Personalities',
        'Light-Hearted',
        "Men's Culture + Lifestyle",
        'Soccer',
        "Women's Culture + Lifestyle",
      ],
    );
    assert.deepEqual([...first.data, ...rest.data], all.data);
    const other = await list({ country_codes: 'GB', cursor: first.next_cursor });
    assert.deepEqual([other.status, other.body.errors[0].parameter], [400, 'cursor']);
  });

  test('require countries of two letters', async () => {
    const missing = await list({});
    assert.deepEqual([missing.status, missing.body.errors[0].code], [400, 'MISSING_PARAMETER']);
    const wrong = await list({ country_codes: 'US,USA' });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.errors[0].message, 'Expected a code of 2 letters, got "USA" for country_codes');
    const many = COUNTRY_CODES.slice(0, 201);
    assert.equal((await list({ country_codes: many.slice(1).join() })).status, 200);
    const over = await list({ country_codes: many.join() });
    assert.equal(over.body.errors[0].message, 'A maximum of 200 items may be provided for country_codes');
    const none = await list({ country_codes: ',' });
    assert.equal(none.body.errors[0].message, 'A minimum of 1 items must be provided for country_codes');
  });

  test('are found by id with all their countries', async () => {
    const one = await world.sandbox.call('GET', `${path}/curated_categories/9DDK3GESIA6O`);
    assert.deepEqual(one.body.data.country_codes, ['US', 'GB', 'JP']);
    assert.deepEqual(Object.keys(one.body.data), Object.keys((await list({ country_codes: 'US' })).body.data[0]));
    for (const [id, code, message] of [
      ['zz9', 'NOT_FOUND', 'Curated category zz9 was not found'],
      ['a-b', 'INVALID_ID_ILLEGAL_CHARACTERS', 'Curated category id a-b has illegal characters'],
    ]) {
      const reply = await world.sandbox.call('GET', `${path}/curated_categories/${id}`);
      assert.equal(reply.status, 404);
      assert.deepEqual(reply.body.errors, [{ code, message, parameter: 'curated_category_id', value: id }]);
    }
  });
});

test('publishers: empty without videos', async () => {
  assert.deepEqual((await get('publishers')).body, { request: { params: {} }, next_cursor: null, data: [] });
});
