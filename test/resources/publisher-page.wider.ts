// On either database: the page asks the same of both.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { pause } from '../../src/base/timers.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { type Chromium, startChromium } from '../rig/chromium.ts';
import { freePorts } from '../rig/ports.ts';
import { bookAd, landingOf, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;
let publisher: ChildProcess | undefined;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  chromium = await startChromium();
});
after(async () => {
  publisher?.kill();
  await chromium?.close();
  await world.close();
});

/** Starts the server of the example. */
async function startPublisher(credential: string): Promise<string> {
  const [port] = await freePorts(1);
  const env = { ADS_URL: world.service.sandboxUrl, PUBLISHER_CREDENTIAL: credential, PORT: String(port) };
  const child = spawn(process.execPath, ['examples/publisher-node/publisher.mjs'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  publisher = child;
  await new Promise((ready) => child.stdout.once('data', ready));
  return `http://127.0.0.1:${port}/`;
}

test('the page of examples/publisher-node shows an ad, and the ledger counts its impression and its click', async () => {
  const landing = 'https://landing.example/coffee';
  const ad = await bookAd(world, { text: `Fresh coffee <b>daily</b> ${landing}` });
  const url = await startPublisher(await makePublisher(world));
  const tab = await chromium.tab();
  await tab.answerFor('https://landing.example/', '<h1>Coffee</h1>');
  await tab.open(url);
  const textOf = "document.querySelector('.ad p')?.textContent ?? ''";
  while ((await tab.look(textOf)) === '') await pause(50);
  assert.equal(await tab.look(textOf), `Fresh coffee <b>daily</b> ${landing}`);
  const metricsOf = async (): Promise<Record<string, number>> => {
    await ad.settle();
    const day = await ad.day();
    const metrics = day ? [...unpackHours(day.hours).metrics] : [];
    return Object.fromEntries(metrics.map(([name, numbers]) => [name, numbers.reduce((sum, each) => sum + each)]));
  };
  while ((await metricsOf()).impressions !== 1) await pause(50);
  await tab.leave("document.querySelector('.ad a').click()");
  assert.equal(landingOf(await tab.look('location.href')), landing);
  const { impressions, clicks, url_clicks } = await metricsOf();
  assert.deepEqual({ impressions, clicks, url_clicks }, { impressions: 1, clicks: 1, url_clicks: 1 });
  await tab.close();
});
