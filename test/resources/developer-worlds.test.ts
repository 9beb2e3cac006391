import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { accountInput } from '../../src/app/account-input.ts';
import type { InputErrors } from '../../src/base/input-error.ts';
import { operationsById } from '../../src/cli/dev/start-world.ts';
import { worldSchema } from '../../src/dev/worlds/world-schema.ts';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import { clientOf } from '../rig/client.ts';
import { engine } from '../rig/databases.ts';
import { callDev } from '../rig/snapshots.ts';
import { openWorld, type World } from '../rig/world.ts';

const schema = worldSchema(operationsById, accountInput);
const fits = new Ajv2020({ strict: false }).compile(JSON.parse(JSON.stringify(schema)));

let world: World;
before(async () => {
  world = await openWorld({ world: 'src/dev/worlds/starter.yaml', flags: { sample_people: 200 } });
});
after(() => world?.close());

describe('the world of a file', () => {
  const account = () => `/12/accounts/${world.keys['accounts.bakery']}`;
  const list = async (path: string) => (await world.production.call('GET', account() + path)).body.data;

  test('has its accounts with their roles', async () => {
    const { body } = await world.production.call('GET', account());
    assert.deepEqual([body.data.name, body.data.timezone], ['Corner Bakery', 'Europe/London']);
    const ben = clientOf(world.service.url, { ...world.keys, ...tokenOf('other_') }, world.clock);
    const access = await ben.call('GET', `${account()}/authenticated_user_access`);
    assert.deepEqual(access.body.data.permissions, ['CAMPAIGN_ANALYST']);
  });

  test('has its campaigns, and what is in them', async () => {
    const campaigns = await list('/campaigns?sort_by=name-asc');
    assert.deepEqual(
      campaigns.map(({ name, entity_status, currency }: Record<string, string>) => [name, entity_status, currency]),
      [
        ['Mornings', 'ACTIVE', 'GBP'],
        ['People who come back', 'PAUSED', 'GBP'],
      ],
    );
    const [first, second] = await list('/line_items?sort_by=name-asc');
    assert.equal(first.id, world.keys['accounts.bakery.campaigns.mornings.line_items.neighbours']);
    assert.equal(first.start_time, '2026-03-03T17:04:55Z');
    assert.equal(second.objective, 'FOLLOWERS');
    const [criterion] = await list(`/targeting_criteria?line_item_ids=${first.id}`);
    assert.equal(criterion.targeting_value, 'AGE_25_TO_49');
    const promoted = await list('/promoted_posts');
    assert.deepEqual(
      promoted.map(({ post_id }: { post_id: string }) => post_id).sort(),
      ['opening', 'rye'].map((name) => world.keys[`accounts.bakery.posts.${name}`]).sort(),
    );
    assert.equal((await list('/promoted_accounts'))[0].user_id, world.keys.ada_user_id);
  });

  test('has sample people, who see its ads', async () => {
    const { people, users } = await world.service.store.read(async (tx) => ({
      people: await tx.directory.list(0, 1000),
      users: new Set([world.keys.ada_user_id, world.keys.ben_user_id]),
    }));
    assert.equal(people.length, 200);
    assert.ok(people.some(({ follows }) => follows.split(' ').some((each) => users.has(each))));
  });

  test('has the applications with their levels', async () => {
    const { reports_consumer_key: consumer_key, reports_consumer_secret: consumer_secret } = world.keys;
    const keys = { ...world.keys, ...tokenOf('reports_ben_') } as World['keys'];
    const reports = clientOf(
      world.service.url,
      { ...keys, consumer_key: consumer_key!, consumer_secret: consumer_secret! },
      world.clock,
    );
    assert.equal((await reports.call('GET', account())).status, 200);
    assert.equal((await reports.call('PUT', account(), { params: { name: 'X' } })).status, 403);
    assert.equal(world.keys.reports_ada_access_token, undefined);
  });

  test('goes back to its beginning, or to its users and applications', { skip: engine !== 'sqlite' }, async () => {
    const campaign = world.keys['accounts.bakery.campaigns.mornings'];
    const path = `${account()}/campaigns/${campaign}`;
    assert.equal((await world.production.call('DELETE', path)).status, 200);
    assert.equal((await callDev(world, 'POST', '/reset', { body: {} })).status, 200);
    assert.equal((await world.production.call('GET', path)).body.data.name, 'Mornings');
    assert.equal((await callDev(world, 'POST', '/reset', { body: { to: 'empty' } })).status, 200);
    assert.deepEqual((await world.production.call('GET', '/12/accounts')).body.data, []);
    await callDev(world, 'POST', '/reset', { body: {} });
  });

  test('has its history as if a caller had made it', async () => {
    const id = world.keys['accounts.bakery.campaigns.mornings'];
    const changes = await list(`/account_history?entity_type=CAMPAIGN&entity_id=${id}`);
    assert.equal(changes[0].change_by.user_id, world.keys.user_id);
  });
});

function tokenOf(prefix: string) {
  return {
    access_token: world.keys[`${prefix}access_token`]!,
    access_token_secret: world.keys[`${prefix}access_token_secret`]!,
  };
}

describe('a world of everything', () => {
  let full: World;
  let home: string;
  before(async () => {
    home = mkdtempSync(join(tmpdir(), 'barker-wide-'));
    copyFileSync('test/resources/wide-world.yaml', join(home, 'world.yaml'));
    writeFileSync(join(home, 'icon.png'), placeholderImage(8, 8));
    full = await openWorld({ world: join(home, 'world.yaml'), flags: { audience_size_min: 1 } });
  });
  after(async () => {
    await full?.close();
    rmSync(home, { recursive: true });
  });
  const list = async (path: string) => {
    const reply = await full.production.call('GET', `/12/accounts/18ce54d4x5t/${path}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data;
  };

  test('has the keys, the names and the id that were given', async () => {
    const { username, password, consumer_key, access_token, access_token_secret } = full.keys;
    assert.deepEqual(
      [username, password, consumer_key, access_token, access_token_secret],
      ['ada_b', 'my-password', 'my-key', 'my-token', 'my-token-secret'],
    );
    const { body } = await full.production.call('GET', '/1.1/account/verify_credentials.json');
    assert.deepEqual([body.screen_name, body.location], ['ada_b', 'Lisbon']);
    assert.deepEqual(await list('features'), ['AGE_TARGETING']);
    assert.equal((await list('funding_instruments')).length, 2);
    assert.deepEqual(
      (await list('promotable_users'))
        .map((each: { promotable_user_type: string }) => each.promotable_user_type)
        .sort(),
      ['FULL', 'REPOSTS_ONLY'],
    );
  });

  test('has media, and cards and posts that show them', async () => {
    const media = await list('media_library');
    assert.deepEqual(
      media.map(({ media_status }: { media_status: string }) => media_status),
      ['TRANSCODE_COMPLETED', 'TRANSCODE_COMPLETED'],
    );
    const [card] = await list('cards');
    assert.equal(card.components[0].media_key, full.keys['accounts.bakery.media.loaf']);
    const posts = await list('posts?post_type=PUBLISHED');
    assert.equal(posts.find(({ name }: { name: string }) => name === 'Order').card_uri, card.card_uri);
    assert.equal((await list('draft_posts')).length, 1);
    assert.equal((await list('scheduled_posts'))[0].scheduled_at, '2026-03-04T17:04:00Z');
    assert.equal((await list('scheduled_promoted_posts')).length, 1);
    assert.equal((await list('promoted_posts')).length, 2);
    assert.equal((await list('tracking_tags'))[0].tracking_tag_type, 'CLICK_TRACKER');
  });

  test('has audiences with their people, hashed as callers do', async () => {
    const id = full.keys['accounts.bakery.custom_audiences.regulars'];
    const subject = `audience:${id}` as const;
    const [first, ...others] = await full.service.store.read((tx) => tx.audienceLog.findAfter(subject, 0, 65_536));
    assert.deepEqual([first?.records, others], [2, []]);
    assert.equal((await list('do_not_reach_lists')).length, 1);
  });

  test('is exported, and the same again when it begins with its export', async () => {
    const first = await callDev(full, 'GET', '/world?with_keys=true');
    assert.equal(first.status, 200);
    assert.deepEqual(first.body.left_out, ['people in audiences']);
    assert.equal(fits(first.body.world), true, JSON.stringify(fits.errors));
    const { bakery } = first.body.world.accounts;
    assert.deepEqual(bakery.cards.loaf.components[0], { type: 'MEDIA', media: 'loaf' });
    assert.deepEqual(bakery.campaigns.spring.line_items.line_item.promoted_posts, ['order', 'post']);
    assert.equal(bakery.posts.post.card, 'which');
    const file = join(home, 'exported.json');
    writeFileSync(file, JSON.stringify(first.body.world));
    const again = await openWorld({ world: file });
    try {
      const second = await callDev(again, 'GET', '/world?with_keys=true');
      assert.deepEqual(second.body.world, first.body.world);
      assert.equal(again.keys['accounts.bakery'], '18ce54d4x5t');
    } finally {
      await again.close();
    }
  });

  test('is exported without secrets unless they are asked for', async () => {
    const { body } = await callDev(full, 'GET', '/world');
    const text = JSON.stringify(body);
    for (const secret of ['my-key', 'my-secret', 'my-token', 'my-password']) assert.ok(!text.includes(secret), secret);
    for (const [query, code] of [
      ['keys=true', 'PARAMETER_UNKNOWN'],
      ['with_keys=yes', 'INVALID'],
    ]) {
      const refused = await callDev(full, 'GET', `/world?${query}`);
      assert.deepEqual([refused.status, refused.body.error.code], [400, code]);
    }
  });

  test('is refused as a whole when a file of it is not there', async () => {
    rmSync(join(home, 'icon.png'));
    await assert.rejects(openWorld({ world: join(home, 'world.yaml') }), (error: InputErrors) => {
      assert.deepEqual(error.errors, [
        `${join(home, 'world.yaml')}:26: accounts.bakery.media.icon.file: cannot be read in ${home}`,
      ]);
      return true;
    });
  });
});
