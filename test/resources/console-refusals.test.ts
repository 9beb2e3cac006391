// On either database: calls are refused before they reach it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, PageCallReply } from '../../src/contract/declare/pages.ts';
import { CAMPAIGN_READERS, ROLES, STATS_READERS } from '../../src/contract/declare/roles.ts';
import { texts } from '../../src/texts/texts.ts';
import { addPerson, type Browser, browserOf, logIn, unescaped } from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let user: Browser;
/** Addresses of pages, by the paths of the pages. */
let addresses: ReadonlyMap<string, string>;
/** The number of the call of a page that is refused; none at first. */
let refused = -1;
let calls: string[] = [];

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', delivery_sandbox: 'simulated' } });
  user = browserOf(world.service.url);
  await logIn(user, await addPerson(world));
  const account = await led('/ads', {});
  await send(`${account}/campaigns/new`, { act: 'fund' });
  const [, funding_instrument_id] = /<option value="([^"]+)"/.exec((await user.get(`${account}/campaigns/new`)).html)!;
  const budget = { daily_budget_amount_local_micro: '20' };
  const campaign = await led(`${account}/campaigns/new`, {
    name: 'Spring',
    funding_instrument_id: funding_instrument_id!,
    ...budget,
  });
  const campaign_id = campaign.split('/').at(-1)!;
  const created = { campaign_id, name: 'Commuters', objective: 'REACH', bid_strategy: 'AUTO' };
  const line = await led(`${account}/line_items/new?campaign_id=${campaign_id}`, created);
  const audience = await led(`${account}/audiences`, { act: 'create', name: 'Buyers', description: '' });
  await send(line, { act: 'add', kind: 'CUSTOM_AUDIENCE', value: 'Buyers' });
  await send(`${account}/creatives`, { act: 'create', text: 'Rye on Thursdays.', name: '' });
  const [, post] = /<option value="(\d+)">Rye/.exec((await user.get(line)).html)!;
  await send(line, { act: 'promote', post: post! });
  const ids: Record<string, string> = { account_id: account, campaign_id, line_item_id: line, audience_id: audience };
  const queries: Record<string, string> = {
    '/line_items/new': `?campaign_id=${campaign_id}`,
    '/results': `?line_item_id=${line.split('/').at(-1)}&level=ads`,
    '/keywords': '?keywords=rye&country=Japan',
  };
  addresses = new Map(
    pages().map(({ path }) => {
      const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name]!.split('/').at(-1)!);
      return [path, filled + (queries[path.replace('/ads/:account_id', '')] ?? '')];
    }),
  );
  pages().forEach(refuseOne);
});
after(() => world.close());

const pages = (): readonly Page[] => world.service.pages.filter(({ path }) => /^\/ads(\/:account_id|$)/.test(path));

async function send(path: string, members: Record<string, string>) {
  const [, authenticity_token] = /data-form-token="([^"]+)"/.exec((await user.get(path)).html)!;
  return user.post(path, { authenticity_token: authenticity_token!, ...members });
}

async function led(path: string, members: Record<string, string>): Promise<string> {
  const { status, location, html } = await send(path, members);
  assert.equal(status, 303, html);
  return location!.split('?')[0]!;
}

/** Refuses the chosen call of a page, as the rate limit does. */
function refuseOne(page: Page): void {
  const answer = page.answer.bind(page);
  page.answer = (visit) =>
    answer({
      ...visit,
      async call(environment, operation, input) {
        const at = calls.push(operation) - 1;
        const reply = await visit.call(environment, operation, input);
        return at === refused ? tooMany(reply) : reply;
      },
    });
}

const tooMany = ({ shown }: PageCallReply): PageCallReply => ({
  ...{ status: 429, isDone: false, shown, refusals: [{ problem: 'RATE_LIMITED' }] },
  reply: { errors: [{ code: 'TOO_MANY_REQUESTS', message: 'Too many' }], request: {} },
});

const said = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');

/** Without these, a page has ids in place of names. */
const DECORATION = ['users.show'];

test('a page says why when any call that it makes is refused', async () => {
  let count = 0;
  for (const [path, address] of addresses) {
    [refused, calls] = [-1, []];
    const whole = await user.get(address);
    assert.equal(whole.status, 200, `${path}: ${said(whole.html)}`);
    const made = calls;
    for (const [at, operation] of made.entries()) {
      if (DECORATION.includes(operation)) continue;
      [refused, calls] = [at, []];
      const { html } = await user.get(address);
      assert.ok(
        said(html).includes(texts.refusals.RATE_LIMITED!),
        `${path} says nothing of ${calls[at]}:\n${said(html)}`,
      );
      count += 1;
    }
  }
  assert.ok(count >= 60, `${count} calls`);
});

test('a page is shown to every role that may read its data, and refused to the others with a reason', async () => {
  const account_id = addresses.get('/ads/:account_id')!.split('/').at(-1)!;
  for (const role of ROLES) {
    const person = await addPerson(world);
    const membership = { account_id, user_id: person.id, role, post_composer: 0 } as const;
    await world.service.store.write((tx) => tx.accountMembers.add(membership));
    const browser = browserOf(world.service.url);
    await logIn(browser, person);
    for (const [path, address] of addresses) {
      [refused, calls] = [-1, []];
      const { status, html } = await browser.get(address);
      const isTold = status === 403 && said(html).includes(texts.refusals.ACTION_NOT_ALLOWED!);
      const isOfStatistics = /:account_id(\/results)?$/.test(path);
      const mayRead = (isOfStatistics ? STATS_READERS : CAMPAIGN_READERS).includes(role);
      if (isOfStatistics) assert.equal(status === 200, mayRead, `${role} at ${path}: ${status}`);
      const isHidden = status === 404 && (!mayRead || /\/(new|review|combine)$/.test(path));
      assert.ok(status === 200 || isHidden || (!mayRead && isTold), `${role} at ${path}: ${status}\n${said(html)}`);
    }
  }
});
