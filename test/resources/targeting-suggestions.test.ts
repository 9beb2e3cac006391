// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '../rig/client.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

type Criterion = readonly [type: string, value: string, operator?: string];

async function made(client: Client, path: string, params: Record<string, string>): Promise<string> {
  const reply = await client.call('POST', path, { params });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

/** An account with line items that target these. */
async function accountWith(...lineItems: readonly Criterion[][]) {
  const { path, instrument, account } = await openAccount(world.sandbox);
  const campaign_id = await made(world.sandbox, `${path}/campaigns`, {
    name: 'Suggesting',
    funding_instrument_id: instrument,
  });
  const ids: string[] = [];
  for (const criteria of lineItems) {
    const line_item_id = await made(world.sandbox, `${path}/line_items`, {
      campaign_id,
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_POSTS',
      placements: 'ALL_ON_SERVICE',
      bid_amount_local_micro: '1000000',
    });
    ids.push(line_item_id);
    for (const [targeting_type, targeting_value, operator_type = 'EQ'] of criteria) {
      const params = { line_item_id, targeting_type, targeting_value, operator_type };
      await made(world.sandbox, `${path}/targeting_criteria`, params);
    }
  }
  const suggested = async (targeting_values: string, more: Record<string, string> = {}): Promise<string[]> => {
    const params = { suggestion_type: 'KEYWORD', targeting_values, ...more };
    const reply = await world.sandbox.call('GET', `${path}/targeting_suggestions`, { params });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.next_cursor, null);
    const type = params.suggestion_type;
    return reply.body.data.map((row: { suggestion_type: string; suggestion_value: string }) => {
      assert.equal(row.suggestion_type, type);
      return row.suggestion_value;
    });
  };
  return { path, account, ids, suggested };
}

const broad = (value: string): Criterion => ['BROAD_KEYWORD', value];

describe('targeting suggestions', () => {
  test('are values that line items target together with the given ones, most frequent first', async () => {
    const { suggested } = await accountWith(
      [broad('coffee'), broad('latte'), ['PHRASE_KEYWORD', 'cold brew']],
      [['EXACT_KEYWORD', 'coffee'], broad('latte'), broad('barista')],
      [broad('tea'), broad('scones')],
    );
    assert.deepEqual(await suggested('coffee'), ['latte', 'barista', 'cold brew']);
    assert.deepEqual(await suggested('coffee', { count: '1' }), ['latte']);
    assert.deepEqual(await suggested('coffee,latte'), ['barista', 'cold brew']);
    assert.deepEqual(await suggested('barista,tea'), ['coffee', 'latte', 'scones']);
    assert.deepEqual(await suggested('never said'), []);
    assert.deepEqual(await suggested('coffee', { suggestion_type: 'USER_ID' }), []);
  });

  test('are thirty by default', async () => {
    const many = Array.from({ length: 41 }, (_, index) => broad(`bean ${String(index).padStart(2, '0')}`));
    const { suggested } = await accountWith(many);
    const first = many.slice(1).map(([, value]) => value);
    assert.deepEqual(await suggested('bean 00'), first.slice(0, 30));
    assert.deepEqual(await suggested('bean 00', { count: '50' }), first);
  });

  test('of users are users', async () => {
    const followers = (value: string): Criterion => ['SIMILAR_TO_FOLLOWERS_OF_USER', value];
    const { suggested } = await accountWith([followers('12'), followers('34'), broad('moss')]);
    assert.deepEqual(await suggested('12', { suggestion_type: 'USER_ID' }), ['34']);
    assert.deepEqual(await suggested('moss'), []);
  });

  test('omit excluded and deleted criteria, and those of deleted line items', async () => {
    const { suggested, path, ids } = await accountWith(
      [broad('fern'), ['BROAD_KEYWORD', 'weed', 'NE'], broad('ivy')],
      [broad('fern'), broad('palm')],
    );
    assert.deepEqual(await suggested('fern'), ['ivy', 'palm']);
    assert.deepEqual(await suggested('weed'), []);
    const list = await world.sandbox.call('GET', `${path}/targeting_criteria`, { params: { line_item_ids: ids[0]! } });
    const ivy = list.body.data.find((row: { targeting_value: string }) => row.targeting_value === 'ivy');
    await world.sandbox.call('DELETE', `${path}/targeting_criteria/${ivy.id}`);
    assert.deepEqual(await suggested('fern'), ['palm']);
    await world.sandbox.call('DELETE', `${path}/line_items/${ids[1]}`);
    assert.deepEqual(await suggested('fern'), []);
  });

  test('reveal nothing that only one other account targets, and ignore deleted accounts', async () => {
    const { suggested } = await accountWith();
    const first = await accountWith([broad('launch'), broad('codename')]);
    assert.deepEqual(await suggested('launch'), []);
    assert.deepEqual(await first.suggested('launch'), ['codename']);
    await accountWith([broad('launch'), broad('codename'), broad('only here')]);
    assert.deepEqual(await suggested('launch'), ['codename']);
    await world.sandbox.call('DELETE', first.path);
    assert.deepEqual(await suggested('launch'), []);
  });

  test('are completed with related terms of posts', async () => {
    const { suggested } = await accountWith([broad('ristretto'), broad('zeppelin'), broad('crema')]);
    const others = Array.from({ length: 60 }, (_, index) => post(`other${index}`, `nothing of the kind ${index}`));
    const said = [
      'ristretto crema robusta',
      'a ristretto with #robusta',
      'robusta makes a ristretto',
      'ristretto crema',
    ];
    await importPosts(world, [...others, ...said.map((text, index) => post(`said${index}`, text))]);
    assert.deepEqual(await suggested('ristretto'), ['crema', 'zeppelin', 'robusta']);
    assert.deepEqual(await suggested('ristretto', { count: '2' }), ['crema', 'zeppelin']);
    assert.deepEqual(await suggested('robusta', { suggestion_type: 'USER_ID' }), []);
  });

  test('stay within the environment', async () => {
    await accountWith([broad('sand'), broad('castle')], [broad('sand'), broad('castle')]);
    await accountWith([broad('sand'), broad('castle')]);
    const [{ id }] = (await world.production.call('GET', '/12/accounts')).body.data;
    const params = { suggestion_type: 'KEYWORD', targeting_values: 'sand' };
    const reply = await world.production.call('GET', `/12/accounts/${id}/targeting_suggestions`, { params });
    assert.deepEqual(reply.body.data, []);
  });

  const refused: [input: Record<string, string>, message: string][] = [
    [{ targeting_values: 'a' }, '"suggestion_type" is a required parameter'],
    [{ suggestion_type: 'KEYWORD' }, '"targeting_values" is a required parameter'],
    [
      { suggestion_type: 'x', targeting_values: 'a' },
      'Expected a value in KEYWORD, USER_ID, got "x" for suggestion_type',
    ],
    [
      { suggestion_type: 'KEYWORD', targeting_values: 'a', count: '51' },
      'Expected int between 1 and 50, got "51" for count',
    ],
    [
      { suggestion_type: 'KEYWORD', targeting_values: ',' },
      'A minimum of 1 items must be provided for targeting_values',
    ],
  ];
  for (const [params, message] of refused) {
    test(`refused: ${message}`, async () => {
      const { path } = await openAccount(world.sandbox);
      const reply = await world.sandbox.call('GET', `${path}/targeting_suggestions`, { params });
      assert.deepEqual(
        [reply.status, reply.body.errors.map((error: { message: string }) => error.message)],
        [400, [message]],
      );
    });
  }
});
