// On either database: the reference asks none.
import { describe, test } from 'node:test';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { worldInChromium } from '../rig/pages-in-chromium.ts';

const pages = worldInChromium();

test('the start page of the reference is fit for everybody', async () => {
  const tab = await pages.at('/reference');
  // The pages of operations have the same parts; all of them together would take minutes.
  await tab.look(`for (const group of [...document.querySelectorAll('section.group')].slice(2)) group.remove();
    for (const list of [...document.querySelectorAll('.contents ul')].slice(3, -1)) {
      list.previousElementSibling?.remove();
      list.remove();
    }`);
  await checkFit(tab, 'reference');
});

describe('the page of an operation is fit for everybody', () => {
  for (const id of [
    'campaigns.update',
    'cards.create',
    'custom_audiences.batch',
    'media_v2.append',
    'webhooks.replay',
  ]) {
    test(id, async () => checkFit(await pages.at(`/reference/${id}`), id));
  }
});
