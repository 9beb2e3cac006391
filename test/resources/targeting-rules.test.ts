// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { openWorld, type World } from '../rig/world.ts';
import { createItem, deleteItem, good, openFixture, type TargetingFixture } from './targeting-calls.ts';

const UNITED_STATES = '96683cc9126741d1';
const SAN_FRANCISCO = '5122804691e5fecc';
const IPHONE = '1q';
const SHOW_IN_UNITED_STATES = '10001';

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

const germany = () => locations().find((each) => each.name === 'Germany')!.targeting_value;

describe('a criterion', () => {
  test('that already exists is returned unchanged', async () => {
    const line = await place.line();
    const first = good(await place.add(line, 'BROAD_KEYWORD', 'espresso'));
    world.clock.advance(60);
    assert.deepEqual(good(await place.add(line, 'BROAD_KEYWORD', 'espresso', 'EQ')), first);
    const again = await place.batch([
      createItem(line, 'BROAD_KEYWORD', 'espresso'),
      createItem(line, 'BROAD_KEYWORD', 'tea'),
    ]);
    assert.deepEqual(again.body.data[0], first);
    const excluded = good(await place.add(line, 'BROAD_KEYWORD', 'espresso', 'NE'));
    assert.notEqual(excluded.id, first.id);
    const others = await Promise.all(
      (['PHRASE_KEYWORD', 'EXACT_KEYWORD'] as const).map((type) => place.add(line, type, 'espresso')),
    );
    assert.equal(new Set([first, excluded, ...others.map(good)].map(({ id }) => id)).size, 4);
    const history = await world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'TARGETING_CRITERIA', entity_id: first.id },
    });
    assert.equal(history.body.data.length, 1);
  });

  test('that was deleted can be created again', async () => {
    const line = await place.line();
    const first = good(await place.add(line, 'LANGUAGE', 'en'));
    good(await world.sandbox.call('DELETE', `${place.path}/targeting_criteria/${first.id}`));
    const second = good(await place.add(line, 'LANGUAGE', 'en'));
    assert.notEqual(second.id, first.id);
    assert.deepEqual(await place.targeted(line), ['LANGUAGE en EQ']);
  });

  test('cannot be updated', async () => {
    const { id } = good(await place.add(await place.line(), 'LANGUAGE', 'en'));
    const reply = await world.sandbox.call('PUT', `${place.path}/targeting_criteria/${id}`, {
      params: { targeting_value: 'de' },
    });
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get('allow'), 'GET, HEAD, DELETE, OPTIONS');
    assert.equal(reply.body.errors[0].code, 'METHOD_NOT_ALLOWED');
  });

  test('is recorded in the history as TARGETING_CRITERIA', async () => {
    const line = await place.line();
    const made = good(await place.add(line, 'LANGUAGE', 'en'));
    world.clock.advance(1);
    const gone = good(await world.sandbox.call('DELETE', `${place.path}/targeting_criteria/${made.id}`));
    const history = await world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'TARGETING_CRITERIA', entity_id: made.id },
    });
    const { name, id, ...stored } = gone;
    assert.deepEqual(
      history.body.data.map((each: { change_type: string; entity_data: unknown }) => [
        each.change_type,
        each.entity_data,
      ]),
      [
        ['DELETE', stored],
        ['CREATE', { ...stored, deleted: false, updated_at: made.updated_at }],
      ],
    );
  });

  test('has a localized name in the requested language, if translated', async () => {
    const line = await place.line();
    const { id } = good(await place.add(line, 'LOCATION', UNITED_STATES));
    good(await place.add(line, 'BROAD_KEYWORD', 'espresso'));
    const list = async (lang: string) => {
      const params = { line_item_ids: line, lang, sort_by: 'created_at-asc' };
      const { body } = await world.sandbox.call('GET', `${place.path}/targeting_criteria`, { params });
      assert.equal(body.request.params.lang, lang);
      return body.data.map((row: Record<string, string>) => row.localized_name);
    };
    assert.deepEqual(await list('de'), ['Vereinigte Staaten', undefined]);
    assert.deepEqual(await list('ja'), ['アメリカ合衆国', undefined]);
    for (const strange of ['xx', 'nonsense', '-', '__proto__'])
      assert.deepEqual(await list(strange), [undefined, undefined]);
    const one = await world.sandbox.call('GET', `${place.path}/targeting_criteria/${id}?lang=de`);
    assert.equal(one.body.data.localized_name, 'Vereinigte Staaten');
    const plain = await world.sandbox.call('GET', `${place.path}/targeting_criteria/${id}`);
    assert.ok(!('localized_name' in plain.body.data));
    assert.equal(plain.body.data.location_type, 'COUNTRIES');
  });

  test('of a city, metro or region has its location type', async () => {
    const line = await place.line();
    for (const [value, name, type] of [
      [SAN_FRANCISCO, 'San Francisco-Oakland-San Jose CA, US', 'METROS'],
      ['3b77caf94bfc81fe', 'Los Angeles, US', 'CITIES'],
    ] as const) {
      const made = good(await place.add(line, 'LOCATION', value));
      assert.deepEqual([made.location_type, made.name], [type, name]);
    }
  });
});

describe('lists of criteria', () => {
  test('require line items', async () => {
    const reply = await world.sandbox.call('GET', `${place.path}/targeting_criteria`);
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body.errors, [
      { code: 'MISSING_PARAMETER', message: '"line_item_ids" is a required parameter', parameter: 'line_item_ids' },
    ]);
  });

  test('have no draft filter', async () => {
    const params = { line_item_ids: await place.line(), with_draft: 'true' };
    const reply = await world.sandbox.call('GET', `${place.path}/targeting_criteria`, { params });
    assert.equal(reply.status, 200);
    assert.ok(!('with_draft' in reply.body.request.params));
  });
});

describe('children of a line item', () => {
  const children = [
    [
      'targeting_criteria',
      (line: string) => ({ line_item_id: line, targeting_type: 'LANGUAGE', targeting_value: 'en' }),
    ],
    [
      'tracking_tags',
      (line: string) => ({
        line_item_id: line,
        tracking_tag_type: 'CLICK_TRACKER',
        tracking_tag_url: 'https://example.com/x',
      }),
    ],
  ] as const;
  for (const [resource, params] of children) {
    for (const parent of ['line item', 'campaign'] as const) {
      test(`${resource}: is hidden while its ${parent} is deleted, and nothing is added there`, async () => {
        const campaign = good(
          await place.post('campaigns', {
            name: 'x',
            funding_instrument_id: await instrument(),
            entity_status: 'PAUSED',
          }),
        ).id;
        const line = await place.line({ campaign_id: campaign });
        const { id } = good(await place.post(resource, params(line)));
        const gone = parent === 'campaign' ? `campaigns/${campaign}` : `line_items/${line}`;
        good(await world.sandbox.call('DELETE', `${place.path}/${gone}`));
        const get = (query: string) => world.sandbox.call('GET', `${place.path}/${resource}${query}`);
        assert.equal((await get(`/${id}`)).status, 404);
        assert.deepEqual((await get(`?line_item_ids=${line}`)).body.data, []);
        assert.equal((await get(`/${id}?with_deleted=true`)).body.data.deleted, false);
        assert.equal((await get(`?line_item_ids=${line}&with_deleted=true`)).body.data.length, 1);
        assert.equal((await world.sandbox.call('DELETE', `${place.path}/${resource}/${id}`)).status, 404);
        const refused = await place.post(resource, params(line));
        assert.equal(refused.status, 404);
        assert.deepEqual(refused.body.errors, [
          {
            code: 'LINE_ITEM_NOT_FOUND',
            message: `Line item ${line} was not found`,
            parameter: 'line_item_id',
            value: line,
          },
        ]);
      });
    }
  }
});

async function instrument(): Promise<string> {
  const [first] = (await world.sandbox.call('GET', `${place.path}/funding_instruments`)).body.data;
  return first.id;
}

describe('a platform and one of its devices', () => {
  const message = 'Platform iOS is broader than device iPhone 3GS and cannot be combined with it';
  const said = { code: 'INVALID', message, attribute: 'targeting_value' };

  test('cannot be combined in either order', async () => {
    const two = [
      ['PLATFORM', '0'],
      ['DEVICE', IPHONE],
    ] as const;
    for (const [first, second] of [two, [two[1], two[0]]] as const) {
      const line = await place.line();
      good(await place.add(line, first[0], first[1]));
      const refused = await place.add(line, second[0], second[1]);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.errors, [said]);
    }
  });

  test('cannot be combined in one batch, but one can replace the other', async () => {
    const line = await place.line();
    const both = await place.batch([createItem(line, 'PLATFORM', '0'), createItem(line, 'DEVICE', IPHONE)]);
    assert.deepEqual(both.body.operation_errors, [[said], [said]]);
    const { id } = good(await place.add(line, 'PLATFORM', '0'));
    good(await place.batch([createItem(line, 'DEVICE', IPHONE), deleteItem(id)]));
    assert.deepEqual(await place.targeted(line), [`DEVICE ${IPHONE} EQ`]);
  });

  test('the platform of an app is added next to a device, and then counts like any other', async () => {
    const line = await place.line({ objective: 'APP_INSTALLS', android_store_identifier: 'com.example.brew' });
    good(await place.add(line, 'DEVICE', IPHONE));
    const params = { ios_store_identifier: '284882215' };
    good(await world.sandbox.call('PUT', `${place.path}/line_items/${line}`, { params }));
    assert.deepEqual((await place.targeted(line)).sort(), [`DEVICE ${IPHONE} EQ`, 'PLATFORM 0 EQ', 'PLATFORM 1 EQ']);
    assert.deepEqual((await place.add(line, 'DEVICE', '1r')).body.errors, [
      { ...said, message: message.replace('3GS', '4') },
    ]);
  });

  test('can be combined for other operating systems, exclusions and line items', async () => {
    const line = await place.line();
    good(await place.add(line, 'PLATFORM', '1'));
    good(await place.add(line, 'DEVICE', IPHONE));
    const other = await place.line();
    good(await place.add(other, 'PLATFORM', '0'));
    good(await place.add(other, 'DEVICE', IPHONE, 'NE'));
  });
});

describe('a show', () => {
  const add = (line: string) => place.add(line, 'TV_SHOW', SHOW_IN_UNITED_STATES);

  test('requires a location first', async () => {
    const line = await place.line();
    const refused = await add(line);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_TV_SHOW_LOCATIONS',
        message: 'A TV_SHOW criterion needs a LOCATION criterion first',
        parameter: 'targeting_type',
      },
    ]);
    good(await place.add(line, 'LOCATION', UNITED_STATES, 'NE'));
    assert.equal((await add(line)).body.errors[0].code, 'INVALID_TV_SHOW_LOCATIONS');
    good(await place.add(line, 'LOCATION', SAN_FRANCISCO));
    good(await add(line));
  });

  test('must be on in every location, in either order', async () => {
    const said = {
      code: 'TV_SHOW_OUTSIDE_MARKET',
      message: 'The locations of the line item are outside the market of the show',
      parameter: 'targeting_value',
    };
    const line = await place.line();
    good(await place.add(line, 'LOCATION', germany()));
    assert.deepEqual((await add(line)).body.errors, [said]);
    good(await place.add(line, 'LOCATION', UNITED_STATES));
    assert.deepEqual((await add(line)).body.errors, [said]);
    const american = await place.line();
    good(
      await place.batch([
        createItem(american, 'TV_SHOW', SHOW_IN_UNITED_STATES),
        createItem(american, 'LOCATION', UNITED_STATES),
      ]),
    );
    assert.deepEqual((await place.add(american, 'LOCATION', germany())).body.errors, [said]);
    good(await place.add(american, 'LOCATION', germany(), 'NE'));
  });
});

describe('engagement types', () => {
  const lacksSource = 'ENGAGEMENT_TYPE needs a criterion of type CAMPAIGN_ENGAGEMENT or USER_ENGAGEMENT';
  const said = (message: string) => [{ code: 'INVALID', message, attribute: 'targeting_type' }];

  test('can be created one by one', async () => {
    const line = await place.line();
    good(await place.add(line, 'ENGAGEMENT_TYPE', 'IMPRESSION'));
    good(await place.batch([createItem(await place.line(), 'CAMPAIGN_ENGAGEMENT', place.campaign)]));
  });

  test('are paired with an engagement source in batches with both', async () => {
    const [one, other] = [await place.line(), await place.line()];
    const apart = await place.batch([
      createItem(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
      createItem(other, 'CAMPAIGN_ENGAGEMENT', place.campaign),
      createItem(other, 'LANGUAGE', 'en'),
    ]);
    assert.equal(apart.status, 400);
    assert.deepEqual(apart.body.operation_errors, [
      said(lacksSource),
      said('CAMPAIGN_ENGAGEMENT needs a criterion of type ENGAGEMENT_TYPE'),
      [],
    ]);
    good(await place.add(other, 'ENGAGEMENT_TYPE', 'VIDEO_VIEW'));
    const half = await place.batch([
      createItem(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
      createItem(other, 'USER_ENGAGEMENT', world.keys.user_id!),
    ]);
    assert.deepEqual(half.body.operation_errors, [said(lacksSource), []]);
    good(
      await place.batch([
        createItem(one, 'ENGAGEMENT_TYPE', 'IMPRESSION'),
        createItem(one, 'USER_ENGAGEMENT', world.keys.user_id!),
      ]),
    );
  });
});

describe('targets of another account', () => {
  test('are not found', async () => {
    const foreign = await openFixture(world);
    const line = await place.line();
    const campaign = await place.add(line, 'CAMPAIGN_ENGAGEMENT', foreign.campaign);
    assert.deepEqual([campaign.status, campaign.body.errors[0].code], [404, 'CAMPAIGN_NOT_FOUND']);
    const user = await place.add(line, 'FOLLOWERS_OF_USER', world.keys.other_user_id!);
    assert.deepEqual([user.status, user.body.errors[0].code], [404, 'PROMOTABLE_USER_NOT_FOUND']);
    const strange = await place.add(await foreign.line(), 'LANGUAGE', 'en');
    assert.deepEqual([strange.status, strange.body.errors[0].code], [404, 'LINE_ITEM_NOT_FOUND']);
  });
});
