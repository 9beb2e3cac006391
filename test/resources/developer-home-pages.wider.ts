// On either database: the pages ask the same of both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { keyHands, mouseHands } from '../rig/hands.ts';
import { says, worldInChromium } from '../rig/pages-in-chromium.ts';
import { settleReaders } from '../rig/people-of-directory.ts';

const pages = worldInChromium({ flags: { rate_limits: 'off', delivery_production: 'simulated' } });

describe('the first pages of a developer', () => {
  test('lead from the home page to a call, to the ads, and to an ad that spends', async () => {
    const tab = await pages.at('/');
    const hands = mouseHands(tab);
    await checkFit(tab, 'development home');
    const origin = pages.world.service.url;
    await tab.open(`${origin}/`);
    // A page without a person in front of it may not read the clipboard.
    await tab.look('navigator.clipboard.writeText = async (text) => { window.copied = text; }; 0');
    await hands.press('Copy', 'section button');
    await says(tab, /Copied/);
    const shown = await tab.look("document.querySelector('details[open] pre').textContent");
    assert.equal(await tab.look('copied'), shown);
    await pages.world.sandbox.call('GET', '/12/accounts');
    await says(tab, /GET \/12\/accounts\s+200 · accounts\.list/);
    await hands.follow('Run a sample campaign');
    await says(tab, /\$0\.00 spent so far/);
    await hands.follow('Let 6 hours pass');
    await says(tab, /Nobody has seen the ad yet/);
    await settleReaders(pages.world, 2000, { country: 'US', language: 'en', age: 30 });
    await hands.follow('Another sample campaign');
    await hands.follow('Let 6 hours pass');
    await says(tab, /\$[1-9]\d*\.\d\d spent so far/);
    await checkFit(tab, 'development home with an ad');
    await hands.follow('Open its results');
    await says(tab, /Results/);
    await tab.open(`${origin}/`);
    await hands.follow(`Log in as ${pages.world.keys.other_username}`);
    assert.equal(await tab.look('location.pathname'), '/ads');
    assert.equal(await tab.look('document.querySelector("header").innerText.includes("ben_demo")'), true);
    await tab.close();
  });

  test('send a request from the workbench, mark what was refused, and find its rows', async () => {
    const tab = await pages.at('/_dev/workbench?operation=campaigns.create');
    const hands = keyHands(tab);
    await checkFit(tab, 'signing workbench');
    await hands.follow('Fill in the example');
    await hands.write('p_daily_budget_amount_local_micro', '-5');
    await hands.follow('Send');
    await says(tab, /The server refused these parameters:\s+Expected/);
    const refused = "document.getElementById('p_daily_budget_amount_local_micro').getAttribute('aria-invalid')";
    assert.equal(await tab.look(refused), 'true');
    await checkFit(tab, 'signing workbench refused');
    await hands.write('p_daily_budget_amount_local_micro', '5000000');
    await hands.follow('Send');
    await says(tab, /200\. [\d.]+ ms/);
    await checkFit(tab, 'signing workbench sent');
    await tab.open(`${pages.world.service.url}/_dev/data?resource=campaigns`);
    await checkFit(tab, 'data explorer');
    await tab.close();
  });
});
