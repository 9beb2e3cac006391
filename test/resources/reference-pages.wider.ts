// On either database: the reference asks none.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { worldInChromium } from '../rig/pages-in-chromium.ts';
import { until } from '../rig/patience.ts';

const pages = worldInChromium();

for (const [page, path] of [
  ['contents', '/docs/'],
  ['guide', '/docs/activity'],
  ['chapter of a guide', '/docs/operate/install'],
  ['settings', '/docs/settings'],
  ['errors', '/docs/problems'],
  ['event types', '/docs/events'],
  ['overview of the reference', '/docs/reference'],
  ['page of a group', '/docs/reference/webhooks'],
] as const) {
  test(`the documentation is fit for everybody: ${page}`, async () => checkFit(await pages.at(path), page));
}

const RESULTS = '[...document.querySelectorAll("#results a")].map((link) => link.getAttribute("href"))';

test('the results of a search are fit for everybody, and lead where they say', async () => {
  const tab = await pages.at('/docs/search?q=bid_amount_local_micro');
  await until('results are shown', async () => (await tab.look(RESULTS)).length > 0);
  const found: string[] = await tab.look(RESULTS);
  assert.equal(found[0], './reference/line_items.create#parameter-bid_amount_local_micro');
  await checkFit(tab, 'search');
  await tab.leave('document.querySelector("#results a").click()');
  assert.match(
    await tab.look('location.href'),
    /\/docs\/reference\/line_items\.create#parameter-bid_amount_local_micro$/,
  );
});

test('what is typed is found on every page, and reached with the keyboard', async () => {
  const tab = await pages.at('/docs/reference/campaigns.create');
  await tab.look('document.querySelector("#find").focus()');
  await tab.type('dm.received');
  const found = 'document.querySelector("#found a")?.getAttribute("href")';
  await until('the event type is found', async () => (await tab.look(found)) === '../events#dm.received');
  await tab.press('Tab');
  assert.equal(await tab.look('document.activeElement.getAttribute("href")'), '../events#dm.received');
  await tab.press('Escape');
  assert.deepEqual(await tab.look('[document.querySelector("#found").hidden, document.activeElement.id]'), [
    true,
    'find',
  ]);
});

test('the language of examples stays chosen, and their code can be copied', async () => {
  const tab = await pages.at('/docs/reference/campaigns.create');
  await tab.look('document.querySelector("[value=python]").click()');
  await tab.open(`${pages.world.service.url}/docs/reference/campaigns.list`);
  const shown =
    '[...document.querySelectorAll(".snippet")].filter((each) => each.offsetParent).map((each) => each.className)';
  assert.deepEqual(await tab.look(shown), ['snippet python']);
  await tab.look('navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }');
  await tab.look('document.querySelector(".snippet.python .copy").click()');
  const code = 'document.querySelector(".snippet.python code").textContent';
  assert.equal(await tab.look('globalThis.copied'), await tab.look(code));
});

describe('the page of an operation is fit for everybody', () => {
  for (const id of [
    'campaigns.update',
    'cards.create',
    'custom_audiences.batch',
    'media_v2.append',
    'webhooks.replay',
  ]) {
    test(id, async () => checkFit(await pages.at(`/docs/reference/${id}`), id));
  }
});
