// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CURATED_CATEGORIES } from '../../src/features/ads/reference/categories.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { openWorld, type World } from '../rig/world.ts';
import { createItem, good, itemErrors, openFixture, type TargetingFixture } from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

const FOR_ACCOUNTS = { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' };

describe('promoted accounts', () => {
  test('are the advertised user, on a line item for promoted accounts', async () => {
    const line_item_id = await place.line(FOR_ACCOUNTS);
    const made = good(await place.post('promoted_accounts', { line_item_id, user_id: world.keys.user_id! }));
    const { id, created_at, updated_at, ...members } = made;
    assert.match(id, /^[0-9a-z]{5}$/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(members, {
      line_item_id,
      user_id: world.keys.user_id,
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      deleted: false,
    });
    world.clock.advance(5);
    assert.deepEqual(good(await place.post('promoted_accounts', { line_item_id, user_id: world.keys.user_id! })), made);
    const history = await world.sandbox.call('GET', `${place.path}/account_history`, {
      params: { entity_type: 'PROMOTED_ACCOUNT', entity_id: id },
    });
    assert.deepEqual(
      history.body.data.map((each: { change_type: string }) => each.change_type),
      ['CREATE'],
    );
  });

  test('must not be other users, nor on other line items', async () => {
    const line = await place.line(FOR_ACCOUNTS);
    for (const user_id of [world.keys.other_user_id!, '7']) {
      const refused = await place.post('promoted_accounts', { line_item_id: line, user_id });
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.body.errors, [
        { code: 'INVALID_USER_ID', message: "You cannot promote someone else's account", attribute: 'user_id' },
      ]);
    }
    const posts = await place.line();
    const refused = await place.post('promoted_accounts', { line_item_id: posts, user_id: world.keys.user_id! });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INCOMPATIBLE_LINE_ITEM',
        message: `Line item ${posts} is not compatible with promoted accounts`,
        parameter: 'line_item_id',
        value: posts,
      },
    ]);
  });

  test('cannot be updated', async () => {
    const line_item_id = await place.line(FOR_ACCOUNTS);
    const { id } = good(await place.post('promoted_accounts', { line_item_id, user_id: world.keys.user_id! }));
    assert.equal((await world.sandbox.call('PUT', `${place.path}/promoted_accounts/${id}`)).status, 405);
  });

  test('cannot be listed by line items of other product types only', async () => {
    const [posts, accounts] = [await place.line(), await place.line(FOR_ACCOUNTS)];
    const list = (ids: string) =>
      world.sandbox.call('GET', `${place.path}/promoted_accounts`, { params: { line_item_ids: ids } });
    const refused = await list(`${posts},zz9`);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INCOMPATIBLE_LINE_ITEM',
        message: `Line item ${posts} is not compatible with promoted accounts`,
        parameter: 'line_item_ids',
        value: posts,
      },
    ]);
    assert.deepEqual((await list(`${posts},${accounts}`)).body.data, []);
    assert.deepEqual((await list('zz9')).body.data, [], 'what does not exist is simply absent');
  });
});

describe('tracking tags', () => {
  const tag = { tracking_tag_type: 'IMPRESSION_TAG', tracking_tag_url: 'https://example.com/seen?a=1&b=%20#x' };

  test('keep their line item and type when the URL is updated', async () => {
    const [line_item_id, other] = [await place.line(), await place.line()];
    const made = good(await place.post('tracking_tags', { line_item_id, ...tag }));
    assert.match(made.id, /^[0-9a-z]{4}$/);
    const path = `${place.path}/tracking_tags/${made.id}`;
    world.clock.advance(5);
    const tracking_tag_url = 'https://example.com/other';
    const params = { tracking_tag_url, tracking_tag_type: 'CLICK_TRACKER', line_item_id: other };
    const changed = good(await world.sandbox.call('PUT', path, { params }));
    assert.deepEqual({ ...changed, updated_at: made.updated_at }, { ...made, tracking_tag_url });
    const without = await world.sandbox.call('PUT', path, { params: { tracking_tag_type: 'CLICK_TRACKER' } });
    assert.equal(without.status, 400);
    assert.deepEqual(without.body.errors, [
      {
        code: 'MISSING_PARAMETER',
        message: '"tracking_tag_url" is a required parameter',
        parameter: 'tracking_tag_url',
      },
    ]);
  });

  test('may be duplicated', async () => {
    const line_item_id = await place.line();
    const [one, two] = [
      await place.post('tracking_tags', { line_item_id, ...tag }),
      await place.post('tracking_tags', { line_item_id, ...tag }),
    ];
    assert.notEqual(good(one).id, good(two).id);
  });
});

describe('curated categories of line items', () => {
  const at = (country: string) => CURATED_CATEGORIES.find((each) => each.country_codes.includes(country))!.id;
  const only = (country: string) => CURATED_CATEGORIES.find((each) => each.country_codes.join() === country)!.id;
  const germany = () => locations().find((each) => each.name === 'Germany')!.targeting_value;
  const post = (line_item_id: string, curated_category_id: string) =>
    place.post('line_item_curated_categories', { line_item_id, curated_category_id });
  const said = (message: string) => [{ code: 'INVALID', message, attribute: 'curated_category_id' }];
  async function american(): Promise<string> {
    const line = await place.line();
    good(await place.add(line, 'LOCATION', '5122804691e5fecc'));
    return line;
  }

  test('require a targeted country in which they are available', async () => {
    const line = await place.line();
    const message = 'The line item must target a country of the curated category';
    const nowhere = await post(line, at('US'));
    assert.equal(nowhere.status, 400);
    assert.deepEqual(nowhere.body.errors, said(message));
    good(await place.add(line, 'LOCATION', germany()));
    assert.deepEqual((await post(line, at('US'))).body.errors, said(message));
    good(await place.add(line, 'LOCATION', '96683cc9126741d1', 'NE'));
    assert.deepEqual((await post(line, at('US'))).body.errors, said(message));
    good(await place.add(line, 'LOCATION', '5122804691e5fecc'));
    const made = good(await post(line, at('US')));
    const { id, created_at, updated_at, ...members } = made;
    assert.deepEqual(members, { line_item_id: line, curated_category_id: at('US'), deleted: false });
  });

  test('must exist', async () => {
    const refused = await post(await american(), 'zz9');
    assert.equal(refused.status, 404);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'NOT_FOUND',
        message: 'Curated category zz9 was not found',
        parameter: 'curated_category_id',
        value: 'zz9',
      },
    ]);
  });

  test('are limited to one per line item, which can be replaced', async () => {
    const line = await american();
    const made = good(await post(line, only('US')));
    const second = await post(line, at('US'));
    assert.equal(second.status, 400);
    assert.deepEqual(second.body.errors, said('A line item can have one curated category only'));
    const path = `${place.path}/line_item_curated_categories/${made.id}`;
    const put = (params: Record<string, string>) => world.sandbox.call('PUT', path, { params });
    assert.equal(good(await put({ curated_category_id: at('GB') })).curated_category_id, at('GB'));
    const other = await american();
    assert.equal(good(await put({ line_item_id: other })).line_item_id, other);
    assert.deepEqual(
      (await put({ line_item_id: await place.line() })).body.errors,
      said('The line item must target a country of the curated category'),
    );
    const absent = await put({ line_item_id: 'zz9' });
    assert.deepEqual([absent.status, absent.body.errors[0].code], [404, 'LINE_ITEM_NOT_FOUND']);
    good(await post(line, at('US')));
    assert.deepEqual(
      (await put({ line_item_id: line })).body.errors,
      said('A line item can have one curated category only'),
    );
    good(await world.sandbox.call('DELETE', path));
    good(await post(other, at('US')));
  });

  test('cannot be combined with IAB categories, in either order', async () => {
    const line = await american();
    const made = good(await post(line, at('US')));
    const refused = await place.batch([createItem(line, 'IAB_CATEGORY', 'IAB2')]);
    assert.deepEqual(refused.body.operation_errors, [
      [
        {
          code: 'INVALID',
          message: 'A line item with a curated category cannot target IAB categories',
          attribute: 'targeting_value',
        },
      ],
    ]);
    good(await world.sandbox.call('DELETE', `${place.path}/line_item_curated_categories/${made.id}`));
    good(await place.batch([createItem(line, 'IAB_CATEGORY', 'IAB2')]));
    assert.deepEqual(
      (await post(line, at('US'))).body.errors,
      said('A line item that targets IAB categories cannot have a curated category'),
    );
  });

  test('allow five excluded publishers', async () => {
    const [line, other] = [await american(), await american()];
    const excluding = (of: string, count: number, from = 1) =>
      Array.from({ length: count }, (_, index) => createItem(of, 'CONTENT_PUBLISHER_USER', String(from + index), 'NE'));
    good(await post(line, at('US')));
    good(await place.batch(excluding(line, 5)));
    const sixth = await place.batch(excluding(line, 1, 6));
    assert.deepEqual(itemErrors(sixth), ['REQUEST_TOO_COMPLEX targeting_type']);
    good(await place.batch(excluding(other, 6)));
    assert.deepEqual(
      (await post(other, at('US'))).body.errors,
      said('A line item with a curated category can exclude 5 publishers at most'),
    );
  });
});
