// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, browserOf, logIn, unescaped } from '../rig/browser.ts';
import { ownerOf } from '../rig/demo.ts';
import { openWorld, type World } from '../rig/world.ts';
import { type DeliveringAccount, openDelivering } from './delivery-calls.ts';

let world: World;
let user: Browser;
let place: DeliveringAccount;
let base: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  place = await openDelivering(world);
  base = `/ads/${place.account}`;
  user = browserOf(world.service.url);
  await logIn(user, ownerOf(world));
});
after(() => world.close());

const said = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
const DRAFT = { entity_status: 'DRAFT' };

const statusOf = async (end: string): Promise<string> =>
  (await world.sandbox.call('GET', `${place.path}/${end}`)).body.data.entity_status;

/** What the review of a campaign says, and whether it offers to go live. */
async function reviewed(campaign: string) {
  const { html } = await user.get(`${base}/campaigns/${campaign}/review`);
  return { html, text: said(html), isOffered: /<button class="main" type="submit">Go live</.test(html) };
}

async function goLive(campaign: string) {
  const { html } = await reviewed(campaign);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  return user.post(`${base}/campaigns/${campaign}/review`, { authenticity_token });
}

describe('the review of a draft', () => {
  test('has all the money, and where ads are shown', async () => {
    const campaign = await place.campaign({ ...DRAFT, total_budget_amount_local_micro: 900_000_000 });
    await place.line(campaign, {
      ...{ ...DRAFT, daily_budget_amount_local_micro: 7_000_000, total_budget_amount_local_micro: 70_000_000 },
      ...{ placements: 'SERVICE_SEARCH,SERVICE_TIMELINE', bid_strategy: 'MAX', bid_amount_local_micro: 1_250_000 },
    });
    await place.line(campaign, { ...DRAFT });
    const { text } = await reviewed(campaign);
    for (const words of [
      ...['$50.00 a day, $900.00 in total', '$7.00 a day, $70.00 in total', '($1.25)', 'Budget of the campaign'],
      ...['Search results, Timelines', 'Everywhere on the service', 'Nothing runs or costs anything until you go live'],
    ]) {
      assert.ok(text.includes(words), `${words} in ${text}`);
    }
  });

  const soon = (): string => `${new Date(world.clock.now() + 1000).toISOString().slice(0, 19)}Z`;
  const broken: readonly (readonly [why: string, campaign: object, line: () => object, posts: number, at: string])[] = [
    ['It has no ad that can be shown', {}, () => ({}), 0, 'ads'],
    ['It has no budget', { daily_budget_amount_local_micro: '' }, () => ({}), 1, 'edit'],
    ['It has ended', {}, () => ({ start_time: '2026-01-01', end_time: soon() }), 1, 'edit'],
  ];
  for (const [why, ofCampaign, ofLine, posts, mend] of broken) {
    test(`says no where nothing would show: ${why}`, async () => {
      const campaign = await place.campaign({ ...DRAFT, ...ofCampaign });
      const line = await place.line(campaign, { ...DRAFT, ...ofLine() });
      if (posts > 0) await place.promote(line);
      world.clock.advance(2);
      const { html, text, isOffered } = await reviewed(campaign);
      assert.equal(isOffered, false);
      assert.ok(text.includes(`It would show no ads: ${why}.`), text);
      assert.ok(html.includes(`href="${base}/line_items/${line}#${mend}"`), html);
      const sent = await goLive(campaign);
      assert.equal(sent.status, 400);
      assert.deepEqual(
        [await statusOf(`campaigns/${campaign}`), await statusOf(`line_items/${line}`)],
        ['DRAFT', 'DRAFT'],
      );
    });
  }

  test('goes live with all that is a draft', async () => {
    const campaign = await place.campaign(DRAFT);
    const line = await place.line(campaign, DRAFT);
    await place.promote(line);
    assert.equal((await reviewed(campaign)).isOffered, true);
    assert.equal((await goLive(campaign)).status, 303);
    assert.deepEqual(
      [await statusOf(`campaigns/${campaign}`), await statusOf(`line_items/${line}`)],
      ['ACTIVE', 'ACTIVE'],
    );
    const { text, isOffered } = await reviewed(campaign);
    assert.equal(isOffered, false);
    assert.doesNotMatch(text, /Nothing runs/);
  });
});

test('a line item that is added to a live campaign is reviewed too, and starts nothing else', async () => {
  for (const is of ['ACTIVE', 'PAUSED']) {
    const campaign = await place.campaign({ name: is, entity_status: is });
    const line = await place.line(campaign, { ...DRAFT, name: `Late in ${is}` });
    await place.promote(line);
    const review = `${base}/campaigns/${campaign}/review`;
    for (const page of [`line_items/${line}`, 'line_items?view=plain&q=Late']) {
      const { html } = await user.get(`${base}/${page}`);
      assert.ok(html.includes(`href="${review}"`), page);
      assert.doesNotMatch(html, /name="(act|entity_status)" value="ACTIVE"/, page);
    }
    const { text } = await reviewed(campaign);
    assert.match(text, /What is live already goes on/);
    assert.equal((await goLive(campaign)).status, 303);
    assert.deepEqual([await statusOf(`campaigns/${campaign}`), await statusOf(`line_items/${line}`)], [is, 'ACTIVE']);
    await place.remove(`line_items/${line}`);
  }
});
