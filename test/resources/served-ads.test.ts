import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { disablePublisher } from '../../src/features/delivery/serving/publisher-credentials.ts';
import {
  type Booked,
  type BookedAd,
  bookAd,
  decide,
  get,
  landingOf,
  makePublisher,
  TARGET,
} from '../rig/served-ads.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
let credential: string;
before(async () => {
  world = await openWorld({
    flags: { delivery_sandbox: 'served', delivery_production: 'served', rate_limits: 'off' },
  });
  credential = await makePublisher(world);
});
after(() => world.close());

let countries = 'NL DE FR GB US JP CA ES IT SE NO DK FI PL AT CH IE BE PT AU BR MX'.split(' ');

/** Books an ad for a country that no other test uses; `context` is that of its readers. */
async function bookApart(booked: Booked = {}) {
  const [country, ...others] = countries;
  countries = others;
  const found = await world.sandbox.call('GET', '/12/targeting_criteria/locations', {
    params: { location_type: 'COUNTRIES', country_code: country! },
  });
  const targeting_value = found.body.data[0].targeting_value as string;
  const criteria = [{ targeting_type: 'LOCATION', targeting_value }, ...(booked.criteria ?? [])];
  return { ad: await bookAd(world, { ...booked, criteria }), context: { country } };
}

/** The country of an ad. */
async function criterionOf({ path, line }: BookedAd) {
  const found = await world.sandbox.call('GET', `${path}/targeting_criteria`, { params: { line_item_ids: line } });
  return found.body.data[0] as { readonly targeting_type: string; readonly targeting_value: string };
}

type Decided = { impression_url: string; click_url: string; line_item_id: string; expires_at: string };

async function ask(json: Record<string, unknown>): Promise<Decided[]> {
  const reply = await decide(world, credential, { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], ...json });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.data.delivery, 'served');
  return reply.body.data.placements[0].decisions;
}

async function totals(ad: BookedAd): Promise<Record<string, number>> {
  await ad.settle();
  const day = await ad.day();
  const metrics = day ? [...unpackHours(day.hours).metrics] : [];
  return Object.fromEntries(metrics.map(([name, numbers]) => [name, numbers.reduce((a, b) => a + b)]));
}

const SEEN = { impressions: 1, billed_engagements: 1, billed_charge_local_micro: 10 };
const CLICKED = { engagements: 1, clicks: 1, url_clicks: 1 };

describe('beacons', () => {
  test('count an impression and a click once, in the order of the ledger', async () => {
    const { ad, context } = await bookApart();
    const [decision] = await ask({ context });
    assert.equal(decision!.line_item_id, ad.line);
    assert.equal(decision!.expires_at, '2026-03-02T19:04:55Z');
    for (let time = 0; time < 3; time++) {
      const view = await get(decision!.impression_url);
      assert.deepEqual([view.status, view.text, view.headers['set-cookie']], [204, '', undefined]);
      const click = await get(decision!.click_url);
      assert.deepEqual([click.status, landingOf(click.headers.location)], [302, 'https://landing.example/coffee']);
      assert.equal(click.headers['set-cookie'], undefined);
      if (time === 1) await ad.settle();
    }
    assert.deepEqual(await totals(ad), { ...SEEN, ...CLICKED });
    const segments = await world.service.store.read((tx) =>
      tx.deliveryLedger.listSegments({
        account: ad.account,
        from: '2026-01-01',
        until: '2027-01-01',
        segmentation: 'GENDER',
      }),
    );
    assert.deepEqual(
      segments.map(({ value }) => value),
      ['UNKNOWN'],
    );
  });

  test('count in either order, but no click without its view', async () => {
    const { ad, context } = await bookApart();
    const [early, unseen] = [(await ask({ context }))[0]!, (await ask({ context }))[0]!];
    for (const { click_url } of [early, unseen]) assert.equal((await get(click_url)).status, 302);
    await ad.settle();
    world.clock.advance(1);
    await get(early.impression_url);
    assert.deepEqual(await totals(ad), { ...SEEN, ...CLICKED });
    world.clock.advance(20);
    await ad.settle();
    await get(unseen.impression_url);
    const twice = Object.fromEntries(Object.entries(SEEN).map(([name, number]) => [name, 2 * number]));
    assert.deepEqual(await totals(ad), { ...twice, ...CLICKED }, 'nobody waits that long for a view');
    await get(unseen.click_url);
    const clickedTwice = Object.fromEntries(Object.entries(CLICKED).map(([name, number]) => [name, 2 * number]));
    assert.deepEqual(await totals(ad), { ...twice, ...clickedTwice }, 'a click that comes again counts');
  });

  test('do not count what nobody saw: HEAD, prefetches, other methods', async () => {
    const { ad, context } = await bookApart();
    const [decision] = await ask({ context });
    const { impression_url: view, click_url: click } = decision!;
    assert.equal((await get(view, { method: 'HEAD' })).status, 204);
    const others = ['PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    for (const method of others) assert.equal((await get(view, { method })).status, 405, method);
    const metrics = await (await fetch(`${world.service.url}/metrics`)).text();
    for (const method of others) {
      assert.ok(metrics.includes(`page_visits_total{route="/e/i/*",method="${method}",status="405"}`), method);
    }
    const ahead: readonly Record<string, string>[] = [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }];
    for (const headers of ahead) {
      assert.equal((await get(view, { headers })).status, 204);
      assert.equal((await get(click, { headers })).headers.location, 'https://landing.example/coffee');
    }
    assert.equal((await get(click, { method: 'HEAD' })).status, 302);
    assert.deepEqual(await totals(ad), {});
    await get(view);
    assert.deepEqual(await totals(ad), SEEN, 'the token is still good');
  });

  test('count by POST, as `sendBeacon` and `ping` report, without leading anywhere', async () => {
    const { ad, context } = await bookApart();
    const [decision] = await ask({ context });
    for (const url of [decision!.impression_url, decision!.click_url]) {
      const { status, text, headers } = await get(url, { method: 'POST' });
      assert.deepEqual([status, text, headers.location], [204, '', undefined]);
    }
    assert.deepEqual(await totals(ad), { ...SEEN, ...CLICKED });
  });

  test('lead to the preview of a post without a link, which is no click on a link and not paid as one', async () => {
    const { ad, context } = await bookApart({ text: 'Fresh coffee' });
    const [decision] = await ask({ context });
    await get(decision!.impression_url);
    assert.match(String((await get(decision!.click_url)).headers.location), /\/ads-manager\/post-preview\//);
    assert.deepEqual(await totals(ad), { ...SEEN, engagements: 1, clicks: 1 });
    const paid = await bookApart({ text: 'Fresh coffee', line: { pay_by: 'LINK_CLICK' } });
    assert.deepEqual(await ask({ context: paid.context }), []);
  });

  test('count nothing for tokens that are forged, of another kind or of another environment', async () => {
    const { ad, context } = await bookApart();
    const [decision] = await ask({ context });
    const { impression_url: view, click_url: click } = decision!;
    const token = view.split('/').at(-1)!;
    const clickToken = click.split('/').at(-1)!;
    const at = (path: string, origin = world.service.sandboxUrl): string => origin + path;
    const middle = Math.floor(token.length / 2);
    const altered = token.slice(0, middle) + (token[middle] === 'A' ? 'B' : 'A') + token.slice(middle + 1);
    for (const bad of [
      altered,
      token.slice(0, -2),
      `${token}AA`,
      clickToken,
      'x',
      `zz${token}`,
      '..%2f',
      token.repeat(20),
    ]) {
      assert.equal((await get(at(`/e/i/${bad}`))).status, 204, bad);
    }
    for (const bad of [altered, token, 'https:%2f%2fevil.example', '//evil.example']) {
      const reply = await get(at(`/e/c/${bad}?url=https://evil.example&u=//evil.example`));
      assert.deepEqual(
        [reply.status, reply.headers.location, reply.text],
        [404, undefined, 'This link does not work any more'],
      );
    }
    const query = await get(`${click}?target=https://evil.example`);
    assert.equal(landingOf(query.headers.location), 'https://landing.example/coffee');
    assert.equal((await get(at(`/e/i/${token}`, world.service.url))).status, 204);
    assert.equal((await get(at(`/e/c/${clickToken}`, world.service.url))).status, 404);
    assert.deepEqual(await totals(ad), {});
  });

  test('count for two hours', async () => {
    const { ad, context } = await bookApart();
    const [late, later] = [(await ask({ context }))[0]!, (await ask({ context }))[0]!];
    world.clock.advance(7199);
    await get(late.impression_url);
    world.clock.advance(1);
    await get(later.impression_url);
    const click = await get(late.click_url);
    assert.equal(click.status, 302, 'people still get where they want to go');
    assert.deepEqual(await totals(ad), SEEN);
  });
});

describe('decisions', () => {
  test('are for the people that a line item means, and for nobody of whom it is not known', async () => {
    const { ad, context } = await bookApart({ criteria: [{ targeting_type: 'GENDER', targeting_value: '2' }] });
    assert.deepEqual(await ask({ context }), []);
    assert.deepEqual(await ask({ context: { ...context, gender: '1' } }), []);
    const [decision] = await ask({ context: { ...context, gender: '2', age: 30 } });
    assert.equal(decision!.line_item_id, ad.line);
  });

  test('follow a change before it is acknowledged', async () => {
    const { ad, context } = await bookApart();
    assert.equal((await ask({ context })).length, 1);
    const path = `${ad.path}/line_items/${ad.line}`;
    await world.sandbox.call('PUT', path, { params: { entity_status: 'PAUSED' } });
    assert.equal((await ask({ context })).length, 0);
    await world.sandbox.call('PUT', path, { params: { entity_status: 'ACTIVE' } });
    assert.equal((await ask({ context })).length, 1);
  });

  test('charge the best what keeps it before the next', async () => {
    const place = await openAccount(world.sandbox);
    const { ad: best, context } = await bookApart({ bid: 900_000, in: place });
    const { targeting_type, targeting_value } = await criterionOf(best);
    await bookAd(world, { bid: 400_000, in: place, criteria: [{ targeting_type, targeting_value }] });
    const placements = [{ id: 'top', type: 'SERVICE_SEARCH', count: 5 }];
    const both = await ask({ context, placements });
    assert.equal(both.length, 2);
    assert.equal(both[0]!.line_item_id, best.line);
    await get(both[0]!.impression_url);
    assert.equal((await totals(best)).billed_charge_local_micro, 400);
  });

  test('are shared fairly by equal bids', async () => {
    const place = await openAccount(world.sandbox);
    const { ad, context } = await bookApart({ in: place });
    const { targeting_type, targeting_value } = await criterionOf(ad);
    for (let other = 0; other < 2; other++) {
      await bookAd(world, { in: place, criteria: [{ targeting_type, targeting_value }] });
    }
    const wins = new Map<string, number>();
    for (let time = 0; time < 120; time++) {
      const [decision] = await ask({ context });
      wins.set(decision!.line_item_id, (wins.get(decision!.line_item_id) ?? 0) + 1);
    }
    // Each gets 40 on average; fewer than 12 happen once in ten million runs.
    assert.equal(wins.size, 3);
    for (const [line, times] of wins) assert.ok(times >= 12, `${times} for ${line}`);
  });

  test('show a post once, however many line items promote it', async () => {
    const place = await openAccount(world.sandbox);
    const { ad, context } = await bookApart({ in: place });
    const { targeting_type, targeting_value } = await criterionOf(ad);
    const other = await bookAd(world, { in: place, criteria: [{ targeting_type, targeting_value }] });
    const placements = [1, 2].map((id) => ({ id: String(id), type: 'SERVICE_TIMELINE', count: 2 }));
    assert.equal((await ask({ context, placements })).length, 2, 'posts of their own');
    const promoted = await world.sandbox.call('GET', `${ad.path}/promoted_posts`, {
      params: { line_item_ids: ad.line },
    });
    await world.sandbox.call('DELETE', `${ad.path}/promoted_posts/${other.creative}`);
    const params = { line_item_id: other.line, post_ids: promoted.body.data[0].post_id };
    assert.equal((await world.sandbox.call('POST', `${ad.path}/promoted_posts`, { params })).status, 200);
    const reply = await decide(world, credential, { placements, context, explain: true });
    const found = reply.body.data.placements;
    assert.deepEqual(
      found.map((each: { decisions: unknown[] }) => each.decisions.length),
      [1, 0],
    );
    const outcomes = found.map((each: { explanation: { line_item_id: string; outcome: string }[] }) =>
      each.explanation
        .filter(({ line_item_id: id }) => id === ad.line || id === other.line)
        .map(({ outcome }) => outcome),
    );
    assert.deepEqual(outcomes[0].toSorted(), ['SAME_CONTENT', 'WON']);
    assert.deepEqual(outcomes[1].toSorted(), ['IN_ANOTHER_PLACEMENT', 'SAME_CONTENT']);
  });

  test('hold a frequency cap', async () => {
    const place = await openAccount(world.sandbox);
    await world.sandbox.call('POST', `${place.path}/features`, { params: { feature_keys: 'REACH_FREQUENCY_CAP' } });
    const { ad, context } = await bookApart({
      in: place,
      line: {
        objective: 'REACH',
        goal: 'MAX_REACH',
        pay_by: 'IMPRESSION',
        bid_strategy: 'AUTO',
        frequency_cap: 2,
        duration_in_days: 7,
      },
      bid: null,
    });
    assert.deepEqual(await ask({ context }), [], 'nobody knows who that is');
    const user = { key: 'reader' };
    for (let time = 0; time < 2; time++) await get((await ask({ context, user }))[0]!.impression_url);
    assert.deepEqual(await ask({ context, user }), []);
    assert.equal((await ask({ context, user: { key: 'another' } })).length, 1);
    await ad.settle();
    assert.deepEqual(await ask({ context, user }), []);
    world.clock.advance(7 * 86_400);
    assert.equal((await ask({ context, user })).length, 1);
  });

  test('never spend more than a budget has', async () => {
    const { ad, context } = await bookApart({
      bid: 10_000_000,
      line: { ...TARGET, total_budget_amount_local_micro: 40_000 },
    });
    let shown = 0;
    for (let time = 0; time < 20; time++) {
      for (const { impression_url } of await ask({ context })) {
        await get(impression_url);
        shown += 1;
      }
      // A budget of which nothing was left is asked for again after a while.
      await ad.settle();
      world.clock.advance(5);
    }
    const { billed_charge_local_micro: spent = 0 } = await totals(ad);
    assert.equal(spent, 40_000);
    assert.equal(shown, 4);
  });

  test('end with a budget that is lowered to what has been spent, and never below that', async () => {
    const { ad, context } = await bookApart({ bid: 10_000_000, line: TARGET });
    for (let time = 0; time < 3; time++) await get((await ask({ context }))[0]!.impression_url);
    await ad.settle();
    const lower = async (amounts: Record<string, number>) =>
      world.sandbox.call('PUT', `${ad.path}/campaigns/${ad.campaign}`, { params: amounts });
    const daily_budget_amount_local_micro = 10_000;
    const refused = await lower({ daily_budget_amount_local_micro, total_budget_amount_local_micro: 20_000 });
    assert.deepEqual([refused.status, refused.body.errors[0].code], [400, 'SPEND_EXCEEDS_BUDGET']);
    assert.equal((await ask({ context })).length, 1);
    const lowered = await lower({ daily_budget_amount_local_micro, total_budget_amount_local_micro: 30_000 });
    assert.equal(lowered.status, 200, lowered.text);
    assert.deepEqual(await ask({ context }), []);
  });

  test('show an ad in its placements only', async () => {
    const types = ['SERVICE_TIMELINE', 'SERVICE_SEARCH', 'PUBLISHER_NETWORK', 'TAP_BANNER'];
    const shown = async (placements: string): Promise<string[]> => {
      const { ad, context } = await bookApart({ line: { placements } });
      const places: string[] = [];
      for (const type of types) {
        const found = await ask({ placements: [{ id: 'top', type }], context });
        if (found.some((each) => each.line_item_id === ad.line)) places.push(type);
      }
      return places;
    };
    assert.deepEqual(await shown('SERVICE_SEARCH'), ['SERVICE_SEARCH']);
    assert.deepEqual(await shown('ALL_ON_SERVICE'), ['SERVICE_TIMELINE', 'SERVICE_SEARCH']);
  });

  test('explain to those who may ask', async () => {
    const { ad, context } = await bookApart({ criteria: [{ targeting_type: 'GENDER', targeting_value: '2' }] });
    const json = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }], context, explain: true };
    const reply = await decide(world, credential, json);
    const own = reply.body.data.placements[0].explanation.find((each: Decided) => each.line_item_id === ad.line);
    assert.equal(own.outcome, 'TARGETING');
    const other = await makePublisher(world, { may_explain: false });
    const refused = await decide(world, other, json);
    assert.equal(refused.status, 403);
    assert.equal(refused.body.errors?.[0]?.message ?? refused.body.detail, 'This publisher may not use `explain`.');
  });
});

describe('credentials', () => {
  const json = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] };
  test('are of one environment, and end at once', async () => {
    const own = await makePublisher(world, { environment: 'production' });
    assert.equal((await decide(world, own, json)).status, 401);
    assert.equal((await decide(world, own, json, world.service.url)).status, 200);
    assert.equal((await decide(world, 'pub_unknown', json)).status, 401);
    const [, , id] = (await world.service.store.read((tx) => tx.publishers.list())).map((each) => each.id);
    await world.service.store.write((tx) => disablePublisher(tx, { id: id! }, '2026-03-02T17:04:55Z'));
    assert.equal((await decide(world, own, json, world.service.url)).status, 401);
  });
});
