import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rounds } from '../rig/sampling.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const ROUNDS = rounds(25);
/** How many use the media that one removes. */
const USES = 6;

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

test('media that is removed while a post is created is either used or rejected', async () => {
  const { path } = await openAccount(world.sandbox);
  const { user_id } = world.keys;
  for (let round = 0; round < ROUNDS; round++) {
    const { body } = await upload(world.sandbox, JPEG, { media_type: 'image/jpeg', media_category: 'post_image' });
    const { media_key } = body;
    const add = () => world.sandbox.call('POST', `${path}/media_library`, { params: { media_key } });
    assert.equal((await add()).status, 200);
    const params = { text: `Round ${round}`, as_user_id: user_id!, media_keys: media_key };
    const post = () => world.sandbox.call('POST', `${path}/post`, { params });
    const uses = Array.from({ length: USES }, (_, index) => (index % 2 === 0 ? post() : add()));
    const [removed, ...used] = await Promise.all([
      world.sandbox.call('DELETE', `${path}/media_library/${media_key}`),
      ...uses,
    ]);
    assert.equal(removed.status, 200, removed.text);
    for (const { status, text } of used) assert.ok([200, 400].includes(status), text);
    const { status } = await add();
    assert.equal(status, 400, 'it is gone for good');
  }
});
