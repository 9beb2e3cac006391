// On either database: the reference asks none.
import { describe, test } from 'node:test';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { worldInChromium } from '../rig/pages-in-chromium.ts';

const pages = worldInChromium();

for (const [page, path] of [
  ['overview', '/reference'],
  ['search', '/reference?q=bid_amount_local_micro'],
  ['page of a group', '/reference/webhooks'],
] as const) {
  test(`the ${page} of the reference is fit for everybody`, async () => checkFit(await pages.at(path), page));
}

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
