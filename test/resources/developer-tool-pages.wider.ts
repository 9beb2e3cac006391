// On either database: snapshots need SQLite, and the other pages ask the same of both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dev } from '../rig/developer-surface.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { mouseHands } from '../rig/hands.ts';
import { says, textOf, worldInChromium } from '../rig/pages-in-chromium.ts';

const pages = worldInChromium({ flags: { rate_limits: 'off' }, which: 'sqlite' });

describe('the pages of developer tools', () => {
  test('move the clock, freeze it, and say what is no duration', async () => {
    const tab = await pages.at('/_dev/clock');
    const hands = mouseHands(tab);
    const began = Date.parse((await dev(pages.world, 'GET', '/_dev/clock')).body.now);
    await checkFit(tab, 'clock');
    await hands.follow('1 week');
    await says(tab, /7 days ahead/);
    await hands.write('by', 'P3D');
    await hands.follow('Advance');
    await says(tab, /10 days ahead/);
    assert.equal(Date.parse((await dev(pages.world, 'GET', '/_dev/clock')).body.now) - began, 10 * 86_400_000);
    await hands.follow('Freeze');
    await says(tab, /Frozen/);
    await hands.follow('Resume');
    await hands.write('by', 'soon');
    await hands.follow('Advance');
    await says(tab, /"soon" is not a duration such as P7D/);
    assert.equal(await tab.look("document.getElementById('by').value"), 'soon');
    await checkFit(tab, 'clock refused');
    await tab.close();
  });

  test('add faults, show how often they were used, and remove them', async () => {
    const tab = await pages.at('/_dev/faults');
    const hands = mouseHands(tab);
    await checkFit(tab, 'faults empty');
    await hands.pick('kind', 'The rate limit');
    await hands.write('operation', 'accounts.list');
    await hands.follow('Add the fault');
    await says(tab, /rate_limited retry_after_s:60[\s\S]*operation accounts.list[\s\S]*Used 0 times, 1 left/);
    assert.equal((await pages.world.production.call('GET', '/12/accounts')).status, 429);
    await tab.open(`${pages.world.service.url}/_dev/faults`);
    await says(tab, /Used once, 0 left/);
    await hands.write('operation', 'accounts.lost');
    await hands.follow('Add the fault');
    await says(tab, /There is no operation accounts.lost/);
    await hands.press('As JSON');
    await hands.write('json', '{ "do": { "delay": { "ms": 5 } } }');
    await hands.follow('Add this fault');
    await says(tab, /delay ms:5[\s\S]*All calls/);
    await checkFit(tab, 'faults');
    await hands.follow('Remove');
    await hands.follow('Remove');
    await says(tab, /No faults/);
    await tab.close();
  });

  test('take snapshots, and restore them', async () => {
    const tab = await pages.at('/_dev/snapshots');
    const hands = mouseHands(tab);
    const count = async (): Promise<number> => (await pages.world.sandbox.call('GET', '/12/accounts')).body.data.length;
    const before = await count();
    await hands.write('name', 'clean');
    await hands.follow('Take a snapshot');
    await says(tab, /clean\s+taken 20/);
    await checkFit(tab, 'snapshots');
    await pages.world.sandbox.call('POST', '/12/accounts');
    assert.equal(await count(), before + 1);
    await hands.follow('Restore');
    assert.equal(await count(), before);
    await hands.write('name', 'no name');
    await hands.follow('Take a snapshot');
    await says(tab, /A name has 1 to 64 letters/);
    await checkFit(tab, 'snapshots refused');
    await hands.follow('Delete');
    await says(tab, /No snapshots yet/);
    assert.doesNotMatch(await textOf(tab), /clean/);
    await tab.close();
  });
});
