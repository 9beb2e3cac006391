// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, browserOf, linkOf, logIn } from '../rig/browser.ts';
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
const draft = async (params: Params, of = place): Promise<Shown> =>
  good(await of.post('draft_posts', params as never)) as never;
const put = (id: string, params: Params) => place.put(`draft_posts/${id}`, params);

describe('a draft', () => {
  test('is returned as sent', async () => {
    const made = await draft({ text: 'Fresh roast on Friday' });
    assert.match(made.id, /^\d{19}$/);
    assert.deepEqual(made, {
      id: made.id,
      name: null,
      text: 'Fresh roast on Friday',
      user_id: world.keys.user_id,
      nullcast: true,
      card_uri: null,
      media_keys: [],
      created_at: '2026-03-02T17:04:55Z',
      updated_at: '2026-03-02T17:04:55Z',
    });
    assert.deepEqual(good(await place.get(`draft_posts/${made.id}`)), made);
  });

  test('can have both card and media, and clears emptied fields', async () => {
    const choices = { name: 'a', first_choice: 'b', second_choice: 'c', duration_in_minutes: 5 };
    const card = good(await place.post('cards/poll', choices as never)) as unknown as { card_uri: string };
    const made = await draft({ text: 'a', media_keys: '3_1,3_2', card_uri: card.card_uri });
    assert.deepEqual([made.card_uri, made.media_keys], [card.card_uri, ['3_1', '3_2']]);
    world.clock.advance(60);
    const changed = good(
      await put(made.id, { card_uri: '', media_keys: '', name: 'N', nullcast: false }),
    ) as unknown as Shown;
    const left = { card_uri: null, media_keys: [], name: 'N', nullcast: false, updated_at: changed.updated_at };
    assert.deepEqual(changed, { ...made, ...left });
    assert.notEqual(changed.updated_at, made.updated_at);
  });

  test('must not be blank', async () => {
    for (const params of [{}, { text: '\n' }, { name: 'a' }] as Params[]) {
      assert.deepEqual(errors(await place.post('draft_posts', params as never)), ['POST_CANNOT_BE_BLANK text']);
    }
    const [written, pictured] = [await draft({ text: 'a' }), await draft({ media_keys: '3_1' })];
    assert.equal(pictured.text, null);
    assert.deepEqual(errors(await put(written.id, { text: '' })), ['POST_CANNOT_BE_BLANK text']);
    assert.deepEqual(errors(await put(pictured.id, { media_keys: '' })), ['POST_CANNOT_BE_BLANK text']);
    good(await put(written.id, { text: '', media_keys: '7_1' }));
  });

  /** What is given, and what is wrong with it. */
  const refused: [why: string, params: Params, errors: string[]][] = [
    ['five images', { media_keys: '3_1,3_2,3_3,3_4,3_5' }, ['INVALID_MEDIA media_keys']],
    ['a GIF beside an image', { media_keys: '3_1,16_1' }, ['INVALID_MEDIA media_keys']],
    ['two videos', { media_keys: '7_1,7_2' }, ['INVALID_MEDIA media_keys']],
    ['the number of an upload', { media_keys: '42' }, ['INVALID_MEDIA_ID media_keys']],
    ['a card that there is not', { text: 'a', card_uri: 'card://7' }, ['CARD_NOT_FOUND card_uri']],
    ['an address that is no card', { text: 'a', card_uri: 'https://x' }, ['INVALID_PARAMETER card_uri']],
    ['another author', { text: 'a', as_user_id: '7' }, ['INVALID_USER_ID as_user_id']],
  ];
  for (const [why, params, expected] of refused) {
    test(`is refused with ${why}`, async () => {
      assert.deepEqual(errors(await place.post('draft_posts', params as never)), expected);
    });
  }

  test('is listed by author, 100 per page and at most 200', async () => {
    const own = await openFixture(world);
    const ben = world.keys.other_user_id!;
    await own.promotes(ben);
    const [mine, theirs] = [await draft({ text: 'a' }, own), await draft({ text: 'b', as_user_id: ben }, own)];
    const ids = async (params?: Params) =>
      (good(await own.get('draft_posts', params)) as unknown as Shown[]).map(({ id }) => id);
    assert.deepEqual(await ids(), [mine.id]);
    assert.deepEqual(await ids({ user_id: ben }), [theirs.id]);
    assert.deepEqual(errors(await own.get('draft_posts', { count: 201 })), ['INVALID_PARAMETER count']);
    for (let count = 0; count < 101; count++) await draft({ text: 'c' }, own);
    assert.equal((await ids()).length, 100);
  });

  test('is deleted permanently', async () => {
    const made = await draft({ text: 'a' });
    world.clock.advance(60);
    const gone = good(await place.remove(`draft_posts/${made.id}`)) as unknown as Shown;
    assert.deepEqual(gone, { ...made, status: 'DELETED', updated_at: gone.updated_at });
    assert.notEqual(gone.updated_at, made.updated_at);
    for (const reply of [
      await place.get(`draft_posts/${made.id}`, { with_deleted: true }),
      await put(made.id, { name: 'a' }),
      await place.remove(`draft_posts/${made.id}`),
      await world.sandbox.call('POST', `${place.path}/draft_posts/preview/${made.id}`),
    ]) {
      assert.equal(reply.status, 404);
      assert.deepEqual(reply.body.errors, [
        {
          code: 'NOT_FOUND',
          message: `Draft post ${made.id} was not found`,
          parameter: 'draft_post_id',
          value: made.id,
        },
      ]);
    }
  });
});

/** A browser in which a demo user is logged in. */
async function browserFor(user: 'ada' | 'ben'): Promise<Browser> {
  const browser = browserOf(world.service.url);
  const password = user === 'ada' ? world.keys.password! : world.keys.other_password!;
  await logIn(browser, { id: '', name: `${user}_demo`, password });
  return browser;
}

const addressIn = (reply: { body: { data: { preview: string }[] } }): string[] =>
  reply.body.data.map(({ preview }) => /^<iframe class='post-preview' src='([^']+)'><\/iframe>$/.exec(preview)![1]!);

describe('previews', () => {
  const POLICY =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'";

  test('of a draft are only for the calling user', async () => {
    const made = await draft({ text: 'Only for <you> & #me' });
    const asked = await world.sandbox.call('POST', `${place.path}/draft_posts/preview/${made.id}`);
    assert.equal(asked.status, 200);
    assert.deepEqual(asked.body, {
      request: { params: { account_id: place.account, draft_post_id: made.id } },
      message: 'Open the notifications of @ada_demo in the app to preview your post.',
    });
    const stored = await world.service.store.read((tx) => tx.notifications.list(world.keys.user_id!, 1));
    assert.equal(stored[0]!.subject_id, made.id);

    const [ada, ben] = [await browserFor('ada'), await browserFor('ben')];
    const told = await ada.get('/notifications');
    const link = linkOf(told.html, 'Preview of a draft')!;
    assert.match(told.html, new RegExp(`account ${place.account} \\(sandbox\\)`));
    const seen = await ada.get(link);
    assert.equal(seen.status, 200);
    assert.match(seen.html, /Only for &#60;you&#62; &#38; <span class="entity">#me<\/span>/);
    assert.match(seen.html, /<p class="state">Draft<\/p>/);
    assert.equal((await ben.get(link)).status, 404);
    assert.match((await ben.get('/notifications')).html, /No notifications yet/);
    const stranger = browserOf(world.service.url);
    const first = await stranger.get(link);
    assert.deepEqual([first.status, first.location?.split('?')[0]], [303, '/login']);
    const page = await stranger.get(first.location!);
    const on = await stranger.submit(page, {
      'session[username_or_email]': 'ada_demo',
      'session[password]': world.keys.password!,
    });
    assert.deepEqual([on.status, on.location], [303, link]);
    good(await place.remove(`draft_posts/${made.id}`));
    assert.equal((await ada.get(link)).status, 404);
  });

  test('are iframes in request order, without missing posts', async () => {
    const post = await place.post_({ text: 'Out', nullcast: false });
    const written = await draft({ text: 'Draft' });
    const later = good(await place.post('scheduled_posts', { text: 'Later', scheduled_at: '2026-09-01' }));
    const types = { PUBLISHED: post, DRAFT: written.id, SCHEDULED: later.id };
    for (const [post_type, id] of Object.entries(types)) {
      const reply = await place.get('post_previews', { post_type, post_ids: `9,${Object.values(types).join(',')}` });
      assert.deepEqual(
        reply.body.data.map((each: { post_id: string }) => each.post_id),
        [id],
      );
      const [address] = addressIn(reply);
      assert.ok(address!.startsWith(`${world.service.sandboxUrl}/ads-manager/post-preview/index.html?data=`));
      const page = await fetch(address!);
      assert.equal(page.status, 200);
      assert.equal(page.headers.get('content-security-policy'), POLICY);
      assert.equal(page.headers.get('x-frame-options'), null);
      assert.equal(page.headers.get('cache-control'), 'no-store');
      const html = await page.text();
      assert.match(html, /<h1><span class="name">Ada Demo<\/span> <span class="handle">@ada_demo<\/span><\/h1>/);
      assert.equal(/class="promoted"/.test(html), post_type !== 'PUBLISHED');
    }
    assert.deepEqual(errors(await place.get('post_previews')), [
      'MISSING_PARAMETER post_ids',
      'MISSING_PARAMETER post_type',
    ]);
  });

  test('cannot be forged, and do not show deleted posts', async () => {
    const id = (await draft({ text: 'a' })).id;
    const [address] = addressIn(await place.get('post_previews', { post_type: 'DRAFT', post_ids: id }));
    const url = new URL(address!);
    const sealed = url.searchParams.get('data')!;
    const last = sealed.at(-2) === 'A' ? 'B' : 'A';
    for (const made of ['', 'x', `${sealed.slice(0, -2)}${last}${sealed.at(-1)}`, `${sealed}A`, sealed.slice(0, -4)]) {
      url.searchParams.set('data', made);
      const page = await fetch(url);
      assert.equal(page.status, 404, made);
      assert.equal(page.headers.get('x-frame-options'), null, 'a frame says so too');
      await page.text();
    }
    good(await place.remove(`draft_posts/${id}`));
    const gone = await fetch(address!);
    assert.equal(gone.status, 404);
    await gone.text();
  });

  test('are not available for posts of other users', async () => {
    const theirs = (await world.other.call('POST', '/12/accounts')).body.data[0].id;
    const made = await world.other.call('POST', `/12/accounts/${theirs}/post`, { params: { text: 'Theirs' } });
    const reply = await place.get('post_previews', { post_type: 'PUBLISHED', post_ids: made.body.data.id });
    assert.deepEqual(reply.body.data, []);
  });

  test('load media only from the origin that serves it', async () => {
    const other = await openWorld({ flags: { rate_limits: 'off', media_base_url: 'https://media.lumen.example/m' } });
    try {
      const own = await openFixture(other);
      const post_ids = await own.post_({ media_keys: '7_1', video_title: 'Tour' });
      const [address] = addressIn(await own.get('post_previews', { post_type: 'PUBLISHED', post_ids }));
      const page = await fetch(address!);
      const origin = 'https://media.lumen.example';
      assert.equal(
        page.headers.get('content-security-policy'),
        `default-src 'none'; style-src 'self'; img-src 'self' ${origin} data:; media-src 'self' ${origin}; base-uri 'none'; form-action 'none'`,
      );
      assert.match(await page.text(), /<video src="https:\/\/media\.lumen\.example\/m\/post_video\/1\/vid\//);
    } finally {
      await other.close();
    }
  });
});
