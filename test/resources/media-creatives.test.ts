// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { callsBelow, errorsOf, insertUpload, setUpload } from './media-calls.ts';
import { good, openFixture, type Params, type TargetingFixture } from './targeting-calls.ts';

let world: World;
let place: TargetingFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
});
after(() => world.close());

const own = callsBelow(
  () => world.sandbox,
  () => place.path,
);

/** What makes a line item one for videos before others. */
const PREROLL = {
  objective: 'PREROLL_VIEWS',
  product_type: 'MEDIA',
  goal: 'PREROLL',
  pay_by: 'VIEW_3S_100PCT',
  categories: 'IAB7',
};
const CLICKS = { objective: 'WEBSITE_CLICKS' };

interface AppliedChange {
  readonly id: string;
  readonly creative_type: string;
}

/** What has become of media in account media, the newest first. */
async function accountMedia(): Promise<AppliedChange[]> {
  return (await own('GET', '/account_media')).body.data;
}

/** Adds media to the library; the answer is what has become of it in account media. */
async function added(media_key: string): Promise<AppliedChange | undefined> {
  const before = (await accountMedia()).map(({ id }) => id);
  world.clock.advance(1);
  assert.equal((await own('POST', '/media_library', { media_key })).status, 200);
  return (await accountMedia()).find(({ id }) => !before.includes(id));
}

const image = (width: number, height: number) => insertUpload(world, 'POST_IMAGE', { width, height });

describe('account media', () => {
  const sizes: [width: number, height: number, type: string | undefined][] = [
    [300, 250, 'MEDIUM_RECTANGLE'],
    [728, 90, 'BANNER_TABLET'],
    [480, 320, 'INTERSTITIAL_LANDSCAPE'],
    [768, 1024, 'INTERSTITIAL_TABLET'],
    [1024, 768, 'INTERSTITIAL_LANDSCAPE_TABLET'],
    [320, 50, 'BANNER'],
    [320, 480, 'INTERSTITIAL'],
    [640, 960, 'INTERSTITIAL'],
    [250, 300, undefined],
    [1200, 628, undefined],
  ];
  for (const [width, height, type] of sizes) {
    test(`an image of ${width} x ${height} becomes ${type ?? 'none'}`, async () => {
      const key = await image(width, height);
      const made = await added(key);
      assert.equal(made?.creative_type, type);
      if (!made) return;
      const { id, created_at, updated_at, ...members } = made as AppliedChange & Record<string, string>;
      const { media_url } = (await own('GET', `/media_library/${key}`)).body.data;
      assert.match(id, /^[0-9a-z]{5}$/);
      assert.equal(created_at, updated_at);
      assert.deepEqual(members, { creative_type: type, video_id: null, media_url, deleted: false });
    });
  }

  test('an amplify video becomes PREROLL, even while processing; other videos do not', async () => {
    const key = await insertUpload(world, 'AMPLIFY_VIDEO', { state: 'pending', width: null, height: null });
    const made = (await added(key)) as AppliedChange & Record<string, string>;
    assert.deepEqual([made.creative_type, made.video_id, made.media_url], ['PREROLL', key, null]);
    await setUpload(world, key, 'pending', { state: 'succeeded', width: 300, height: 250 });
    assert.deepEqual((await own('GET', `/account_media/${made.id}`)).body.data, made);
    for (const category of ['POST_VIDEO', 'POST_GIF'] as const) {
      assert.equal(await added(await insertUpload(world, category, { width: 300, height: 250 })), undefined);
    }
  });

  test('media becomes account media once, and stays when removed from the library', async () => {
    const key = await insertUpload(world, 'AMPLIFY_VIDEO');
    const made = await added(key);
    assert.equal(await added(key), undefined);
    await own('DELETE', `/media_library/${key}`);
    assert.deepEqual((await own('GET', `/account_media/${made!.id}`)).body.data, made);
  });

  test('video keys without an upload become account media where accepted; images have no size', async () => {
    assert.equal((await added('13_4711'))?.creative_type, 'PREROLL');
    assert.equal(await added('3_4711'), undefined);
  });

  test('is listed by creative type', async () => {
    const banner = await added(await image(320, 50));
    const rows = (await own('GET', '/account_media', { creative_types: 'BANNER,VAST_PREROLL' })).body
      .data as AppliedChange[];
    assert.ok(rows.some(({ id }) => id === banner!.id));
    assert.ok(rows.every(({ creative_type }) => creative_type === 'BANNER'));
    assert.deepEqual((await own('GET', '/account_media', { creative_types: 'VAST_PREROLL' })).body.data, []);
  });

  test('cannot be created or updated directly', async () => {
    const { id } = (await added('13_4712'))!;
    const created = await own('POST', '/account_media', { video_id: '13_4712' });
    assert.deepEqual([created.status, created.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    assert.equal((await own('PUT', `/account_media/${id}`)).status, 405);
  });
});

/** A video before others and a line item for it. */
async function preroll(): Promise<Params> {
  const media = await added(await insertUpload(world, 'AMPLIFY_VIDEO'));
  return { account_media_id: media!.id, line_item_id: await place.line(PREROLL) };
}

/** A banner and a line item of a kind. */
async function banner(kind: Params): Promise<Params> {
  const media = await added(await image(320, 50));
  return { account_media_id: media!.id, line_item_id: await place.line(kind) };
}

describe('media creatives', () => {
  test('assign account media to a line item', async () => {
    const params = await preroll();
    const made = good(await place.post('media_creatives', params));
    const { id, created_at, updated_at, ...members } = made;
    assert.match(id, /^[0-9a-z]{5}$/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(members, {
      ...params,
      creative_type: 'PREROLL',
      landing_url: null,
      entity_status: 'ACTIVE',
      approval_status: 'ACCEPTED',
      deleted: false,
    });
    assert.deepEqual((await own('GET', `/media_creatives/${id}`)).body.data, made);
  });

  const URL = 'https://lumen.example/shop';
  const cases: [of: string, params: () => Promise<Params>, then: string[] | string | null][] = [
    [
      'a video on a line item for something else',
      async () => ({ ...(await preroll()), line_item_id: await place.line() }),
      ['400', 'INVALID_PARAMETER line_item_id'],
    ],
    ['a video with a landing page, which it has not', async () => ({ ...(await preroll()), landing_url: URL }), null],
    ['an image for clicks without a landing page', () => banner(CLICKS), ['400', 'MISSING_PARAMETER landing_url']],
    ['an image for clicks with one', async () => ({ ...(await banner(CLICKS)), landing_url: URL }), URL],
    ['an image for something else without one', () => banner({}), null],
    ['an image for something else with one', async () => ({ ...(await banner({})), landing_url: URL }), URL],
    [
      'a landing page that is none',
      async () => ({ ...(await banner({})), landing_url: 'javascript:1' }),
      ['400', 'INVALID_PARAMETER landing_url'],
    ],
    ['nothing', async () => ({}), ['400', 'MISSING_PARAMETER line_item_id', 'MISSING_PARAMETER account_media_id']],
    [
      'account media that there is not',
      async () => ({ ...(await preroll()), account_media_id: 'zz9' }),
      ['404', 'ACCOUNT_MEDIA_NOT_FOUND account_media_id'],
    ],
    [
      'a line item that there is not',
      async () => ({ ...(await preroll()), line_item_id: 'zz9' }),
      ['404', 'LINE_ITEM_NOT_FOUND line_item_id'],
    ],
  ];
  for (const [of, params, then] of cases) {
    test(of, async () => {
      const reply = await place.post('media_creatives', await params());
      if (Array.isArray(then)) return assert.deepEqual(errorsOf(reply), then);
      assert.deepEqual([reply.status, reply.body.data.landing_url], [200, then]);
    });
  }

  test('stay when account media is deleted, which cannot be used again', async () => {
    const params = await preroll();
    const { id } = good(await place.post('media_creatives', params));
    await own('DELETE', `/account_media/${params.account_media_id}`);
    assert.equal((await own('GET', `/media_creatives/${id}`)).status, 200);
    const again = await place.post('media_creatives', { ...params, line_item_id: await place.line(PREROLL) });
    assert.deepEqual(errorsOf(again), ['404', 'ACCOUNT_MEDIA_NOT_FOUND account_media_id']);
  });

  test('are unique per landing page; deleted ones can be created again', async () => {
    const params = await banner({});
    const first = good(await place.post('media_creatives', params));
    world.clock.advance(1);
    assert.deepEqual(good(await place.post('media_creatives', params)), first);
    const other = good(await place.post('media_creatives', { ...params, landing_url: URL }));
    assert.notEqual(other.id, first.id);
    await own('DELETE', `/media_creatives/${first.id}`);
    assert.notEqual(good(await place.post('media_creatives', params)).id, first.id);
  });

  test('are listed by line item and by campaign, and hidden with their line item', async () => {
    const params = await preroll();
    const { id } = good(await place.post('media_creatives', params));
    const { campaign_id } = good(await own('GET', `/line_items/${params.line_item_id}`)) as unknown as Params;
    const other = good(await place.post('media_creatives', await preroll()));
    const ids = async (filter: Params) =>
      (await own('GET', '/media_creatives', filter)).body.data.map((row: AppliedChange) => row.id);
    assert.deepEqual(await ids({ campaign_id: campaign_id! }), [id]);
    assert.deepEqual(await ids({ line_item_ids: params.line_item_id! }), [id]);
    assert.deepEqual(await ids({ campaign_id: 'zz9' }), []);
    assert.deepEqual(await ids({ media_creative_ids: `${id},${other.id}` }), [other.id, id].sort().reverse());
    await own('DELETE', `/line_items/${params.line_item_id}`);
    assert.deepEqual(await ids({ campaign_id: campaign_id! }), []);
    assert.deepEqual(await ids({ campaign_id: campaign_id!, with_deleted: 'true' }), [id]);
    assert.equal((await own('GET', `/media_creatives/${id}`)).status, 404);
    assert.equal((await own('GET', `/media_creatives/${id}?with_deleted=true`)).body.data.deleted, false);
  });

  test('cannot be updated', async () => {
    const { id } = good(await place.post('media_creatives', await preroll()));
    assert.equal((await own('PUT', `/media_creatives/${id}`, { landing_url: URL })).status, 405);
  });

  test('make a campaign servable', async () => {
    const params = await preroll();
    const line = good(await own('GET', `/line_items/${params.line_item_id}`)) as unknown as Params;
    const reasons = async () => (await own('GET', `/campaigns/${line.campaign_id}`)).body.data.reasons_not_servable;
    await own('PUT', `/campaigns/${line.campaign_id}`, { daily_budget_amount_local_micro: 1_000_000 });
    await own('PUT', `/line_items/${params.line_item_id}`, { entity_status: 'ACTIVE' });
    const before = await reasons();
    const { id } = good(await place.post('media_creatives', params));
    const shown = await reasons();
    await own('DELETE', `/media_creatives/${id}`);
    assert.deepEqual(await reasons(), before);
    assert.equal(before.includes('INCOMPLETE'), true, before.join());
    assert.equal(shown.includes('INCOMPLETE'), false, shown.join());
  });
});

describe('preroll calls to action', () => {
  const shop = (line_item_id: string): Params => ({
    line_item_id,
    call_to_action: 'SHOP',
    call_to_action_url: 'https://lumen.example/shop',
  });

  test('belong to a line item; text and URL can be updated', async () => {
    const line = await place.line(PREROLL);
    const made = good(await place.post('preroll_call_to_actions', shop(line)));
    const { id, created_at, updated_at, ...members } = made;
    assert.match(id, /^[0-9a-z]{3}$/);
    assert.equal(created_at, updated_at);
    assert.deepEqual(members, { ...shop(line), deleted: false });
    world.clock.advance(5);
    const other = await place.line(PREROLL);
    const changes = { call_to_action: 'WATCH_NOW', line_item_id: other };
    const changed = good(await own('PUT', `/preroll_call_to_actions/${id}`, changes));
    const expected = { call_to_action: 'WATCH_NOW', updated_at: changed.updated_at };
    assert.deepEqual(changed, { ...made, ...expected });
    assert.notEqual(changed.updated_at, updated_at);
    const url = { call_to_action_url: 'http://lumen.example' };
    assert.equal(
      good(await own('PUT', `/preroll_call_to_actions/${id}`, url)).call_to_action_url,
      'http://lumen.example',
    );
  });

  const cases: [of: string, params: () => Promise<Params>, then: string[]][] = [
    [
      'a call to action alone',
      async () => ({ call_to_action: 'VISIT_SITE' }),
      ['400', 'MISSING_PARAMETER line_item_id', 'MISSING_PARAMETER call_to_action_url'],
    ],
    [
      'a word that there is not',
      async () => ({ ...shop('zz9'), call_to_action: 'BUY' }),
      ['400', 'INVALID_PARAMETER call_to_action'],
    ],
    [
      'an address that is none',
      async () => ({ ...shop('zz9'), call_to_action_url: 'lumen.example' }),
      ['400', 'INVALID_PARAMETER call_to_action_url'],
    ],
    ['a line item that there is not', async () => shop('zz9'), ['404', 'LINE_ITEM_NOT_FOUND line_item_id']],
    ['a line item for something else', async () => shop(await place.line()), ['400', 'INVALID_PARAMETER line_item_id']],
  ];
  for (const [of, params, then] of cases) {
    test(of, async () => assert.deepEqual(errorsOf(await place.post('preroll_call_to_actions', await params())), then));
  }

  test('are limited to one per line item', async () => {
    const line = await place.line(PREROLL);
    const [first, second] = await Promise.all([1, 2].map(() => place.post('preroll_call_to_actions', shop(line))));
    assert.deepEqual([first!.status, second!.status].sort(), [200, 400]);
    const refused = first!.status === 400 ? first! : second!;
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: `Line item ${line} has a call to action already`,
        parameter: 'line_item_id',
        value: line,
      },
    ]);
    const { data } = (await own('GET', '/preroll_call_to_actions', { line_item_ids: line })).body;
    assert.equal(data.length, 1);
    await own('DELETE', `/preroll_call_to_actions/${data[0].id}`);
    good(await place.post('preroll_call_to_actions', shop(line)));
  });
});
