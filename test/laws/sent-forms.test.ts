import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operatorPages } from '../../src/console/operator/operator-pages.ts';
import type { Page } from '../../src/contract/declare/pages.ts';
import {
  addApplication,
  addPerson,
  type Browser,
  browserOf,
  formsOf,
  linkOf,
  logIn,
  outlineOf,
  type PageForm,
  type Person,
  typed,
  unescaped,
} from '../rig/browser.ts';
import { operatorToken, signInToConsole } from '../rig/operator.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
let user: Browser;
/** Forms that pages have processed. */
let processed: string[] = [];

before(async () => {
  const flags = { rate_limits: 'off', delivery_sandbox: 'simulated', operator_console: true, operations_port: 0 };
  world = await openWorld({ flags });
  ada = await addPerson(world);
  user = browserOf(world.service.url);
  await logIn(user, ada);
  for (const { pages } of world.nodes) {
    for (const page of pages) {
      const answer = page.answer.bind(page);
      page.answer = (request) => {
        if (request.method === 'POST') processed.push(page.path);
        return answer(request);
      };
    }
  }
});
after(() => world.close());

/** Sends a form three times at once, as impatient clicks do. */
async function sentThrice(browser: Browser, origin: string, path: string, members: Record<string, string>) {
  const clicks = await Promise.all(
    [1, 2, 3].map(async () => {
      const click = browserOf(origin);
      for (const [name, value] of browser.cookies) click.cookies.set(name, value);
      const { status, location, html } = await click.post(path, members);
      return { status, location, html, cookies: [...click.cookies] };
    }),
  );
  for (const [name, value] of clicks[0]!.cookies) browser.cookies.set(name, value);
  return clicks;
}

/** Who sends the forms of which pages. */
interface Round {
  readonly browser: Browser;
  readonly origin: string;
  /** The kinds of forms that were sent. */
  readonly seen: Set<string>;
  /** How many forms were processed. */
  count(): number | Promise<number>;
  /** What is entered into the fields that have these names; names of new things are never the same. */
  entered(name: string): Readonly<Record<string, string>>;
}

/** What an account needs to share audiences. */
const SHARING = ['SHARE_AUDIENCE_OUTSIDE_BUSINESS'];

let number = 0;

/** Sends the forms of a page of which none like it was sent before; yields the address that each led to. */
async function* sendForms(round: Round, route: string, address: string, isRemoving = false): AsyncGenerator<string> {
  const { browser, origin, seen, count, entered } = round;
  for (;;) {
    const { html, status } = await browser.get(address);
    assert.ok([200, 404].includes(status), `${address}: ${status}`);
    const kindOf = ({ members, action = '' }: PageForm): string =>
      [route, action, members.act, members.entity_status, Object.keys(members)].join(' ');
    const next = formsOf(html).find(
      (form) =>
        form.method === 'post' &&
        !/(logout|sign-out)$/.test(form.action ?? '') &&
        /^(remove|take|unpromote|unshare)$/.test(form.members.act ?? '') === isRemoving &&
        !seen.has(kindOf(form)),
    );
    if (!next) return;
    seen.add(kindOf(next));
    number += 1;
    const isOpen = (name: string): boolean => Object.hasOwn(next.members, name) && !next.hidden.has(name);
    const filled = Object.entries(entered(`Form ${number}`)).filter(([name]) => isOpen(name));
    const members = { ...next.members, ...Object.fromEntries(filled) };
    const before = await count();
    const [first, ...others] = await sentThrice(browser, origin, next.action ?? address, members);
    const about = `${kindOf(next)}\n${JSON.stringify(members)}\n${first!.html}`;
    assert.ok(first!.status < 400, `${first!.status}: ${about}`);
    for (const other of others) assert.deepEqual(other, first, about);
    assert.equal((await count()) - before, 1, about);
    yield first!.location ?? '';
  }
}

/** What a page must be asked for to have its form. */
function queryOf(path: string, ids: ReadonlyMap<string, string>): string {
  if (path.endsWith('/line_items/new')) return `?campaign_id=${ids.get('campaign_id')}&objective=REACH`;
  return path === '/developer/workbench' ? '?operation=accounts.list' : '';
}

const isReview = ({ path }: Page): boolean => path.endsWith('/review');
const hasForm = ({ methods }: { readonly methods: readonly string[] }): boolean => methods.includes('POST');

/** Have a form only after something that no page makes, or are about logging in. */
const ELSEWHERE = [
  ...['/login', '/logout', '/login/reset', '/oauth/authorize', '/oauth/authenticate', '/settings/security'],
  ...['/settings/connected_apps', '/developer/apps/:id/webhooks', '/developer/apps/:id/streams'],
];

describe('a form that is sent three times at once is processed once, and has one answer:', () => {
  test('every form of the pages of users', async () => {
    const routes = world.service.pages.filter((page) => hasForm(page) && !ELSEWHERE.includes(page.path));
    const { id } = await addApplication(world, { owner_user_id: ada.id });
    const ids = new Map([['id', id]]);
    const other = (await user.submit(await user.get('/ads'), {}, { to: '/ads' })).location!.split('/').at(-1)!;
    const namesIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    /** Keeps the ids in the address of something new. */
    const learn = (location: string): void => {
      for (const { path } of world.service.pages) {
        const [, ...values] = new RegExp(`^${path.replaceAll(/:\w+/g, '(\\w+)')}$`).exec(location.split('?')[0]!) ?? [];
        values.forEach((value, at) => {
          const name = namesIn(path)[at]!;
          if (!/^(new|combine)$/.test(value) && !ids.has(name)) ids.set(name, value);
        });
      }
    };
    const round: Round = {
      ...{ browser: user, origin: world.service.url, seen: new Set(), count: () => processed.length },
      entered: (name) => ({
        ...{ name, text: name, daily_budget_amount_local_micro: '20', kind: 'LOCATION', value: 'Japan' },
        ...{ granted_account_id: other, operation: 'accounts.list', 'session[password]': ada.password },
        ...{ website_url: 'https://form.test/', callbacks: 'https://form.test/back' },
        ...{ new_password: `${ada.password} 2`, new_password_again: `${ada.password} 2` },
      }),
    };
    const sendAll = async (of: readonly Page[], isRemoving: boolean): Promise<boolean> => {
      const { size } = round.seen;
      for (const { path } of of) {
        if (!namesIn(path).every((name) => ids.has(name))) continue;
        if (path === '/settings/sessions') await logIn(browserOf(world.service.url), ada);
        const query = queryOf(path, ids);
        const address = path.replaceAll(/:(\w+)/g, (_, name: string) => ids.get(name)!) + query;
        for await (const location of sendForms(round, path, address, isRemoving)) {
          learn(location);
          if (path === '/ads')
            await world.service.store.write((tx) => tx.accountMembers.addFeatures(ids.get('account_id')!, SHARING));
          if (path === '/settings/password') ada = { ...ada, password: `${ada.password} 2` };
        }
      }
      return round.seen.size > size;
    };
    // A list can activate what was not reviewed.
    const reviewFirst = [...routes.filter(isReview), ...routes.filter((page) => !isReview(page))];
    while (await sendAll(reviewFirst, false));
    await sendAll(routes.toReversed(), true);
    const sent = new Set([...round.seen].map((kind) => kind.split(' ')[0]));
    const unsent = routes.map(({ path }) => path).filter((path) => !sent.has(path));
    assert.deepEqual(unsent, [], 'each page has a form that can be sent');
  });

  test('every form of the pages of operators', async () => {
    const anna = browserOf(world.service.operationsUrl);
    const token = await operatorToken(world.service, 'anna');
    await anna.submit(await anna.get(`/operator/sign-in?token=${token}`));
    const grace = await addPerson(world);
    const application = await addApplication(world, { owner_user_id: grace.id });
    const account = (await user.submit(await user.get('/ads'), {}, { to: '/ads' })).location!.split('/').at(-1)!;
    const second = {
      account_id: account,
      user_id: world.keys.user_id!,
      role: 'ACCOUNT_ADMIN',
      post_composer: 0,
    } as const;
    await world.service.store.write((tx) => tx.accountMembers.add(second));
    const ids: Record<string, string> = { users: grace.id, accounts: account, applications: application.id };
    const round: Round = {
      ...{ browser: anna, origin: world.service.operationsUrl, seen: new Set() },
      count: async () =>
        (await world.service.store.read((tx) => tx.audit.listRecords({ event: 'command', limit: 1000 }))).length,
      entered: (name) => ({
        ...{ name, screen_name: name.replace(' ', '_'), admin: grace.name, timezone: 'UTC', user_name: ada.name },
        ...{ currency: 'USD', amount: '100', role: 'ACCOUNT_ADMIN', reason: 'Asked for' },
      }),
    };
    for (const { path } of operatorPages({} as Parameters<typeof operatorPages>[0]).filter(hasForm)) {
      if (path === '/sessions') await signInToConsole(world.service, 'grace');
      const address = `/operator${path.replace(/(\w+)\/:id/, (_, kind: string) => `${kind}/${ids[kind]}`)}`;
      for await (const _ of sendForms(round, path, address));
      assert.ok(
        [...round.seen].some((kind) => kind.startsWith(`${path} `)),
        path,
      );
    }
  });

  test('logging in and out', async () => {
    const browser = browserOf(world.service.url);
    for (const [path, fields, location] of [
      ['/login', typed(ada), '/ads'],
      ['/ads', {}, '/login'],
    ] as const) {
      const forms = formsOf((await browser.get(path)).html);
      const { action, members } = forms.find(({ action: to }) => /^\/log(in|out)$/.test(to ?? ''))!;
      processed = [];
      const clicks = await sentThrice(browser, world.service.url, action!, { ...members, ...fields });
      for (const click of clicks) assert.deepEqual(click, clicks[0]);
      assert.deepEqual([clicks[0]!.status, clicks[0]!.location, processed.length], [303, location, 1]);
      browser.cookies.clear();
      for (const [name, value] of clicks[0]!.cookies) browser.cookies.set(name, value);
    }
  });
});

describe('a form that is sent again', () => {
  const opened = async () => {
    const { html } = await user.get('/ads');
    const { action, members } = formsOf(html).find(({ action: to }) => to === '/ads')!;
    processed = [];
    return () => user.post(action!, members);
  };

  test('a day later is not processed again; then it is forgotten', async () => {
    const send = await opened();
    const first = await send();
    world.clock.advance(1200);
    const again = await send();
    assert.deepEqual([again.status, again.location, processed], [303, first.location, ['/ads']]);
    // Ends the expiry job, which could otherwise read the clock before the day passes and end after it.
    await world.service.jobs.runDue();
    world.clock.advance(86_400);
    await world.service.jobs.runDue();
    assert.equal(await world.service.store.write((tx) => tx.removeOldest('sent_forms', '9999', 100)), 0);
    await logIn(user, ada);
  });

  test('whose first attempt was refused is processed', async () => {
    const account = linkOf((await user.get('/ads')).html, '/ads/')!;
    const page = await user.get(`${account}/audiences`);
    const { members } = formsOf(page.html).find(({ members: { act } }) => act === 'create')!;
    processed = [];
    for (const _ of [1, 2]) assert.equal((await user.post(`${account}/audiences`, members)).status, 400);
    assert.equal(processed.length, 2);
  });

  test('whose first attempt ended without an answer is not processed, and the page says so', async () => {
    const send = await opened();
    const pages = world.nodes.flatMap((node) => node.pages.filter(({ path }) => path === '/ads'));
    const answers = pages.map(({ answer }) => answer);
    for (const [at, page] of pages.entries())
      page.answer = async (request) => {
        await answers[at]!(request);
        throw new Error('the page fails behind what it did');
      };
    assert.equal((await send()).status, 500);
    for (const [at, page] of pages.entries()) page.answer = answers[at]!;
    const { status, html } = await send();
    assert.deepEqual([status, outlineOf(html).heading, processed.length], [409, 'This form was sent before', 1]);
  });
});

describe('a form that is sent after the session has ended', () => {
  const sentLate = async () => {
    const account = linkOf((await user.get('/ads')).html, '/ads/')!;
    const { html } = await user.get(`${account}/audiences`);
    const { members } = formsOf(html).find(({ members: { act } }) => act === 'create')!;
    number += 1;
    const name = `Late ${number}`;
    world.clock.advance(1801);
    processed = [];
    const late = await user.post(`${account}/audiences`, { ...members, name, description: '<Rye> & oats' });
    const login = await user.get(late.location!);
    assert.deepEqual([late.status, login.status, processed], [303, 303, []]);
    return { name, account, unsent: late.location!, login: await user.get(login.location!) };
  };

  test('is kept through the login, and is sent once', async () => {
    const { name, account, unsent, login } = await sentLate();
    assert.match(login.html, /Log in to send what you entered/);
    assert.equal((await user.submit(login, typed(ada))).location, unsent);
    const page = await user.get(unsent);
    assert.deepEqual(outlineOf(page.html), { heading: 'Send what you entered?', buttons: ['Send it'] });
    const sent = [await user.submit(page), await user.submit(page), await user.submit(await user.get(unsent))];
    for (const each of sent) assert.deepEqual([each.status, each.location], [303, sent[0]!.location]);
    assert.ok(unescaped((await user.get(sent[0]!.location!)).html).includes('<Rye> & oats'));
    assert.equal((await user.get(`${account}/audiences`)).html.split(`>${name}<`).length, 2);
  });

  test('by somebody who has logged in again meanwhile can be sent, too', async () => {
    const { html } = await user.get('/ads');
    const { action, members } = formsOf(html).find(({ action: to }) => to === '/ads')!;
    user.cookies.clear();
    await logIn(user, ada);
    const { location } = await user.post(action!, members);
    assert.equal((await user.submit(await user.get(location!), {}, { to: '/ads' })).status, 303);
  });

  test('is never sent by somebody else, from elsewhere, or with a password', async () => {
    const { unsent, login } = await sentLate();
    const grace = await addPerson(world);
    await user.submit(login, typed(grace));
    const { status, html } = await user.get(unsent);
    assert.deepEqual([status, outlineOf(html).heading], [403, 'This page has expired']);
    user.cookies.clear();
    await logIn(user, ada);
    const { members } = formsOf((await user.get('/settings/password')).html).at(-1)!;
    world.clock.advance(1801);
    const foreign = await user.post('/settings/password', members, { origin: 'https://elsewhere.test' });
    assert.deepEqual([foreign.status, outlineOf(foreign.html).heading], [403, 'This page has expired']);
    const { location } = await user.post('/settings/password', {
      ...members,
      ...{ 'session[password]': ada.password, new_password: 'a new sentence', new_password_again: 'a new sentence' },
    });
    await logIn(user, ada);
    const kept = formsOf((await user.get(location!)).html).at(-1)!;
    assert.deepEqual(Object.keys(kept.members), ['authenticity_token', 'form_key', 'page_language', 'username']);
  });
});
