import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { largeAudience, type Owner, openOwner, refusal } from './audience-calls.ts';
import { createItem, good, itemErrors, openFixture, type TargetingFixture } from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
let owner: Owner;
let audience: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', audience_size_min: 1 } });
  place = await openFixture(world);
  owner = await openOwner(world);
  audience = await largeAudience(world, place.path);
});
after(() => world.close());

const said = (message: string) => [{ code: 'INVALID', message, attribute: 'targeting_value' }];

describe('targeting an audience', () => {
  test('only if it is large enough', async () => {
    const made = await world.sandbox.call('POST', `${place.path}/custom_audiences`, { params: { name: 'Small' } });
    const small = made.body.data.id;
    for (const [type, operator] of [
      ['CUSTOM_AUDIENCE', 'EQ'],
      ['CUSTOM_AUDIENCE', 'NE'],
      ['CUSTOM_AUDIENCE_EXPANDED', 'EQ'],
    ] as const) {
      const reply = await place.add(await place.line(), type, small, operator);
      assert.deepEqual([reply.status, reply.body.errors], [400, said(`Custom audience ${small} is not targetable`)]);
    }
  });

  test('by its owner and accounts it is shared with; criteria outlive the grant', async () => {
    const theirs = await largeAudience(world, owner.path);
    const line = await place.line();
    const absent = '404 TAILORED_AUDIENCE_NOT_FOUND targeting_value';
    assert.equal(refusal(await place.add(line, 'CUSTOM_AUDIENCE', theirs)), absent);
    const to = { ...owner, account: place.account };
    const granted = good(await owner.grant(theirs, to));
    const criterion = good(await place.add(line, 'CUSTOM_AUDIENCE', theirs.toUpperCase()));
    assert.equal(criterion.targeting_value, theirs);
    await owner.call('DELETE', `/custom_audiences/${theirs}/permissions/${granted.id}`);
    assert.equal(refusal(await place.add(await place.line(), 'CUSTOM_AUDIENCE', theirs)), absent);
    assert.deepEqual(await place.targeted(line), [`CUSTOM_AUDIENCE ${theirs} EQ`]);
    assert.equal(
      good(await place.add(line, 'CUSTOM_AUDIENCE', theirs)).id,
      criterion.id,
      'what is there is the answer',
    );
  });

  test('by existing criteria after it is deleted', async () => {
    const gone = await largeAudience(world, place.path);
    const line = await place.line();
    good(await place.add(line, 'CUSTOM_AUDIENCE', gone));
    await world.sandbox.call('DELETE', `${place.path}/custom_audiences/${gone}`);
    assert.deepEqual(await place.targeted(line), [`CUSTOM_AUDIENCE ${gone} EQ`]);
    const anew = await place.add(await place.line(), 'CUSTOM_AUDIENCE', gone);
    assert.equal(refusal(anew), '404 TAILORED_AUDIENCE_NOT_FOUND targeting_value');
  });

  test('or its lookalikes, never both by one line item; exclusions do not count', async () => {
    const message = `A line item cannot target custom audience ${audience} and people like it together`;
    const [one, two] = [await place.line(), await place.line()];
    good(await place.add(one, 'CUSTOM_AUDIENCE', audience));
    const like = await place.add(one, 'CUSTOM_AUDIENCE_EXPANDED', audience);
    assert.deepEqual([like.status, like.body.errors], [400, said(message)]);
    const both = [
      createItem(two, 'CUSTOM_AUDIENCE_EXPANDED', audience),
      createItem(two, 'CUSTOM_AUDIENCE', audience),
      createItem(two, 'LANGUAGE', 'en'),
    ];
    assert.deepEqual(itemErrors(await place.batch(both)), ['INVALID targeting_value', 'INVALID targeting_value', '']);
    good(await place.add(two, 'CUSTOM_AUDIENCE_EXPANDED', audience));
    good(await place.add(two, 'CUSTOM_AUDIENCE', audience, 'NE'));
  });
});

describe('the line items that target an audience', () => {
  const ask = (id: string, params: Record<string, string | number> = {}) =>
    world.sandbox.call('GET', `${place.path}/custom_audiences/${id}/targeted`, { params });

  /** A line item that serves: it is switched on, paid for, and has something to show. */
  async function serving(campaign_id: string, name: string): Promise<string> {
    const line = await place.line({ campaign_id, name, entity_status: 'ACTIVE', bid_strategy: 'AUTO' });
    const post = good(await place.post('post', { text: `Shown by ${name}` }));
    good(await place.post('promoted_posts', { line_item_id: line, post_ids: String(post.id) }));
    return line;
  }

  test('are grouped by campaign, newest first, with the servability of each', async () => {
    const id = await largeAudience(world, place.path);
    assert.deepEqual((await ask(id)).body.data, []);
    const [instrument] = (await world.sandbox.call('GET', `${place.path}/funding_instruments`)).body.data;
    const campaign = async (name: string, entity_status: string) => {
      world.clock.advance(1);
      const params = {
        name,
        entity_status,
        funding_instrument_id: instrument.id,
        daily_budget_amount_local_micro: '1000000',
      };
      return good(await place.post('campaigns', params)).id;
    };
    const [on, off] = [await campaign('On', 'ACTIVE'), await campaign('Off', 'PAUSED')];
    const shown = await serving(on, 'Shown');
    world.clock.advance(1);
    const bare = await place.line({ campaign_id: on, name: 'Bare', entity_status: 'ACTIVE', bid_strategy: 'AUTO' });
    const resting = await serving(off, 'Resting');
    const gone = await serving(on, 'Gone');
    for (const [line, type, operator] of [
      [shown, 'CUSTOM_AUDIENCE', 'NE'],
      [bare, 'CUSTOM_AUDIENCE_EXPANDED', 'EQ'],
      [resting, 'CUSTOM_AUDIENCE', 'EQ'],
      [gone, 'CUSTOM_AUDIENCE', 'EQ'],
    ] as const) {
      good(await place.add(line, type, id, operator));
    }
    await world.sandbox.call('DELETE', `${place.path}/line_items/${gone}`);
    const active = [
      { campaign_id: on, campaign_name: 'On', line_items: [{ id: shown, name: 'Shown', servable: true }] },
    ];
    assert.deepEqual((await ask(id)).body, {
      request: { params: { account_id: place.account, custom_audience_id: id } },
      next_cursor: null,
      data: active,
    });
    assert.deepEqual((await ask(id, { with_active: 'true' })).body.data, active);
    assert.deepEqual((await ask(id, { with_active: 'false' })).body.data, [
      { campaign_id: off, campaign_name: 'Off', line_items: [{ id: resting, name: 'Resting', servable: false }] },
      {
        campaign_id: on,
        campaign_name: 'On',
        line_items: [
          { id: bare, name: 'Bare', servable: false },
          { id: shown, name: 'Shown', servable: true },
        ],
      },
    ]);
    const campaigns = (await world.sandbox.call('GET', `${place.path}/campaigns`)).body.data;
    const servable = campaigns
      .filter((row: { servable: boolean }) => row.servable)
      .map((row: { id: string }) => row.id);
    assert.deepEqual(servable, [on]);
  });

  test('includes only the calling account, and requires a visible audience', async () => {
    const theirs = await largeAudience(world, owner.path);
    assert.equal(refusal(await ask(theirs)), '404 CUSTOM_AUDIENCE_NOT_FOUND custom_audience_id');
    assert.equal(refusal(await ask('a_b')), '404 INVALID_ID_ILLEGAL_CHARACTERS custom_audience_id');
    await owner.grant(theirs, { ...owner, account: place.account });
    const line = await place.line();
    good(await place.add(line, 'CUSTOM_AUDIENCE', theirs));
    const rows = (await ask(theirs, { with_active: 'false' })).body.data;
    assert.deepEqual(
      rows.map((row: { line_items: { id: string }[] }) => row.line_items[0]!.id),
      [line],
    );
    const own = await owner.call('GET', `/custom_audiences/${theirs}/targeted`, { with_active: 'false' });
    assert.deepEqual(own.body.data, []);
  });

  test('pages after 200 campaigns', async () => {
    const id = await largeAudience(world, place.path);
    const lines = await Promise.all(Array.from({ length: 201 }, () => place.line()));
    const items = lines.map((line) => createItem(line, 'CUSTOM_AUDIENCE', id));
    good(await place.batch(items));
    const first = (await ask(id, { with_active: 'false' })).body;
    assert.equal(first.data.length, 200);
    const second = (await ask(id, { with_active: 'false', cursor: first.next_cursor })).body;
    assert.deepEqual([second.data.length, second.next_cursor], [1, null]);
    const all = [...first.data, ...second.data].map((row) => row.line_items[0].id);
    assert.deepEqual([...all].sort(), [...lines].sort());
    assert.equal(refusal(await ask(id, { cursor: first.next_cursor })), '400 INVALID_PARAMETER cursor');
  });
});
