import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
  const cases: [given: string, then: object[]][] = [
    ['USD', [rule('USD', 10_000, 1_000_000_000, 10_000)]],
    ['JPY', [rule('JPY', 1_000_000, 100_000_000_000, 1_000_000)]],
    ['KWD', [rule('KWD', 10_000, 1_000_000_000, 1000)]],
    ['XXX', []],
  ];
  for (const [currency, data] of cases) {
    test(`${currency}, the whole reply`, async () => {
      const reply = await get('bidding_rules', { currency });
      assert.deepEqual(reply.body, { request: { params: { currency } }, data });
      assert.equal(reply.text.indexOf('next_cursor'), -1);
    });
  }

  test('a currency in small letters is the same; without one there are all, sorted', async () => {
    const small = await get('bidding_rules', { currency: 'eur' });
    assert.deepEqual(small.body.request.params, { currency: 'EUR' });
    assert.equal(small.body.data.length, 1);
    const all = (await get('bidding_rules')).body.data.map((row: { currency: string }) => row.currency);
    assert.equal(all.length, 35);
    assert.deepEqual(all, [...all].sort());
  });

  test('what has not three letters is refused', async () => {
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
  test('content_categories: all in one page, with counts of what is held', async () => {
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

  test('iab_categories: the first two rows as the reference shows them', async () => {
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

  test('iab_categories counts all when asked, but not beside a cursor', async () => {
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

  test('those of the countries asked for, with these countries', async () => {
    const { body } = await list({ country_codes: 'jp,GB,jp' });
    assert.deepEqual(body.request.params.country_codes, ['JP', 'GB']);
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

  test('by pages, which belong to their countries', async () => {
    const first = (await list({ country_codes: 'US', count: 4 })).body;
    const rest = (await list({ country_codes: 'US', count: 1000, cursor: first.next_cursor })).body;
    const all = (await list({ country_codes: 'US' })).body;
    assert.equal(all.data.length, 9);
    assert.deepEqual([...first.data, ...rest.data], all.data);
    const other = await list({ country_codes: 'GB', cursor: first.next_cursor });
    assert.deepEqual([other.status, other.body.errors[0].parameter], [400, 'cursor']);
  });

  test('countries are needed, and are two letters each', async () => {
    const missing = await list({});
    assert.deepEqual([missing.status, missing.body.errors[0].code], [400, 'MISSING_PARAMETER']);
    const wrong = await list({ country_codes: 'US,USA' });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.errors[0].message, 'Expected a code of 2 letters, got "USA" for country_codes');
    const none = await list({ country_codes: ',' });
    assert.equal(none.body.errors[0].message, 'A minimum of 1 items must be provided for country_codes');
  });

  test('one is shown with all its countries; others are not found', async () => {
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

test('publishers: a service without videos has none', async () => {
  assert.deepEqual((await get('publishers')).body, { request: { params: {} }, next_cursor: null, data: [] });
});
