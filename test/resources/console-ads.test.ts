// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TARGETING_TYPES } from '../../src/features/ads/targeting-criteria/targeting-types.ts';
import {
  addPerson,
  type Browser,
  browserOf,
  logIn,
  outlineOf,
  type Person,
  type Seen,
  unescaped,
} from '../rig/browser.ts';
import { csvRows } from '../rig/csv.ts';
import { ownerOf } from '../rig/demo.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { fillDirectory } from './delivery-calls.ts';

let world: World;
let ada: Person;
let user: Browser;
/** The path of her account in the sandbox. */
let account: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  await fillDirectory(world, 3000);
  ada = await addPerson(world);
  user = browserOf(world.service.url);
  await logIn(user, ada);
});
after(() => world.close());

/** Sends the form of a page that does this, and follows where it leads. */
async function act(browser: Browser, path: string, members: Record<string, string>): Promise<Seen> {
  const { html } = await browser.get(path);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  const sent = await browser.post(path.replace(/\?.*/, ''), { authenticity_token, ...members });
  return sent.location === null ? sent : browser.get(sent.location);
}

/** Where the form of a page led. */
async function led(browser: Browser, path: string, members: Record<string, string>): Promise<string> {
  const { html } = await browser.get(path);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  const { location, html: said } = await browser.post(path.replace(/\?.*/, ''), { authenticity_token, ...members });
  assert.ok(location !== null, said);
  return location.replace(/\?.*/, '');
}

/** What the form of a page says that it shows. */
const shownIn = (html: string): string => unescaped(/name="shown" value="([^"]+)"/.exec(html)![1]!);

const faultOf = (html: string, field: string): string | undefined =>
  unescaped(new RegExp(`id="${field}-fault">([^<]*)<`).exec(html)?.[1] ?? '') || undefined;

describe('an advertiser, without a script', () => {
  let campaign: string;
  let line: string;

  test('creates an account in the sandbox, and something that pays', async () => {
    account = await led(user, '/ads', {});
    assert.match(account, /^\/ads\/[0-9a-z]+$/);
    const overview = await user.get(account);
    assert.equal(overview.status, 200);
    assert.match(overview.html, /Nothing was delivered in this period/);
    const without = await user.get(`${account}/campaigns/new`);
    assert.equal(outlineOf(without.html).heading, 'No funding instrument');
    assert.equal(await led(user, `${account}/campaigns/new`, { act: 'fund' }), `${account}/campaigns/new`);
  });

  test('creates a campaign, and reads at the field what is wrong', async () => {
    const path = `${account}/campaigns/new`;
    const [, funding] = /<option value="([^"]+)"/.exec((await user.get(path)).html)!;
    const given = { name: 'Spring', funding_instrument_id: funding!, daily_budget_amount_local_micro: '20' };
    const nonsense = await act(user, path, { ...given, total_budget_amount_local_micro: 'lots' });
    assert.equal(nonsense.status, 400);
    assert.match(faultOf(nonsense.html, 'total_budget_amount_local_micro')!, /not an amount in USD/);
    assert.match(nonsense.html, /value="Spring"/, 'what was entered is kept');
    const less = await act(user, path, { ...given, total_budget_amount_local_micro: '10' });
    assert.equal(less.status, 400);
    assert.match(less.html, /Daily budget cannot exceed the total budget/);
    campaign = await led(user, path, { ...given, total_budget_amount_local_micro: '1,000.00' });
    const { html } = await user.get(campaign);
    assert.match(html, /\$20\.00 a day, \$1,000\.00 in total/);
    assert.match(html, /Draft/);
  });

  test('adds a line item with days of the account, an audience by name, and an ad', async () => {
    const [, id] = /campaigns\/(\w+)$/.exec(campaign)!;
    const form = { campaign_id: id!, name: 'Commuters', objective: 'ENGAGEMENTS', bid_strategy: 'AUTO' };
    const path = `${account}/line_items/new?campaign_id=${id}`;
    const wrong = await act(user, path, { ...form, end_time: '2026-02-30x' });
    assert.match(faultOf(wrong.html, 'end_time')!, /not a day/);
    line = await led(user, path, { ...form, end_time: '2027-03-31' });
    const page = (await user.get(line)).html;
    assert.match(page, /value="2027-03-31"/);
    const nobody = await act(user, line, { act: 'add', kind: 'LOCATION', value: 'Atlantis' });
    assert.match(faultOf(nobody.html, 'value')!, /nothing matches this name/i);
    // Several names begin like this: none of them is taken unasked.
    const several = await act(user, line, { act: 'add', kind: 'LOCATION', value: 'united' });
    assert.equal(several.status, 400);
    assert.match(faultOf(several.html, 'value')!, /choose one/);
    assert.doesNotMatch(several.html, /People in: United/);
    const options = [...several.html.matchAll(/<option value="([^"]+)">(United [^<]+)</g)];
    assert.ok(options.length >= 3, several.html);
    const [, states] = options.find(([, , name]) => name === 'United States (country)')!;
    const [, among] = /name="chosen_among" value="([^"]+)"/.exec(several.html)!;
    const choice = { act: 'add', kind: 'LOCATION', value: 'united', choice: states!, chosen_among: among! };
    // The choice was about another name.
    assert.match(faultOf((await act(user, line, { ...choice, value: 'atlan' })).html, 'value')!, /name/);
    await act(user, line, choice);
    const old = await act(user, line, { act: 'pick', pick: 'AGE very_old' });
    assert.match(faultOf(old.html, 'pick')!, /very_old/);
    const offered = [...old.html.matchAll(/<option value="(\w+) ([^"]+)"/g)].map(([, kind, value]) => [kind, value]);
    for (const kind of ['GENDER', 'AGE'] as const) {
      const values = offered.filter(([each]) => each === kind).map(([, value]) => value);
      assert.deepEqual(values, Object.keys(TARGETING_TYPES[kind].value.words));
    }
    assert.ok(offered.some(([kind]) => kind === 'PLATFORM'));
    await act(user, line, { act: 'pick', pick: 'AGE AGE_18_TO_34' });
    const criteria = (await user.get(line)).html;
    assert.match(criteria, /People in: United States/);
    assert.match(criteria, /Age: 18–34/);
    assert.match(criteria, /<strong class="joiner">and<\/strong>/);
    const [, criterion] = /name="criterion" value="([^"]+)">\s*<button[^>]*Age/.exec(criteria)!;
    await act(user, line, { act: 'take', criterion: criterion! });
    assert.doesNotMatch((await user.get(line)).html, /Age: 18–34/);
    assert.match((await act(user, line, { act: 'ACTIVE' })).html, /It has no ad that can be shown/);
    await act(user, line, { act: 'PAUSED' });
    const post = await act(user, `${account}/creatives`, { act: 'create', text: 'Rye on Thursdays.', name: '' });
    assert.match(post.html, /Rye on Thursdays\./);
    const [, postId] = /<option value="(\d+)">Rye on Thursdays/.exec((await user.get(line)).html)!;
    const shown = await act(user, line, { act: 'promote', post: postId! });
    assert.match(shown.html, /<th scope="row" class="prose">Rye on Thursdays/);
  });

  test('is asked what a line item is for, once a campaign, and offered only what fits', async () => {
    const path = `${account}/campaigns/new`;
    const [, funding] = /<option value="([^"]+)"/.exec((await user.get(path)).html)!;
    const other = await led(user, path, {
      ...{ name: 'Reach', funding_instrument_id: funding!, total_budget_amount_local_micro: '10' },
    });
    const campaign_id = other.split('/').at(-1)!;
    const step = `${account}/line_items/new?campaign_id=${campaign_id}`;
    const asked = await user.get(step);
    assert.match(asked.html, /What is it for\?/);
    const offered = (html: string) => [...html.matchAll(/<option value="([A-Z]+)"/g)].map(([, value]) => value);
    assert.deepEqual(offered((await user.get(`${step}&objective=REACH`)).html), ['AUTO', 'TARGET']);
    assert.deepEqual(offered((await user.get(`${step}&objective=ENGAGEMENTS`)).html), ['AUTO', 'MAX']);
    for (const wrong of ['PIGEONS', 'constructor'])
      assert.match((await user.get(`${step}&objective=${wrong}`)).html, /What is it for\?/, wrong);
    const made = await led(user, step, { campaign_id, name: 'Many', objective: 'REACH', bid_strategy: 'AUTO' });
    assert.deepEqual(offered((await user.get(made)).html.split('name="bid_strategy"')[1]!.split('</select>')[0]!), [
      'AUTO',
      'TARGET',
    ]);
    assert.match(
      (await user.get(`${step}&objective=ENGAGEMENTS`)).html,
      /<dd>Reach: be seen by as many people as possible<\/dd>/,
    );
    await act(user, other, { act: 'remove' });
  });

  test('goes live, and sees what comes of it: on the page and as CSV the same as from the API', async () => {
    await act(user, campaign, { act: 'ACTIVE' });
    await act(user, line, { act: 'ACTIVE' });
    assert.match((await user.get(campaign)).html, /Running/);
    world.clock.advance(3 * 24 * 3600);
    // Her session has ended meanwhile.
    user = browserOf(world.service.url);
    await logIn(user, ada);
    const { html } = await user.get(`${account}?days=7`);
    const [, impressions] = /<dt>Impressions<\/dt><dd>([\d,]+)</.exec(html)!;
    const csv = await user.get(`${account}?days=7&format=csv`);
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8');
    const rows = csvRows(csv.html);
    assert.deepEqual(rows[0]!.slice(0, 4), ['Day', 'Currency', 'Spend', 'Impressions']);
    assert.equal(rows.length, 8);
    const sum = rows.slice(1).reduce((all, row) => all + Number(row[3]), 0);
    assert.ok(sum > 0);
    assert.equal(sum, Number(impressions!.replaceAll(',', '')));
    const [, id] = /\/ads\/(\w+)/.exec(account)!;
    const totals = await world.service.store.read((tx) => tx.deliveryLedger.listTotals(id!));
    assert.equal(
      sum,
      totals.reduce((all, each) => all + each.impressions, 0),
    );
  });

  test('changes a budget, and overwrites nothing unseen', async () => {
    const shown = shownIn((await user.get(campaign)).html);
    const form = { act: 'save', name: 'Spring', total_budget_amount_local_micro: '1,000.00', shown };
    const saved = await act(user, campaign, { ...form, daily_budget_amount_local_micro: '25' });
    assert.match(saved.html, /Saved\./);
    assert.match(saved.html, /\$25\.00 a day/);
    // Within the same second, from the form as it was before.
    const late = await act(user, campaign, { ...form, daily_budget_amount_local_micro: '30' });
    assert.equal(late.status, 409);
    assert.match(late.html, /Somebody else has changed this in the meantime/);
    assert.match(faultOf(late.html, 'daily_budget_amount_local_micro')!, /Stored now: 25\.00/);
    assert.match(late.html, /value="30"/, 'what was entered is kept');
    // A mistake in between does not hide what somebody else has changed.
    const wrong = await act(user, campaign, { ...form, total_budget_amount_local_micro: 'lots' });
    assert.equal(wrong.status, 400);
    assert.equal(shownIn(wrong.html), shown);
    assert.notEqual(shownIn(late.html), shown, 'once it was shown, it may be replaced');
    const again = { ...form, shown: shownIn(late.html), daily_budget_amount_local_micro: '30' };
    assert.match((await act(user, campaign, again)).html, /\$30\.00 a day/);
    await act(user, campaign, {
      ...again,
      shown: shownIn((await user.get(campaign)).html),
      daily_budget_amount_local_micro: '25',
    });
    assert.match((await user.get(campaign)).html, /\$25\.00 a day/);
  });

  test('saves what its user has changed, beside what somebody else has', async () => {
    const shown = shownIn((await user.get(campaign)).html);
    const [daily, total] = ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'];
    const values = { name: 'Spring', [daily]: '25.00', [total]: '1,000.00' };
    await act(user, campaign, { act: 'save', shown, ...values, [total]: '900' });
    const both = await act(user, campaign, { act: 'save', shown, ...values, name: 'Early spring' });
    assert.match(both.html, /Saved\./);
    assert.match(both.html, /\$900\.00 in total/);
    assert.equal(outlineOf(both.html).heading, 'Early spring');
    const now = shownIn(both.html);
    await act(user, campaign, { act: 'save', shown: now, ...values, [total]: '1000' });
  });

  test('pauses, reads the history, and deletes', async () => {
    const paused = await act(user, campaign, { act: 'PAUSED' });
    assert.match(paused.html, /<span class="state paused">Paused<\/span>/);
    assert.match(paused.html, /Daily budget: \$20\.00 → \$25\.00/);
    assert.ok(paused.html.includes(`<td>@${ada.name}</td>`), 'by name, not by id');
    const list = await act(user, campaign, { act: 'remove' });
    assert.equal(outlineOf(list.html).heading, 'Campaigns');
    assert.doesNotMatch(list.html, /Spring/);
    assert.equal((await user.get(campaign)).status, 404);
  });
});

describe('what a role may not do', () => {
  test('is not offered, and refused when it is asked for', async () => {
    const ben = await addPerson(world);
    const id = account.split('/').at(-1)!;
    await world.service.store.write(async (tx) => {
      await tx.accountMembers.put({ account_id: id, user_id: ben.id, role: 'CAMPAIGN_ANALYST', post_composer: 0 });
    });
    const reader = browserOf(world.service.url);
    await logIn(reader, ben);
    const { html } = await reader.get(`${account}/campaigns`);
    assert.doesNotMatch(html, /Create a campaign/);
    assert.equal((await reader.get(`${account}/campaigns/new`)).status, 404);
    const creatives = await reader.get(`${account}/creatives`);
    assert.doesNotMatch(creatives.html, /Write a post/);
    const sent = await act(reader, `${account}/creatives`, { act: 'create', text: 'Mine' });
    assert.equal(sent.status, 400);
    assert.match(sent.html, /Your role on this account does not allow this/);
  });

  test('of somebody without a role is everything: the account does not exist for them', async () => {
    const stranger = browserOf(world.service.url);
    await logIn(stranger, await addPerson(world));
    for (const end of ['', '/campaigns', '/creatives', '/audiences'])
      assert.equal((await stranger.get(account + end)).status, 404, end);
  });

  test('of nobody leads to the login, and back', async () => {
    const nobody = browserOf(world.service.url);
    const { status, location } = await nobody.get(`${account}/campaigns`);
    assert.deepEqual([status, location], [303, `/login?continue=${encodeURIComponent(`${account}/campaigns`)}`]);
    const page = await nobody.get(location!);
    const sent = await nobody.submit(page, {
      'session[username_or_email]': ada.name,
      'session[password]': ada.password,
    });
    assert.equal(sent.location, `${account}/campaigns`);
  });
});

test('pages show the calls that they made, without anything secret', async () => {
  const { html } = await user.get(`${account}/campaigns`);
  const id = account.split('/').at(-1)!;
  assert.ok(unescaped(html).includes(`barker call GET /12/accounts/${id}/campaigns -d count=100`), html);
  assert.doesNotMatch(html, /oauth_token=|consumer_secret/);
});

test('a form about amounts names every currency that they may be in, or that of the chosen funding', async () => {
  const owner = browserOf(world.service.url);
  await logIn(owner, ownerOf(world));
  const { account: id, instrument, path } = await openAccount(world.sandbox);
  const yen = { currency: 'JPY', start_time: '2026-01-01', type: 'CREDIT_CARD' };
  const funded = await world.sandbox.call('POST', `${path}/funding_instruments`, { params: yen });
  const hintsIn = (html: string) => [...html.matchAll(/In ([A-Z]{3}(?: or [A-Z]{3})*)\. /g)].map(([, each]) => each);
  const form = `/ads/${id}/campaigns/new`;
  assert.deepEqual(
    hintsIn((await owner.get(form)).html).map((each) => each!.split(' or ').sort().join()),
    ['JPY,USD', 'JPY,USD'],
  );
  for (const [funding, currency] of [
    [instrument, 'USD'],
    [funded.body.data.id, 'JPY'],
  ]) {
    const members = { name: 'Dear', funding_instrument_id: funding, total_budget_amount_local_micro: 'much' };
    const refused = await act(owner, form, members);
    assert.equal(faultOf(refused.html, 'total_budget_amount_local_micro')?.includes(currency), true);
    assert.deepEqual(hintsIn(refused.html), [currency, currency]);
  }
});
