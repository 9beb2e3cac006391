// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addToLibrary, VIDEO } from '../rig/uploaded.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let path: string;
/** Media by what is wrong with it. */
let keys: Record<string, string>;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  const home = await openAccount(world.sandbox);
  path = home.path;
  await world.service.store.write((tx) => tx.accountMembers.addFeatures(home.account, ['PROMOTED_MEDIA_POLLS']));
  const gone = await addToLibrary(world, path, '1');
  await world.sandbox.call('DELETE', `${path}/media_library/${gone}`);
  keys = {
    gone,
    pending: await addToLibrary(world, path, '2', { state: 'pending' }),
    animated: '16_99',
    narrow: await addToLibrary(world, path, '3', { width: 700, height: 700 }),
    large: await addToLibrary(world, path, '4', { bytes: 4_000_000 }),
    tall: await addToLibrary(world, path, '5', { width: 1000, height: 2000 }),
    tallFilm: await addToLibrary(world, path, '6', { ...VIDEO, width: 720, height: 1280 }),
  };
});
after(() => world.close());

const website = { type: 'WEBSITE', url: 'https://lumen.example/' };
const built = (media_key: string) => ({
  json: {
    name: 'a',
    components: [
      { type: 'MEDIA', media_key },
      { type: 'DETAILS', title: 'a', destination: website },
    ],
  },
});
const poll = (media_key: string) => ({
  params: { name: 'a', first_choice: 'a', second_choice: 'b', duration_in_minutes: 5, media_key },
});
const talk = { name: 'a', title: 'a', first_cta: '#a', first_cta_post: 'a', thank_you_text: 'a' };
const ofImage = (unlocked_image_media_key: string) => ({
  params: { ...talk, media_key: '3_42', unlocked_image_media_key },
});
const ofFilm = (unlocked_image_media_key: string) => ({
  params: { ...talk, media_key: '13_42', unlocked_image_media_key },
});

const FAMILIES = [
  ['', built, '3_42', true],
  ['/poll', poll, '3_42', false],
  ['/image_conversation', ofImage, '3_42', true],
  ['/video_conversation', ofFilm, '3_42', true],
] as const;

const FAULTS = [
  ['gone', 'INVALID_MEDIA', /^Invalid media key: MediaKey\(PostImage,1\)$/],
  ['pending', 'INVALID_MEDIA', /^Media 3_2 is not transcoded$/],
  ['animated', 'INVALID_MEDIA', /^Expected media of type IMAGE(, VIDEO)?, got GIF/],
  ['narrow', 'INVALID_IMAGE', /^Expected an image at least 800 pixels wide, got 700/],
  ['tall', 'INVALID_MEDIA', /^Expected media of ratio .*, got 1000x2000/],
] as const;

for (const [end, sent, good, isChangeable] of FAMILIES) {
  describe(`media of cards${end}`, () => {
    for (const [input, code, message] of FAULTS) {
      test(`${input}: ${code}`, async () => {
        const refused = [await world.sandbox.call('POST', `${path}/cards${end}`, sent(keys[input]!))];
        if (isChangeable) {
          const { id } = (await world.sandbox.call('POST', `${path}/cards${end}`, sent(good))).body.data;
          refused.push(await world.sandbox.call('PUT', `${path}/cards${end}/${id}`, sent(keys[input]!)));
        }
        for (const reply of refused) {
          assert.equal(reply.status, 400, reply.text);
          assert.equal(reply.body.errors[0].code, code);
          assert.match(reply.body.errors[0].message, message);
        }
      });
    }
  });
}

test('an update with a too large image is rejected', async () => {
  const { id } = (await world.sandbox.call('POST', `${path}/cards`, built('3_42'))).body.data;
  const reply = await world.sandbox.call('PUT', `${path}/cards/${id}`, built(keys.large!));
  assert.equal(reply.body.errors[0].code, 'INVALID_IMAGE');
});

test('a video of the wrong aspect ratio is rejected for conversation cards', async () => {
  const params = { ...talk, media_key: keys.tallFilm! };
  const reply = await world.sandbox.call('POST', `${path}/cards/video_conversation`, { params });
  assert.equal(reply.body.errors[0].message, 'Expected media of ratio 16:9, got 720x1280 for media_key');
});
