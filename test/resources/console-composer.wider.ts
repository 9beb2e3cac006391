// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { placeholderImage } from '../../src/features/media/placeholder-image.ts';
import type { Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { demoAccount, ownerOf } from '../rig/demo.ts';
import { openInside, says as pageSays, textOf } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';
import { chooseFile, fileOf } from '../rig/people-files.ts';
import { JPEG, MP4 } from '../rig/tiny-media.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;
let ada: Person;
let account: string;
let tab: Tab;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  chromium = await startChromium();
  ada = ownerOf(world);
  account = `/ads/${await demoAccount(world)}`;
});
after(async () => {
  await chromium?.close();
  await world.close();
});
beforeEach(async () => {
  tab = await openInside(chromium, world, `${account}/creatives`, ada);
});

const says = (text: RegExp): Promise<void> => pageSays(tab, text);

const picture = (name: string, contents: Buffer = JPEG): string => fileOf(contents, name);

const write = (text: string): Promise<void> =>
  tab.look(`{ const field = document.getElementById('text'); field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input')); }`);
const FORM = "[...document.querySelectorAll('main form')].at(-1)";
const isComplete = (): Promise<boolean> => tab.look(`${FORM}.checkValidity()`);
const press = (label: string): Promise<void> =>
  tab.look(`[...document.querySelectorAll('main button')].find((each) => each.innerText === '${label}').click()`);

async function newestPost() {
  const id = account.split('/').at(-1);
  const query = 'post_type=PUBLISHED&timeline_type=ALL&count=1';
  const reply = await world.production.call('GET', `/12/accounts/${id}/posts?${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data[0];
}

const enter = (id: string, text: string): Promise<void> =>
  tab.look(`{ const field = document.getElementById('${id}'); field.value = ${JSON.stringify(text)};
    field.dispatchEvent(new Event('input')); }`);

/** Processes a video: the clock of the service stands still. The page says so before the last segment has arrived. */
async function processed(): Promise<void> {
  await says(/The video is being processed/);
  await until('the video was processed', async () => {
    world.clock.advance(2);
    await world.service.jobs.runDue();
    return !/The video is being processed/.test(await textOf(tab));
  });
}

describe('the composer', () => {
  test('makes the picture a link, shown in the preview and stored as a card', async () => {
    await write('Rye in spring.');
    await chooseFile(tab, picture('spring.png', placeholderImage(800, 800)), 'picture');
    await enter('headline', 'Order today');
    await enter('url', 'https://bakery.example/spring');
    await says(/Order today bakery\.example/);
    await says(/The picture will be part of the post/);
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/The post can now be used in ads/);
    const post = await newestPost();
    assert.match(post.card_uri, /^card:\/\//);
    const id = account.split('/').at(-1);
    const card = await world.production.call('GET', `/12/accounts/${id}/cards/${post.card_uri.slice(7)}`);
    assert.equal(card.body.data.card_type, 'IMAGE_WEBSITE');
    assert.equal(card.body.data.components[1].destination.url, 'https://bakery.example/spring');
  });

  test('uploads a video in segments, and posts it', async () => {
    await write('Kneading, for ten seconds.');
    await chooseFile(tab, picture('kneading.mp4', MP4), 'picture');
    await says(/Video: kneading\.mp4/);
    await processed();
    await says(/The file will be part of the post/);
    assert.match(await tab.look("document.querySelector('[name=media]').value"), /^13_\d+$/);
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/The post can now be used in ads/);
    assert.equal((await newestPost()).entities.media[0].type, 'video');
  });

  test('says when a video cannot be used', async () => {
    await write('Kneading.');
    await chooseFile(tab, picture('broken.mp4', Buffer.from('These are notes.')), 'picture');
    await processed();
    await says(/Unsupported video format/);
    assert.equal(await isComplete(), false);
  });

  test('asks something with a poll, shown in the preview', async () => {
    await write('Should we open on Mondays?');
    await enter('first_choice', 'Yes');
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/A poll needs two choices/);
    await enter('second_choice', 'No');
    await says(/Yes\s+No/);
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/The post can now be used in ads/);
    const post = await newestPost();
    assert.match(post.card_uri, /^card:\/\//);
    const { body } = await world.production.call('GET', `/12/accounts/${account.split('/').at(-1)}/cards/poll`);
    const made = body.data.find((card: { card_uri: string }) => card.card_uri === post.card_uri);
    assert.deepEqual([made.first_choice, made.second_choice, made.third_choice], ['Yes', 'No', null]);
    assert.equal(made.duration_in_minutes, '1440');
  });

  test('says what a link lacks, and keeps what was entered', async () => {
    await write('Rye in spring.');
    await enter('url', 'nowhere');
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/A link needs a headline/);
    await says(/A link needs a picture/);
    await chooseFile(tab, picture('small.jpg'), 'picture');
    await says(/The picture will be part of the post/);
    await enter('headline', 'Order today');
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/Website/);
    assert.equal(await tab.look("document.getElementById('url').getAttribute('aria-invalid')"), 'true');
    assert.equal(await tab.look("document.getElementById('headline').value"), 'Order today');
    await enter('url', 'https://bakery.example/spring');
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/The file is 32 by 24 pixels; a link needs one of the shape 1:1 or 1\.91:1/);
  });

  test('shows the post as it is written, uploads its picture, and posts both', async () => {
    await write('Rye, still warm.');
    await says(/Rye, still warm\./);
    await chooseFile(tab, picture('bread.jpg'), 'picture');
    await says(/The picture will be part of the post/);
    assert.ok(await tab.look("document.querySelector('.phone img').naturalWidth > 0"));
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/The post can now be used in ads/);
    const post = await newestPost();
    assert.equal(post.full_text.replace(/ http\S+$/, ''), 'Rye, still warm.');
    assert.equal(post.entities.media.length, 1);
    const preview = await tab.look("document.querySelector('main td a').href");
    const seen = await fetch(preview);
    assert.equal(seen.status, 200);
    assert.match(await seen.text(), /Rye, still warm\..*<img/s);
    assert.deepEqual(
      tab.log.filter(({ method }) => method === 'Log.entryAdded'),
      [],
    );
  });

  test('says what is wrong with a file, and does not post without it unless that is asked for', async () => {
    await write('No picture after all.');
    await chooseFile(tab, picture('notes.png', Buffer.from('These are notes.')), 'picture');
    await tab.look("new Promise((done) => setInterval(() => document.getElementById('picture-fault') && done(), 20))");
    assert.equal(await isComplete(), false);
    await press('Remove the file');
    assert.equal(await isComplete(), true);
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    assert.equal((await newestPost()).full_text, 'No picture after all.');
  });

  test('keeps the picture when the connection is lost', async () => {
    await write('From the train.');
    const network = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.send('Network.enable');
    await tab.send('Network.emulateNetworkConditions', { offline: true, ...network });
    await chooseFile(tab, picture('train.jpg'), 'picture');
    await says(/cannot be reached/);
    await tab.send('Network.emulateNetworkConditions', { offline: false, ...network });
    await press('Try again');
    await says(/The picture will be part of the post/);
    assert.equal(await isComplete(), true);
  });

  test('goes on after a login in another tab', async () => {
    await write('After lunch.');
    await tab.send('Network.clearBrowserCookies');
    await chooseFile(tab, picture('lunch.jpg'), 'picture');
    await says(/Your session has ended/);
    assert.equal(await tab.look("document.querySelector('#picture-fault a').target"), '_blank');
    const other = await openInside(chromium, world, '/ads', ada);
    await tab.send('Network.setCookies', await other.send('Network.getCookies'));
    await other.close();
    await press('Try again');
    await says(/The picture will be part of the post/);
    assert.equal(await tab.look("document.getElementById('text').value"), 'After lunch.');
  });

  test('keeps the picture when the text is refused', async () => {
    await write('x'.repeat(281));
    await chooseFile(tab, picture('long.jpg'), 'picture');
    await says(/The picture will be part of the post/);
    const media = await tab.look("document.querySelector('[name=media]').value");
    await tab.leave(`${FORM}.querySelector('button.main').click()`);
    await says(/This could not be done/);
    assert.equal(await tab.look("document.querySelector('[name=media]').value"), media);
    assert.match(await textOf(tab), /The picture will be part of the post/);
  });
});
