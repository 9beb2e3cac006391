// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { openWorld, type World } from '../rig/world.ts';
import { openFixture, type Params, type PostFixture } from './post-calls.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let world: World;
let chromium: Chromium;
let place: PostFixture;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openFixture(world);
  path = `/12/accounts/${place.account}`;
  await world.service.store.write((tx) => tx.accountMembers.addFeatures(place.account, ['PROMOTED_MEDIA_POLLS']));
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

const media = (media_key: string) => ({ type: 'MEDIA', media_key });
const details = {
  type: 'DETAILS',
  title: 'Beans from <b>Kenya</b> & Peru',
  destination: { type: 'WEBSITE', url: 'https://www.lumen.example/kenya?a="b"' },
};
const destination = { type: 'APP', country_code: 'CA', android_store_app_id: 'com.example.lumen' };
const button = { type: 'BUTTON', label: { type: 'ENUM', value: 'ORDER' }, destination };
const swipe = { type: 'SWIPEABLE_MEDIA', media_keys: ['3_1', '13_2', '3_3'] };
const talk = {
  title: 'Pick a "side"',
  first_cta: '#TeamFilter',
  first_cta_post: 'Filter <all> day',
  second_cta: '#TeamPress',
  second_cta_post: 'Press',
  thank_you_text: 'Enjoy your cup',
  thank_you_url: 'https://lumen.example/',
  unlocked_image_media_key: '3_9',
};
const poll = { first_choice: 'Light', second_choice: 'Dark <3', third_choice: 'Neither', duration_in_minutes: 5 };

interface Shown {
  readonly name: string;
  readonly end: string;
  readonly sent: Readonly<Record<string, unknown>>;
  /** A text that only this card has. */
  readonly says: string;
  readonly wait_s?: number;
}

const built = (name: string, sent: Shown['sent'], says: string): Shown => ({ name, end: '/cards', sent, says });

const SHOWN: readonly Shown[] = [
  built('an image that leads to a page', { components: [media('3_1'), details] }, 'Beans from <b>Kenya</b> & Peru'),
  built('a video that leads to a page', { components: [media('13_1'), details] }, 'lumen.example'),
  built('the text first', { components: [details, media('3_1')] }, 'Beans from'),
  built('an image of an application', { components: [media('3_1'), button] }, 'Order'),
  built('a carousel of an application', { components: [swipe, button] }, 'com.example.lumen'),
  built('a carousel of a page', { components: [swipe, details] }, 'Beans from'),
  built(
    'slides',
    {
      slides: [
        [media('3_1'), details],
        [media('13_1'), details],
        [details, media('3_2')],
      ],
    },
    'Kenya',
  ),
  { name: 'a poll', end: '/cards/poll', sent: poll, says: 'Closes' },
  { name: 'a poll of an image', end: '/cards/poll', sent: { ...poll, media_key: '3_1' }, says: 'Dark <3' },
  {
    name: 'a poll of a video, closed',
    end: '/cards/poll',
    sent: { ...poll, media_key: '13_1' },
    says: 'Closed',
    wait_s: 300,
  },
  {
    name: 'a conversation of a video',
    end: '/cards/video_conversation',
    sent: { ...talk, media_key: '13_1', poster_media_key: '3_5', unlocked_video_media_key: '13_6' },
    says: 'Filter <all> day',
  },
  {
    name: 'a conversation of an image',
    end: '/cards/image_conversation',
    sent: { ...talk, media_key: '3_1' },
    says: 'Pick a "side"',
  },
];

/** The address of the preview of a post with a card. */
async function previewOf({ name, end, sent, wait_s = 0 }: Shown): Promise<string> {
  const json = { name, ...sent };
  const made = await world.sandbox.call('POST', path + end, end === '/cards' ? { json } : { params: json as Params });
  assert.equal(made.status, 200, made.text);
  const post = await place.post_({ text: name, card_uri: made.body.data.card_uri });
  world.clock.advance(wait_s);
  const { body } = await place.get('post_previews', { post_type: 'PUBLISHED', post_ids: post });
  return /src='([^']+)'/.exec(body.data[0].preview)![1]!;
}

/** What cannot be decided by a program: nobody gave captions to a video. */
const UNDECIDED = /^video-caption: /;

function complaints(tab: Tab): string[] {
  const entries = tab.log.filter(({ method }) => method === 'Log.entryAdded').map(({ params }) => params.entry.text);
  return (entries as string[]).filter((text) => /Content Security Policy|Refused/.test(text));
}

describe('card previews are accessible', () => {
  for (const each of SHOWN) {
    test(each.name, async () => {
      const tab = await chromium.tab();
      await tab.open(await previewOf(each));
      const text: string = await tab.look('document.querySelector(".card").textContent');
      assert.ok(text.includes(each.says), text);
      assert.equal(await tab.look('document.querySelectorAll(".card b, script").length'), 0, 'what was sent is text');
      await tab.look('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
      await tab.look(AXE);
      for (const scheme of ['light', 'dark']) {
        await tab.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
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
        const wrong = (found.wrong as string[]).filter((one) => !UNDECIDED.test(one));
        assert.deepEqual(wrong, [], scheme);
      }
      assert.deepEqual(complaints(tab), []);
      await tab.close();
    });
  }
});
