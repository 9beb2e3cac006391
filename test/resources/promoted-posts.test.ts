import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { errors, good, openFixture, type Params, type PostFixture } from './post-calls.ts';

let world: World;
let place: PostFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

type Shown = Record<string, unknown> & { id: string };
const promote = (line_item_id: string, ...posts: string[]) =>
  place.post('promoted_posts', { line_item_id, post_ids: posts.join(',') });

describe('promoting', () => {
  test('returns a row for each post, in order', async () => {
    const line = await place.line();
    const posts = [await place.post_(), await place.post_(), await place.post_()];
    const [c, a, b] = posts as [string, string, string];
    const reply = await promote(line, a, b, c, a);
    const rows = good(reply) as unknown as Shown[];
    assert.deepEqual(Object.keys(reply.body), ['request', 'data']);
    assert.deepEqual(
      rows.map(({ id, ...row }) => [/^[0-9a-z]+$/.test(id), row]),
      [a, b, c].map((post_id) => [
        true,
        {
          line_item_id: line,
          post_id,
          entity_status: 'ACTIVE',
          approval_status: 'ACCEPTED',
          created_at: '2026-03-02T17:04:55Z',
          updated_at: '2026-03-02T17:04:55Z',
          deleted: false,
        },
      ]),
    );
    assert.deepEqual(reply.body.request.params.post_ids, [a, b, c]);
    const again = good(await promote(line, b)) as unknown as Shown[];
    assert.deepEqual(again, [rows[1]], 'what is promoted already is the answer');
    assert.equal((good(await place.get('promoted_posts', { line_item_ids: line })) as unknown as Shown[]).length, 3);
    good(await promote(await place.line(), b));
    const history = await place.get('account_history', { entity_type: 'PROMOTED_POST', entity_id: rows[0]!.id });
    assert.deepEqual(
      (good(history) as unknown as Shown[]).map(({ change_type }) => change_type),
      ['CREATE'],
    );
  });

  test('is all or nothing', async () => {
    const [line, post] = [await place.line(), await place.post_()];
    const draft = good(await place.post('draft_posts', { text: 'Draft' })).id;
    const refused = await promote(line, post, '9', draft);
    assert.equal(refused.status, 404);
    assert.deepEqual(refused.body.errors, [
      { code: 'POST_NOT_FOUND', message: 'Post 9 was not found', parameter: 'post_ids', value: '9' },
      {
        code: 'INVALID_POST',
        message: `Post ${draft} cannot be promoted by line item ${line}: it is a draft`,
        parameter: 'post_ids',
        value: draft,
      },
    ]);
    const drafts = await promote(line, draft);
    assert.deepEqual([drafts.status, errors(drafts)], [400, ['INVALID_POST post_ids']]);
    assert.deepEqual(good(await place.get('promoted_posts', { line_item_ids: line })), []);
    const nowhere = await promote('zz9', post);
    assert.deepEqual([nowhere.status, errors(nowhere)], [404, ['LINE_ITEM_NOT_FOUND line_item_id']]);
    const fifty = Array.from({ length: 51 }, (_, index) => String(index + 1));
    assert.deepEqual(errors(await promote(line, ...fifty)), ['INVALID_PARAMETER post_ids']);
    assert.deepEqual(errors(await promote(line, 'x')), ['INVALID_PARAMETER post_ids']);
  });

  test('cannot be updated, and is deleted by its own id', async () => {
    const line = await place.line();
    const [row] = good(await promote(line, await place.post_())) as unknown as Shown[];
    assert.equal((await place.put(`promoted_posts/${row!.id}`, { line_item_id: line })).status, 405);
    const gone = good(await place.remove(`promoted_posts/${row!.id}`)) as unknown as Shown;
    assert.equal(gone.deleted, true);
    const [anew] = good(await promote(line, String(row!.post_id))) as unknown as Shown[];
    assert.notEqual(anew!.id, row!.id);
  });

  test('is hidden under a deleted line item, but not marked deleted', async () => {
    const line = await place.line();
    const [row] = good(await promote(line, await place.post_())) as unknown as Shown[];
    good(await place.remove(`line_items/${line}`));
    assert.equal((await place.get(`promoted_posts/${row!.id}`)).status, 404);
    assert.deepEqual(good(await place.get('promoted_posts', { line_item_ids: line })), []);
    const shown = await place.get('promoted_posts', { line_item_ids: line, with_deleted: true });
    assert.deepEqual(good(shown), [row]);
    assert.equal(
      (good(await place.get(`promoted_posts/${row!.id}`, { with_deleted: true })) as unknown as Shown).deleted,
      false,
    );
  });

  test('makes a campaign complete until it is deleted', async () => {
    const line = await place.line({ daily_budget_amount_local_micro: '1000000', entity_status: 'ACTIVE' });
    const campaign = (good(await place.get(`line_items/${line}`)) as unknown as Shown).campaign_id;
    const reasons = async () =>
      (good(await place.get(`campaigns/${campaign}`)) as unknown as Shown).reasons_not_servable;
    assert.deepEqual(await reasons(), ['PAUSED_BY_ADVERTISER', 'INCOMPLETE']);
    const [row] = good(await promote(line, await place.post_())) as unknown as Shown[];
    assert.deepEqual(await reasons(), ['PAUSED_BY_ADVERTISER']);
    good(await place.remove(`promoted_posts/${row!.id}`));
    assert.deepEqual(await reasons(), ['PAUSED_BY_ADVERTISER', 'INCOMPLETE']);
    const scheduled = good(await place.post('scheduled_posts', { text: 'a', scheduled_at: '2026-09-01' }));
    good(await place.post('scheduled_promoted_posts', { line_item_id: line, scheduled_post_id: scheduled.id }));
    assert.deepEqual(await reasons(), ['PAUSED_BY_ADVERTISER']);
    good(await place.remove(`scheduled_posts/${scheduled.id}`));
    assert.deepEqual(await reasons(), ['PAUSED_BY_ADVERTISER', 'INCOMPLETE']);
  });

  test('with a line item for promoted accounts keeps its placements', async () => {
    const line = await place.line({ objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' });
    good(await promote(line, await place.post_()));
    assert.deepEqual((good(await place.get(`line_items/${line}`)) as unknown as Shown).placements, ['ALL_ON_SERVICE']);
  });
});

describe('posts of REPOSTS_ONLY users', () => {
  test('are promoted as one repost by the advertised user for all line items', async () => {
    const ben = world.keys.other_user_id!;
    const theirs = (await world.other.call('POST', '/12/accounts')).body.data[0].id;
    const publish = async (nullcast: boolean) =>
      (await world.other.call('POST', `/12/accounts/${theirs}/post`, { params: { text: 'Try #this', nullcast } })).body
        .data.id as string;
    const [open, hidden] = [await publish(false), await publish(true)];
    const line = await place.line();
    assert.deepEqual(errors(await promote(line, open)), ['POST_NOT_FOUND post_ids']);
    await place.promotes(ben);
    assert.deepEqual(errors(await promote(line, hidden)), ['POST_NOT_FOUND post_ids']);
    const [row] = good(await promote(line, open)) as unknown as Shown[];
    assert.notEqual(row!.post_id, open);
    assert.deepEqual(good(await promote(line, open)), [row]);
    const [second] = good(await promote(await place.line(), open)) as unknown as Shown[];
    assert.equal(second!.post_id, row!.post_id);
    const [repost] = good(
      await place.get('posts', { post_type: 'PUBLISHED', post_ids: String(row!.post_id) }),
    ) as unknown as (Shown & { user: { id: string } })[];
    assert.deepEqual(
      [repost!.full_text, repost!.user.id, repost!.nullcast],
      ['RT @ben_demo: Try #this', world.keys.user_id, true],
    );
    const list = await place.get('posts', { post_type: 'PUBLISHED', timeline_type: 'ORGANIC', user_id: ben });
    assert.ok((good(list) as unknown as Shown[]).some(({ id }) => id === open));
  });
});

describe('requirements of objectives for posts', () => {
  const STORE = { android_store_identifier: 'com.example.lumen' };
  const PREROLL = { objective: 'PREROLL_VIEWS', product_type: 'MEDIA', categories: 'IAB7' };
  const cards: Record<string, string> = {};
  before(async () => {
    const card = async (name: string, components: unknown) => {
      const reply = await world.sandbox.call('POST', `${place.path}/cards`, { json: { name, components } });
      cards[name] = (good(reply) as unknown as Shown).card_uri as string;
    };
    const destination = { type: 'APP', country_code: 'US', android_store_app_id: 'com.example.lumen' };
    const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'OPEN' }, destination };
    const website = { type: 'WEBSITE', url: 'https://lumen.example' };
    await card('app', [{ type: 'MEDIA', media_key: '3_61' }, button]);
    await card('website', [
      { type: 'MEDIA', media_key: '3_61' },
      { type: 'DETAILS', title: 'A', destination: website },
    ]);
    await card('video', [
      { type: 'MEDIA', media_key: '13_62' },
      { type: 'DETAILS', title: 'A', destination: website },
    ]);
  });
  /** Objective, post, whether it fits. */
  const input: [objective: string, line: Record<string, string>, post: string, params: () => Params, isFit: boolean][] =
    [
      ['APP_INSTALLS', STORE, 'text', () => ({ text: 'a' }), false],
      ['APP_INSTALLS', STORE, 'an app card', () => ({ text: 'a', card_uri: cards.app! }), true],
      ['APP_ENGAGEMENTS', STORE, 'a website card', () => ({ text: 'a', card_uri: cards.website! }), false],
      ['VIDEO_VIEWS', {}, 'text', () => ({ text: 'a' }), false],
      ['VIDEO_VIEWS', {}, 'a GIF', () => ({ media_keys: '16_5' }), true],
      ['VIDEO_VIEWS', {}, 'a video', () => ({ media_keys: '7_5' }), true],
      ['VIDEO_VIEWS', {}, 'a card with a video', () => ({ text: 'a', card_uri: cards.video! }), true],
      ['PREROLL_VIEWS', PREROLL, 'a GIF', () => ({ media_keys: '16_5' }), false],
      ['PREROLL_VIEWS', PREROLL, 'a video', () => ({ media_keys: '13_5' }), true],
      ['WEBSITE_CLICKS', {}, 'text', () => ({ text: 'a' }), true],
      ['WEBSITE_CLICKS', {}, 'a link', () => ({ text: 'https://lumen.example' }), true],
      ['WEBSITE_CLICKS', {}, 'a website card', () => ({ text: 'a', card_uri: cards.website! }), true],
      ['WEBSITE_CLICKS', {}, 'both', () => ({ text: 'https://lumen.example', card_uri: cards.website! }), false],
      ['WEBSITE_CLICKS', {}, 'an app card', () => ({ text: 'a', card_uri: cards.app! }), false],
      ['REACH', {}, 'text', () => ({ text: 'a' }), true],
    ];
  for (const [objective, more, post, params, isFit] of input) {
    test(`${objective} and ${post}: ${isFit ? 'fits' : 'does not'}`, async () => {
      const line = await place.line({ objective, ...more });
      const reply = await promote(line, await place.post_(params()));
      assert.deepEqual(errors(reply), isFit ? [] : ['INVALID_POST post_ids']);
      const scheduled = good(await place.post('scheduled_posts', { ...params(), scheduled_at: '2026-09-01' } as never));
      const later = await place.post('scheduled_promoted_posts', {
        line_item_id: line,
        scheduled_post_id: scheduled.id,
      });
      assert.deepEqual(errors(later), isFit ? [] : ['INVALID_POST scheduled_post_id']);
      await place.remove(`scheduled_posts/${scheduled.id}`);
    });
  }

  test('have messages', async () => {
    const line = await place.line({ objective: 'VIDEO_VIEWS' });
    const post = await place.post_();
    const refused = await promote(line, post);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_POST',
        message: `Post ${post} cannot be promoted by line item ${line}: it has no video`,
        parameter: 'post_ids',
        value: post,
      },
    ]);
  });
});

describe('promoting scheduled posts', () => {
  test('is stored once, and cannot be updated', async () => {
    const [line_item_id, other] = [await place.line(), await place.line()];
    const { id } = good(await place.post('scheduled_posts', { text: 'a', scheduled_at: '2026-09-01' }));
    const made = good(
      await place.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: id }),
    ) as unknown as Shown;
    assert.deepEqual(made, {
      id: made.id,
      line_item_id,
      scheduled_post_id: id,
      post_id: null,
      created_at: made.created_at,
      updated_at: made.created_at,
      deleted: false,
    });
    assert.deepEqual(good(await place.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: id })), made);
    good(await place.post('scheduled_promoted_posts', { line_item_id: other, scheduled_post_id: id }));
    assert.equal((await place.put(`scheduled_promoted_posts/${made.id}`, { line_item_id: other })).status, 405);
    good(await place.remove(`scheduled_promoted_posts/${made.id}`));
    world.clock.advance(200 * 86_400);
    await world.service.jobs.runDue();
    const rows = good(
      await place.get('promoted_posts', { line_item_ids: `${line_item_id},${other}` }),
    ) as unknown as Shown[];
    assert.deepEqual(
      rows.map((row) => row.line_item_id),
      [other],
      'what was called off is not promoted',
    );
    const late = await place.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: id });
    assert.deepEqual([late.status, errors(late)], [400, ['INVALID_POST scheduled_post_id']]);
    const absent = await place.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: '9' });
    assert.deepEqual([absent.status, errors(absent)], [404, ['NOT_FOUND scheduled_post_id']]);
  });
});
