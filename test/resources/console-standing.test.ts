// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, browserOf, logIn, unescaped } from '../rig/browser.ts';
import { ownerOf } from '../rig/demo.ts';
import { openWorld, type World } from '../rig/world.ts';
import { largeAudience } from './audience-calls.ts';
import { type DeliveringAccount, fillDirectory, openDelivering } from './delivery-calls.ts';

let world: World;
let user: Browser;
let place: DeliveringAccount;
let base: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated', audience_size_min: 1 } });
  await fillDirectory(world, 3000);
  place = await openDelivering(world);
  base = `/ads/${place.account}`;
  user = browserOf(world.service.url);
  await logIn(user, ownerOf(world));
});
after(() => world.close());

type Params = Readonly<Record<string, string | number>>;

/** A campaign with a line item that would run but for what is given. */
interface Given {
  readonly campaign?: Params;
  readonly line?: Params;
  readonly posts?: number;
  /** Its last second has begun. */
  readonly ends?: true;
  /** A further criterion. */
  readonly criterion?: Params;
  /** What is done last, with the ids of both. */
  after?(campaign: string, line: string): Promise<void>;
}

const said = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');
/** What a page says of a row, or as its state. */
const ofRow = (html: string, path: string): string =>
  said(
    new RegExp(`<tr><th scope="row"><a href="${path}">[^]*?</tr>`).exec(html)?.[0] ??
      assert.fail(`no ${path}: ${html}`),
  );
const stateIn = (html: string): string => said(/<dt>State<\/dt><dd>(.*?)<\/dd>/s.exec(html)![1]!);

const NOBODY = 'Nobody is in its audience';
const NO_AD = 'It has no ad that can be shown';
const OF_CAMPAIGN = 'The campaign is not active';
const OF_LINE = 'The line item is not active';

/** Reasons that the label of a line item says already. */
const WHY: Readonly<Record<string, string>> = {
  Draft: OF_CAMPAIGN,
  Ended: 'It has ended',
  Paused: OF_LINE,
  Scheduled: 'It has not started',
};

const cases: readonly (readonly [name: string, Given, campaign: string, line: string, ad: string])[] = [
  ['all is there', {}, 'Running', 'Running', 'Running'],
  ['the campaign is a draft', { campaign: { entity_status: 'DRAFT' } }, 'Draft', 'Draft', 'Draft'],
  [
    'the campaign is paused',
    { campaign: { entity_status: 'PAUSED' } },
    'Paused',
    `Paused ${OF_CAMPAIGN}`,
    `Paused ${OF_CAMPAIGN}`,
  ],
  [
    'the only line item is paused',
    { line: { entity_status: 'PAUSED' } },
    'Running None of its line items is active',
    'Paused',
    `Paused ${OF_LINE}`,
  ],
  ['the flight is over', { ends: true }, 'Ended', 'Ended', 'Ended'],
  ['the flight has not begun', { line: { start_time: '2026-11-01' } }, 'Scheduled', 'Scheduled', 'Scheduled'],
  ['there is no ad', { posts: 0 }, 'Not running It is incomplete: an ad may be missing', `Not running ${NO_AD}`, ''],
  [
    'the audience of the line item was deleted',
    {
      after: async (_, line_item_id) => {
        const audience = await largeAudience(world, place.path);
        const targeting = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: audience };
        await place.post('targeting_criteria', { line_item_id, ...targeting });
        await place.remove(`custom_audiences/${audience}`);
      },
    },
    `Running ${NOBODY}`,
    `Not running ${NOBODY}`,
    `Not running ${NOBODY}`,
  ],
  [
    'nobody is what the line item means',
    { criterion: { targeting_type: 'LANGUAGE', targeting_value: 'eu' } },
    `Running ${NOBODY}`,
    `Not running ${NOBODY}`,
    `Not running ${NOBODY}`,
  ],
];

describe('how something stands is said alike wherever it is said, when', () => {
  for (const [name, given, campaignSays, lineSays, adSays] of cases) {
    test(`${name}: ${campaignSays} / ${lineSays}`, async () => {
      const { posts = 1, criterion } = given;
      const campaign = await place.campaign({ name, ...given.campaign });
      const end_time = `${new Date(world.clock.now() + 1000).toISOString().slice(0, 19)}Z`;
      const line = await place.line(campaign, {
        ...{ name, daily_budget_amount_local_micro: 20_000_000, ...given.line },
        ...(given.ends && { start_time: '2026-01-01', end_time }),
      });
      if (posts > 0) await place.promote(line, posts);
      if (criterion) await place.post('targeting_criteria', { line_item_id: line, ...criterion });
      await given.after?.(campaign, line);
      // Line items begin to serve a moment after they are created.
      world.clock.advance(2);
      const [ofCampaign, ofLine] = [`${base}/campaigns/${campaign}`, `${base}/line_items/${line}`];
      const campaignPage = (await user.get(ofCampaign)).html;
      assert.equal(stateIn(campaignPage).trim(), campaignSays);
      assert.ok(ofRow(campaignPage, ofLine).trim().endsWith(lineSays), ofRow(campaignPage, ofLine));
      const { html: linePage } = await user.get(ofLine);
      assert.equal(stateIn(linePage).trim(), lineSays);
      if (adSays !== '') assert.match(said(linePage), new RegExp(`Fresh bread 0 ${adSays} Remove`));
      for (const [path, list, says] of [
        [ofCampaign, 'campaigns', campaignSays],
        [ofLine, 'line_items', lineSays],
      ] as const) {
        const address = `${base}/${list}?view=plain&q=${encodeURIComponent(name)}`;
        assert.ok(ofRow((await user.get(address)).html, path).includes(` ${says} `), `${list}: ${says}`);
        // The state is also what the list is narrowed to, and what its script is told.
        const [state] = /^(Not running|\w+)/.exec(says)!;
        const [, value] = new RegExp(`<option value="(\\w+)"[^>]*>${state}<`).exec((await user.get(address)).html)!;
        assert.ok(ofRow((await user.get(`${address}&state=${value}`)).html, path).includes(` ${says} `));
        const standings = JSON.parse((await user.get(`${base}/${list}?format=standings`)).html);
        const id = path.split('/').at(-1)!;
        if (list === 'line_items' && given.line?.entity_status === undefined) {
          assert.equal(standings[id].effective_status, value);
        }
      }
      const pacing = said((await user.get(`${base}/results?line_item_id=${line}`)).html);
      const why = lineSays.replace(/^(Not running|\w+) ?/, '') || WHY[lineSays];
      if (why) assert.ok(pacing.includes(`It shows no ads now: ${why}.`), pacing);
      else assert.match(pacing, /It spends (evenly|more slowly|faster)/);
    });
  }

  test('an hour showed nothing: pacing and “Why these numbers?” give the same reason', async () => {
    const campaign = await place.campaign({ name: 'Dear' });
    const line = await place.line(campaign, {
      ...{ name: 'Dear', daily_budget_amount_local_micro: 20_000_000, bid_strategy: 'MAX' },
      bid_amount_local_micro: 10_000,
    });
    await place.promote(line);
    world.clock.advance(4 * 3600);
    user = browserOf(world.service.url);
    await logIn(user, ownerOf(world));
    const text = said((await user.get(`${base}/results?line_item_id=${line}`)).html);
    const [, why] = /In the last whole hour it showed no ads: ([^.]+)\./.exec(text)!;
    assert.ok(text.includes(`Nothing was shown in this hour. ${why}.`), text);
  });
});
