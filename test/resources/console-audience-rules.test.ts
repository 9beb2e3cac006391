// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addPerson, type Browser, browserOf, logIn, unescaped } from '../rig/browser.ts';
import { importPosts, post } from '../rig/corpus.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let user: Browser;
let base: string;
let combine: string;
const ids: string[] = [];

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  const ada = await addPerson(world);
  user = browserOf(world.service.url);
  await logIn(user, ada);
  base = (await send('/ads', {})).location!;
  combine = `${base}/audiences/combine`;
  for (const name of ['Buyers', 'Readers', 'Staff']) {
    const { location } = await send(`${base}/audiences`, { act: 'create', name, description: '' });
    ids.push(location!.split('/').at(-1)!);
  }
});
after(() => world.close());

async function send(path: string, members: Record<string, string>) {
  const { html } = await user.get(path);
  const authenticity_token = /data-form-token="([^"]+)"/.exec(html)![1]!;
  return user.post(path, { authenticity_token, ...members });
}

const said = (html: string): string => unescaped(html.replaceAll(/<[^>]*>/g, ' ')).replaceAll(/\s+/g, ' ');

describe('a rule about audiences', () => {
  const entered = () => ({
    name: 'Buyers who read',
    description: '',
    root: 'AND',
    'g0.operator': 'OR',
    'g0.l0.membership': 'in',
    'g0.l0.audience': ids[0]!,
    'g0.l1.membership': 'in',
    'g0.l1.audience': ids[1]!,
  });

  test('grows by buttons, which lose nothing that was entered', async () => {
    const more = await send(combine, { ...entered(), press: 'group' });
    assert.equal(more.status, 200);
    assert.match(more.html, /value="Buyers who read"/);
    assert.match(said(more.html), /Group 1 .*Group 2/);
    assert.match(said(more.html), /People who are in “Buyers” or in “Readers”\./);
    const leaf = await send(combine, { ...entered(), 'g1.operator': 'OR', 'g1.l0.audience': ids[2]!, press: 'leaf 1' });
    assert.match(leaf.html, /id="g1\.l1\.audience"/);
    const taken = await send(combine, { ...entered(), press: 'take 0 0' });
    assert.match(said(taken.html), /People who are in “Readers”\./);
    assert.doesNotMatch(taken.html, /id="g0\.l1\.audience"/);
  });

  test('becomes an audience, whose page says it in words and takes no file', async () => {
    const out = { 'g1.operator': 'OR', 'g1.l0.membership': 'out', 'g1.l0.audience': ids[2]! };
    const made = await send(combine, { ...entered(), ...out, press: 'create' });
    assert.equal(made.status, 303, made.html);
    const { html } = await user.get(made.location!);
    assert.match(said(html), /People who are \(in “Buyers” or in “Readers”\) and not in “Staff”\./);
    assert.doesNotMatch(html, /data-island="people-file"/);
  });

  test('without an audience is refused at the field; so is a name that is taken', async () => {
    const none = await send(combine, {
      name: 'x',
      root: 'AND',
      'g0.operator': 'OR',
      'g0.l0.audience': '',
      press: 'create',
    });
    assert.equal(none.status, 400);
    assert.match(none.html, /id="g0\.l0\.audience"[^>]*aria-invalid="true"/);
    const taken = await send(combine, { ...entered(), name: 'Staff', press: 'create' });
    assert.equal(taken.status, 400);
    assert.match(taken.html, /href="#name"/);
    assert.match(said(taken.html), /in “Buyers” or in “Readers”/);
  });
});

describe('sharing of an audience', () => {
  test('is refused in words at the field, and offered only to its owner', async () => {
    const path = `${base}/audiences/${ids[0]}`;
    const own = await send(path, {
      act: 'share',
      granted_account_id: base.split('/').at(-1)!,
      permission_level: 'READ_ONLY',
    });
    assert.equal(own.status, 400);
    assert.match(own.html, /id="granted_account_id"[^>]*aria-invalid="true"/);
    assert.match(said(own.html), /The audience belongs to this account already/);
    const unknown = await send(path, { act: 'share', granted_account_id: 'zzzzz', permission_level: 'READ_ONLY' });
    assert.match(said(unknown.html), /There is no such account, or you have no role on it/);
  });

  test('gives another account the audience, and takes it back', async () => {
    const other = (await send('/ads', {})).location!.split('/').at(-1)!;
    const account = base.split('/').at(-1)!;
    await world.service.store.write((tx) =>
      tx.accountMembers.addFeatures(account, ['SHARE_AUDIENCE_OUTSIDE_BUSINESS']),
    );
    const path = `${base}/audiences/${ids[0]}`;
    const shared = await send(path, { act: 'share', granted_account_id: other, permission_level: 'READ_WRITE' });
    assert.equal(shared.status, 303, said(shared.html));
    const { html } = await user.get(path);
    assert.match(said(html), new RegExp(`${other}: use and change it`));
    assert.match(said((await user.get(`/ads/${other}/audiences/${ids[0]}`)).html), /belongs to another account/);
    assert.match(said((await user.get(`/ads/${other}/audiences`)).html), /Buyers/);
    const [, permission] = /name="permission" value="(\w+)"/.exec(html)!;
    await send(path, { act: 'unshare', permission: permission! });
    assert.match(said((await user.get(path)).html), /No other account may use it/);
    assert.equal((await user.get(`/ads/${other}/audiences/${ids[0]}`)).status, 404);
  });
});

describe('the page about keywords', () => {
  test('counts posts by day of the account, and lists the words beside them, each a link', async () => {
    const at = (days: number) => Math.floor(world.clock.now() / 1000) - days * 86_400 - 60;
    const posts = [0, 0, 0, 1, 3, 3].map((days, number) =>
      post(`5${number}`, `Rye sourdough with butter ${number}`, { created_at: at(days), country: 'US' }),
    );
    await importPosts(world, posts);
    const page = await user.get(`${base}/keywords?keywords=sourdough&range=week`);
    assert.equal(page.status, 200);
    const text = said(page.html);
    assert.match(text, /6 posts in total; most at 2 Mar 2026: 3\./);
    assert.match(text, /From Posts .*27 Feb 2026 2 28 Feb 2026 0 1 Mar 2026 1 2 Mar 2026 3 Total 6/);
    assert.match(text, /Related words/);
    const none = await user.get(`${base}/keywords?keywords=sourdough&negative_keywords=butter&range=week`);
    assert.match(said(none.html), /Nobody has written about this/);
    const hours = await user.get(`${base}/keywords?keywords=sourdough&range=day&country=united%20states`);
    assert.match(said(hours.html), /3 posts in total/);
  });

  test('says what cannot be looked for, and that nobody wrote about something', async () => {
    const page = `${base}/keywords`;
    assert.equal((await user.get(page)).status, 200);
    const none = await user.get(`${page}?keywords=rye%20bread&range=week`);
    assert.match(said(none.html), /Nobody has written about this in this period/);
    const wrong = await user.get(`${page}?keywords=...&range=week`);
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /id="keywords"[^>]*aria-invalid="true"/);
    const nowhere = await user.get(`${page}?keywords=bread&country=Atlantis`);
    assert.match(nowhere.html, /id="country"[^>]*value="Atlantis"[^>]*aria-invalid="true"/);
  });
});
