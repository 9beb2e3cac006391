import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { errors, good, openFixture, type Params, type PostFixture } from './post-calls.ts';

/** What was taken out of the library, and what is still being processed. */
const [GONE, PENDING] = ['3_9001', '7_9002'];

let world: World;
let place: PostFixture;
let draft: string;
let scheduled: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
  good(await place.post('media_library', { media_key: GONE }));
  good(await place.remove(`media_library/${GONE}`));
  const now = '2026-03-02T00:00:00Z';
  const unmeasured = {
    width: null,
    height: null,
    duration_ms: null,
    codec: null,
    poster_mime: null,
    object_key: null,
    poster_key: null,
    fault: null,
    expires_at: null,
  };
  const kind = { category: 'POST_VIDEO', media_type: 'VIDEO', state: 'pending', mime: 'video/mp4' } as const;
  const owner = { user_id: world.keys.user_id!, additional_owners: [], is_categorized: true };
  const file = { id: '9002', bytes: 5, file_name: '0123456789abcdef', created_at: now, changed_at: now };
  await world.service.store.write((tx) => tx.uploads.add({ ...file, ...kind, ...owner, ...unmeasured }));
  good(await place.post('media_library', { media_key: PENDING }));
  draft = good(await place.post('draft_posts', { text: 'a' })).id;
  scheduled = good(await place.post('scheduled_posts', { text: 'a', scheduled_at: '2026-09-01' })).id;
});
after(() => world.close());

const INVALID = 'INVALID_MEDIA media_keys';

describe('unusable media and cards are rejected by every call', () => {
  const many = '3_1,3_2,3_3,3_4,3_5';
  const input: [end: () => string, method: 'POST' | 'PUT', params: Params, errors: string[]][] = [
    ...[GONE, PENDING].flatMap((media_keys): [() => string, 'POST' | 'PUT', Params, string[]][] => [
      [() => 'post', 'POST', { media_keys }, [INVALID]],
      [() => 'draft_posts', 'POST', { media_keys }, [INVALID]],
      [() => `draft_posts/${draft}`, 'PUT', { media_keys }, [INVALID]],
      [() => 'scheduled_posts', 'POST', { media_keys, scheduled_at: '2026-09-01' }, [INVALID]],
      [() => `scheduled_posts/${scheduled}`, 'PUT', { media_keys }, [INVALID]],
    ]),
    [() => `draft_posts/${draft}`, 'PUT', { media_keys: '3_1,16_1' }, [INVALID]],
    [() => `scheduled_posts/${scheduled}`, 'PUT', { media_keys: many }, [INVALID]],
    [() => `scheduled_posts/${scheduled}`, 'PUT', { scheduled_at: '2029-01-01' }, ['INVALID_PARAMETER scheduled_at']],
  ];
  for (const [end, method, params, expected] of input) {
    test(`${method} ${JSON.stringify(params)}`, async () => {
      const reply = await world.sandbox.call(method, `${place.path}/${end()}`, { params });
      assert.equal(reply.status, 400, reply.text);
      assert.deepEqual(errors(reply), expected);
    });
  }

  test('so are authors of scheduled posts', async () => {
    assert.deepEqual(errors(await place.get('scheduled_posts', { user_id: '7' })), ['INVALID_USER_ID user_id']);
  });
});
