import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDependencies } from '../../src/app/dependencies.ts';
import { startListeners } from '../../src/app/server.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { publicationJob } from '../../src/features/ads/posts/publication-job.ts';
import { scheduledPosts } from '../../src/features/ads/scheduled-posts.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { anotherNode } from '../rig/nodes.ts';
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
const at = (seconds: number): string => formatInstant(world.clock.now() + seconds * 1000);
const schedule = (params: Params = {}, of = place) =>
  of.post('scheduled_posts', { text: 'Open until noon', scheduled_at: at(3600), ...params } as never);
const scheduled = async (params: Params = {}, of = place): Promise<Shown> => good(await schedule(params, of)) as never;
const read = async ({ id }: Shown, of = place): Promise<Shown> => good(await of.get(`scheduled_posts/${id}`)) as never;
/** What was published on an account. Lists are of authors, whatever account they posted on. */
const published = async (of = place): Promise<Shown[]> => {
  const all = good(await of.get('posts', { post_type: 'PUBLISHED', timeline_type: 'ALL' })) as unknown as Shown[];
  const ids = all.map(({ id }) => id);
  const stored = await world.service.store.read((tx) => tx.posts.list('sandbox', ids));
  const own = new Set(stored.filter((post) => post.account_id === of.account).map(({ id }) => id));
  return all.filter(({ id }) => own.has(id));
};
const due = async (seconds: number, jobs: JobRunner = world.service.jobs): Promise<void> => {
  world.clock.advance(seconds);
  await jobs.runDue();
};

describe('a scheduled post', () => {
  test('is returned as sent, without seconds', async () => {
    const made = await scheduled({ scheduled_at: '2026-12-24T08:30:59Z', media_keys: '3_1730012345678901248' });
    assert.match(made.id, /^\d{19}$/);
    assert.deepEqual(made, {
      id: made.id,
      name: null,
      text: 'Open until noon',
      user_id: world.keys.user_id,
      nullcast: true,
      scheduled_at: '2026-12-24T08:30:00Z',
      scheduled_status: 'SCHEDULED',
      completed_at: null,
      post_id: null,
      card_uri: null,
      media_keys: ['3_1730012345678901248'],
      created_at: at(0),
      updated_at: at(0),
    });
    assert.equal((await scheduled({ scheduled_at: '2026-12-24' })).scheduled_at, '2026-12-24T00:00:00Z');
  });

  /** What is given, and what is said to it. */
  const input: [why: string, params: () => Params, errors: string[]][] = [
    [
      'a minute ahead',
      () => ({ scheduled_at: formatInstant(Math.ceil(world.clock.now() / 60_000) * 60_000 + 60_000) }),
      [],
    ],
    ['less than a minute ahead', () => ({ scheduled_at: at(59) }), ['INVALID_PARAMETER scheduled_at']],
    ['a minute ahead but for its seconds', () => ({ scheduled_at: at(62) }), ['INVALID_PARAMETER scheduled_at']],
    ['in the past', () => ({ scheduled_at: '2026-01-01' }), ['INVALID_PARAMETER scheduled_at']],
    ['365 days ahead', () => ({ scheduled_at: at(365 * 86_400) }), []],
    ['a day more', () => ({ scheduled_at: at(366 * 86_400) }), ['INVALID_PARAMETER scheduled_at']],
    ['no text', () => ({ text: '' }), ['POST_CANNOT_BE_BLANK text']],
    ['media alone', () => ({ text: '', media_keys: '3_1' }), []],
    ['media that does not go together', () => ({ media_keys: '3_1,7_2' }), []],
    ['five keys', () => ({ media_keys: '3_1,3_2,3_3,3_4,3_5' }), ['INVALID_MEDIA media_keys']],
    ['a key that is none', () => ({ media_keys: '4_1' }), ['INVALID_MEDIA_ID media_keys']],
    ['a card that there is not', () => ({ card_uri: 'card://7' }), []],
    ['another author', () => ({ as_user_id: '7' }), ['INVALID_USER_ID as_user_id']],
    ['for everybody', () => ({ nullcast: false }), []],
  ];
  for (const [why, params, expected] of input) {
    test(`with ${why} is ${expected.length > 0 ? 'refused' : 'taken'}`, async () => {
      assert.deepEqual(errors(await schedule(params())), expected);
    });
  }

  test('is limited to 30 per quarter of an hour', async () => {
    const own = await openFixture(world);
    const fill = (minute: number) => schedule({ scheduled_at: `2026-07-01T10:${minute}:00Z` }, own);
    for (let count = 0; count < 30; count++) good(await fill(15 + (count % 15)));
    const refused = await fill(29);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'SCHEDULED_POST_LIMIT_EXCEEDED',
        message: `Account ${own.account} cannot have more than 30 scheduled posts from 2026-07-01T10:15:00Z to 2026-07-01T10:30:00Z`,
        parameter: 'scheduled_at',
      },
    ]);
    for (const minute of [14, 30]) {
      const { id } = good(await fill(minute)) as unknown as Shown;
      assert.deepEqual(errors(await own.put(`scheduled_posts/${id}`, { scheduled_at: '2026-07-01T10:20:00Z' })), [
        'SCHEDULED_POST_LIMIT_EXCEEDED scheduled_at',
      ]);
    }
    const [first] = good(await own.get('scheduled_posts')) as unknown as Shown[];
    good(await own.put(`scheduled_posts/${first!.id}`, { name: 'Same time' }));
    good(await place.post('scheduled_posts', { text: 'a', scheduled_at: '2026-07-01T10:20:00Z' }));
  });

  test('can be updated except for its author', async () => {
    const made = await scheduled({ name: 'A', media_keys: '3_1' });
    world.clock.advance(30);
    const params = { text: 'New', name: '', media_keys: '', nullcast: false, scheduled_at: at(7200) };
    const changed = good(await place.put(`scheduled_posts/${made.id}`, params)) as unknown as Shown;
    assert.deepEqual(changed, {
      ...made,
      text: 'New',
      name: null,
      media_keys: [],
      nullcast: false,
      scheduled_at: changed.scheduled_at,
      updated_at: at(0),
    });
    assert.deepEqual(errors(await place.put(`scheduled_posts/${made.id}`, { text: ' ' })), [
      'POST_CANNOT_BE_BLANK text',
    ]);
  });

  test('is deleted permanently, with its promotions', async () => {
    const line_item_id = await place.line();
    const made = await scheduled();
    const promotion = good(
      await place.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: made.id }),
    ) as unknown as Shown;
    world.clock.advance(5);
    const gone = good(await place.remove(`scheduled_posts/${made.id}`));
    assert.deepEqual(gone, { ...made, scheduled_status: 'DELETED', updated_at: at(0) });
    assert.equal((await place.get(`scheduled_posts/${made.id}`)).status, 404);
    assert.equal((await place.get(`scheduled_promoted_posts/${promotion.id}`)).status, 404);
    const shown = good(await place.get(`scheduled_promoted_posts/${promotion.id}`, { with_deleted: true }));
    assert.deepEqual(shown, { ...promotion, deleted: true, updated_at: at(0) });
    assert.equal(
      await world.service.store.read((tx) => tx.jobs.find(publicationJob.name, `${place.account}/${made.id}`)),
      undefined,
    );
  });
});

describe('publication', () => {
  test('happens once at its time, with all content', async () => {
    const own = await openFixture(world);
    const made = await scheduled({ name: 'Noon', media_keys: '3_81,3_82', nullcast: false }, own);
    const line_item_id = await own.line();
    const promotion = good(
      await own.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: made.id }),
    ) as unknown as Shown;
    await due(3500 - 60);
    assert.equal((await read(made, own)).scheduled_status, 'SCHEDULED');
    await due(160);
    const [post, ...others] = await published(own);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [post!.full_text, post!.name, post!.nullcast, post!.post_type],
      ['Open until noon', 'Noon', false, 'PUBLISHED'],
    );
    const done = { scheduled_status: 'SUCCESS', completed_at: at(0), updated_at: at(0), post_id: post!.id };
    assert.deepEqual(await read(made, own), { ...made, ...done });
    const told = good(await own.get(`scheduled_promoted_posts/${promotion.id}`)) as unknown as Shown;
    assert.deepEqual(told, { ...promotion, post_id: post!.id, updated_at: at(0) });
    const [promoted] = good(await own.get('promoted_posts', { line_item_ids: line_item_id })) as unknown as Shown[];
    assert.deepEqual([promoted!.post_id, promoted!.line_item_id], [post!.id, line_item_id]);
    const history = await own.get('account_history', { entity_type: 'PROMOTED_POST', entity_id: promoted!.id });
    assert.equal((good(history) as unknown as Shown[])[0]!.change_type, 'CREATE');
    const shelved = good(await own.get('media_library/3_82')) as unknown as Shown;
    assert.equal(shelved.posted, true);
    await due(86_400);
    assert.equal((await published(own)).length, 1);
    for (const reply of [
      await own.put(`scheduled_posts/${made.id}`, { name: 'x' }),
      await own.remove(`scheduled_posts/${made.id}`),
    ]) {
      assert.deepEqual([reply.status, errors(reply)], [403, ['ACTION_NOT_ALLOWED']]);
    }
    const late = await own.remove(`scheduled_promoted_posts/${promotion.id}`);
    assert.deepEqual([late.status, errors(late)], [403, ['ACTION_NOT_ALLOWED']]);
  });

  test('follows a changed time', async () => {
    const own = await openFixture(world);
    const made = await scheduled({}, own);
    good(await own.put(`scheduled_posts/${made.id}`, { scheduled_at: at(7200) }));
    await due(3600);
    assert.equal((await published(own)).length, 0);
    await due(3600);
    assert.equal((await published(own)).length, 1);
  });

  test('prevents updates from its time on, even before it has run', async () => {
    const own = await openFixture(world);
    const made = await scheduled({}, own);
    const line_item_id = await own.line();
    const promotion = good(await own.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: made.id }));
    await world.service.store.write((tx) => tx.jobs.cancel(publicationJob.name, `${own.account}/${made.id}`));
    world.clock.advance(3600);
    assert.deepEqual(errors(await own.put(`scheduled_posts/${made.id}`, { name: 'x' })), ['ACTION_NOT_ALLOWED']);
    assert.deepEqual(errors(await own.remove(`scheduled_promoted_posts/${promotion.id}`)), ['ACTION_NOT_ALLOWED']);
  });

  /** What is not judged before, and fails then. */
  const failing: [why: string, params: Params][] = [
    ['media that does not go together', { media_keys: '3_1,16_2' }],
    ['a card beside media', { media_keys: '3_1', card_uri: 'card://7' }],
    ['a card that there is not', { card_uri: 'card://7' }],
  ];
  for (const [why, params] of failing) {
    test(`fails with ${why}, and reports when`, async () => {
      const own = await openFixture(world);
      const made = await scheduled(params, own);
      const line_item_id = await own.line();
      const promotion = good(await own.post('scheduled_promoted_posts', { line_item_id, scheduled_post_id: made.id }));
      await due(3600);
      const failed = { scheduled_status: 'FAILED', completed_at: at(0), updated_at: at(0), post_id: null };
      assert.deepEqual(await read(made, own), { ...made, ...failed });
      assert.deepEqual(await published(own), []);
      assert.equal((good(await own.get(`scheduled_promoted_posts/${promotion.id}`)) as unknown as Shown).post_id, null);
      assert.deepEqual(good(await own.get('promoted_posts')), []);
      assert.deepEqual(errors(await own.remove(`scheduled_posts/${made.id}`)), ['ACTION_NOT_ALLOWED']);
    });
  }

  test('fails for a deleted account', async () => {
    const own = await openFixture(world);
    const made = await scheduled({}, own);
    good(await world.sandbox.call('DELETE', own.path));
    await due(3600);
    const key = { account: own.account, id: made.id };
    const row = await world.service.store.read((tx) => tx.records.get(scheduledPosts, key, { deleted: 'hidden' }));
    assert.deepEqual([row!.scheduled_status, row!.post_id], ['FAILED', null]);
  });

  test('is taken over once from a killed worker', async () => {
    const own = await openFixture(world);
    const { store } = world.service;
    const made = await scheduled({}, own);
    world.clock.advance(3600);
    const taken = {
      kinds: [publicationJob.name],
      now: at(0),
      node: 'dead',
      lease: 'of the dead',
      lease_s: 60,
      max: 10,
    };
    const [job] = await store.write((tx) => tx.jobs.take(taken));
    const prepared = await publicationJob.prepare!(job!, world.service.services, new AbortController().signal);
    await due(0);
    assert.equal((await read(made, own)).scheduled_status, 'SCHEDULED');
    await store.write((tx) => tx.jobs.renew([job!], 0));
    await due(0);
    assert.equal((await published(own)).length, 1);
    // The dead one rises: what it did is not stored.
    await store.write(async (tx) => {
      if (await tx.jobs.finish(job!)) await publicationJob.store(tx, job!, prepared, at(0));
    });
    assert.equal((await published(own)).length, 1);
  });

  test('by several runners at once makes one post of each', async () => {
    const own = await openFixture(world);
    for (let count = 0; count < 12; count++) await scheduled({ text: `Post ${count}` }, own);
    const { store, services } = world.service;
    const parts = { store, services, clock: world.clock, random: secureRandom, kinds: [publicationJob] };
    const failures: unknown[] = [];
    const runners = [1, 2, 3].map(
      (number) =>
        new JobRunner({
          ...parts,
          node: anotherNode(`node ${number}`),
          onEnded() {},
          onFailed: (_, error) => void failures.push(error),
        }),
    );
    world.clock.advance(3600);
    await Promise.all(runners.map((runner) => runner.runDue()));
    await Promise.all(runners.map((runner) => runner.stop()));
    assert.deepEqual(failures, []);
    const texts = (await published(own)).map(({ full_text }) => full_text);
    assert.equal(texts.length, 12);
    assert.equal(new Set(texts).size, 12);
  });
});

test('posts scheduled before a restart are published after it', async () => {
  const first = await openWorld({ flags: { rate_limits: 'off' } });
  try {
    const own = await openFixture(first);
    const made = good(
      await own.post('scheduled_posts', { text: 'Later', scheduled_at: '2026-03-03' }),
    ) as unknown as Shown;
    const { settings } = first.service;
    await first.stop();
    first.clock.advance(86_400);
    const parts = await openDependencies('dev', settings, { clock: first.clock });
    const second = await startListeners('dev', parts);
    try {
      await second.jobs.runDue();
      const key = { account: own.account, id: made.id };
      const row = await second.store.read((tx) => tx.records.get(scheduledPosts, key, { deleted: 'hidden' }));
      assert.equal(row!.scheduled_status, 'SUCCESS');
      assert.equal((await second.store.read((tx) => tx.posts.find('sandbox', row!.post_id!)))!.text, 'Later');
    } finally {
      await second.close();
    }
  } finally {
    await first.place.remove();
  }
});
