// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { openWorld, type World } from '../rig/world.ts';
import { good, openFixture, type Params, type PostFixture } from './post-calls.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
let chromium: Chromium;
let place: PostFixture;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

/** The frame of a post, as the interface gives it. */
async function frameOf(post_type: string, post_ids: string): Promise<string> {
  return (await place.get('post_previews', { post_type, post_ids })).body.data[0].preview;
}

const addressIn = (frame: string): string => /src='([^']+)'/.exec(frame)![1]!;

const draft = async (params: Params) => frameOf('DRAFT', good(await place.post('draft_posts', params as never)).id);
const publish = async (params: Params) => frameOf('PUBLISHED', await place.post_(params));

const TEXT =
  'Fresh roast on Friday\nwith @ada_demo: #beans $LUM https://www.lumen.example/a/very/long/path/of/words \u{1f600}';

async function poll(): Promise<string> {
  const choices = { name: 'Vote', first_choice: 'Light', second_choice: 'Dark', duration_in_minutes: 60 };
  const card = good(await place.post('cards/poll', choices as never)) as unknown as { card_uri: string };
  return publish({ text: 'Vote', card_uri: card.card_uri });
}

/** Every kind of post, and its frame. */
const POSTS: readonly (readonly [name: string, frame: () => Promise<string>])[] = [
  ['a draft with everything in its text', () => draft({ text: TEXT })],
  ['a post with one image', () => publish({ text: 'One', media_keys: '3_1' })],
  ['a post with three images', () => publish({ text: 'Three', media_keys: '3_1,3_2,3_3' })],
  ['a post with four images and no text', () => publish({ media_keys: '3_1,3_2,3_3,3_4' })],
  [
    'a post with a video and its title',
    () => publish({ media_keys: '13_1', video_title: 'Tour', video_description: 'In' }),
  ],
  ['a post with a GIF, for everybody', () => publish({ text: 'GIF', media_keys: '16_1', nullcast: false })],
  ['a post with a poll', poll],
  [
    'a scheduled post in another direction',
    async () => {
      const text = '\u05e9\u05dc\u05d5\u05dd \u05dc\u05db\u05d5\u05dc\u05dd';
      const made = await place.post('scheduled_posts', { text, scheduled_at: '2026-09-01T08:30:00Z' });
      return frameOf('SCHEDULED', good(made).id);
    },
  ],
  ['a very long word', () => draft({ text: 'x'.repeat(280) })],
];

/** What cannot be decided by a program: nobody gave captions to a video. */
const UNDECIDED = /^video-caption: /;

const complaints = (tab: Tab): string[] => {
  const entries = tab.log.filter(({ method }) => method === 'Log.entryAdded').map(({ params }) => params.entry.text);
  return (entries as string[]).filter((text) => /Content Security Policy|Refused/.test(text));
};

describe('post previews are accessible', () => {
  for (const [name, frame] of POSTS) {
    test(name, async () => {
      const tab = await chromium.tab();
      await tab.open(addressIn(await frame()));
      assert.equal(await tab.look('document.querySelectorAll("h1").length'), 1);
      assert.match(await tab.look('getComputedStyle(document.querySelector("article")).borderRadius'), /px/);
      await tab.look(AXE);
      for (const scheme of ['light', 'dark']) {
        const features = [{ name: 'prefers-color-scheme', value: scheme }];
        await tab.send('Emulation.setEmulatedMedia', { features });
        for (const width of [320, 390, 1280]) {
          const size = { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 };
          await tab.send('Emulation.setDeviceMetricsOverride', size);
          assert.ok((await tab.look('document.documentElement.scrollWidth')) <= width, `wider than ${width}`);
        }
        const found = await tab.look(`axe.run(document, { resultTypes: ['violations', 'incomplete'] }).then(
          ({ passes, violations, incomplete }) => ({
            passes: passes.length,
            wrong: [...violations, ...incomplete].flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
          }))`);
        assert.ok(found.passes > 5, 'the rules were applied');
        assert.deepEqual(
          (found.wrong as string[]).filter((each) => !UNDECIDED.test(each)),
          [],
          scheme,
        );
      }
      assert.deepEqual(complaints(tab), []);
      await tab.close();
    });
  }
});

test('a third-party page can embed the iframe', async () => {
  const frame = await publish({ text: 'In a frame' });
  const host = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Mine</title>${frame}`);
  });
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  try {
    const tab = await chromium.tab();
    await tab.open(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
    const { frameTree } = await tab.send('Page.getFrameTree');
    const inner = frameTree.childFrames[0].frame;
    assert.equal(inner.url, addressIn(frame));
    const { executionContextId } = await tab.send('Page.createIsolatedWorld', { frameId: inner.id });
    const { result } = await tab.send('Runtime.evaluate', {
      expression: 'document.querySelector(".text").textContent',
      contextId: executionContextId,
    });
    assert.equal(result.value, 'In a frame');
    assert.deepEqual(complaints(tab), []);
    await tab.close();
  } finally {
    host.closeAllConnections();
    host.close();
  }
});
