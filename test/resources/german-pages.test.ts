// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { parsePo } from '../../src/texts/translations.ts';
import { type Browser, browserOf, formOf, linkOf, logIn, outlineOf, unescaped } from '../rig/browser.ts';
import { demoAccount, ownerOf } from '../rig/demo.ts';
import { operatorToken } from '../rig/operator.ts';
import { pagesOf } from '../rig/pages.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let account: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  account = await demoAccount(world);
});
after(() => world.close());

/** A browser that asks for German. */
function german(origin = world.service.url): Browser {
  const browser = browserOf(origin);
  browser.cookies.set('language', 'de');
  return browser;
}

const entries = parsePo(readFileSync(new URL('../../src/texts/de.po', import.meta.url), 'utf8'));
const words = new Set(entries.map(({ target }) => target));
/** The English texts that differ in German, as patterns of what a page shows. */
const englishTexts = entries
  .filter(({ source, target }) => source !== target && !words.has(source) && /\p{L}{2}/u.test(source))
  .map(({ source }) => {
    const parts = source.replaceAll(/<[^>]*>/g, '').split(/\{\w+\}/);
    return { parts, pattern: new RegExp(`^${parts.map(escaped).join('.+')}$`, 's') };
  })
  // Those that are little more than values fit any text.
  .filter(({ parts }) => parts.length === 1 || parts.join('').replaceAll(/\W/g, '').length > 12);

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

/** The pieces of text and the labels of a page, without contents that people or programs have written. */
function piecesOf(page: string): string[] {
  const shown = page.replaceAll(/<(script|style|pre|code|datalist)\b.*?<\/\1>|<footer>.*?<\/footer>/gs, '');
  const said = [...shown.matchAll(/\s(?:aria-label|placeholder|alt)="([^"]*)"/g)].map(([, text]) => text!);
  return [...shown.split(/<[^>]*>/), ...said].map((text) => unescaped(text).trim()).filter((text) => text !== '');
}

/** Names in the demo world, and of columns, that are texts of the catalogue, too. */
const NAMES: ReadonlySet<string> = new Set(['Followers', 'deleted']);

function englishOn(page: string): string[] {
  assert.match(page, /<html lang="de">/);
  return piecesOf(page).filter((text) => !NAMES.has(text) && englishTexts.some(({ pattern }) => pattern.test(text)));
}

describe('German pages', () => {
  test('have no English text', async () => {
    const user = german();
    const found: string[] = [];
    const look = async (browser: Browser, path: string): Promise<void> => {
      const { html } = await browser.get(path);
      found.push(...englishOn(html).map((text) => `${path}: ${text}`));
    };
    for (const path of ['/', '/login', '/ads/nothing']) await look(user, path);
    await logIn(user, ownerOf(world));
    const others = ['password', 'security', 'security?setup=yes', 'sessions', 'connected_apps'].map(
      (name) => `/settings/${name}`,
    );
    const pages = (await pagesOf(world, account)).map(([, path]) => path);
    for (const path of [...pages, ...others, '/notifications', '/_dev/snapshots', '/login']) await look(user, path);
    const operator = german(world.service.operationsUrl);
    await look(operator, '/operator');
    await operator.post('/operator/sign-in', { token: await operatorToken(world.service, 'anna') });
    for (const path of ['', '/users', `/users/${world.keys.user_id}`, '/accounts', '/applications', '/publishers'])
      await look(operator, `/operator${path}`);
    for (const path of ['/sessions', '/audit']) await look(operator, `/operator${path}`);
    assert.deepEqual(found, []);
  });

  test('write numbers, amounts and days as Germans do', async () => {
    const user = german();
    await logIn(user, ownerOf(world));
    const overview = await user.get(`/ads/${account}`);
    assert.match(overview.html, /Stand: 02\.03\.2026, \d\d:\d\d\. Zeiten und Tage gelten in der Zeitzone des Kontos, /);
    const campaigns = await user.get(`/ads/${account}/campaigns?totals=yes`);
    assert.match(campaigns.html, /<td class="number">\d+,\d\d\u00a0\$<\/td>/);
    assert.match(campaigns.html, /<dt>Tagesbudget<\/dt><dd>\d+,\d\d\u00a0\$<\/dd>/);
  });

  test('say in German what is wrong in a form, and read amounts as it was written', async () => {
    const user = german();
    await logIn(user, ownerOf(world));
    const path = `/ads/${account}/campaigns/new`;
    const page = await user.get(path);
    const [, card] = /<select id="funding_instrument_id".*?<option value="(\w+)"/s.exec(page.html)!;
    const members = { ...formOf(page.html).members, funding_instrument_id: card!, name: 'Sommer' };
    const wrong = await user.post(path, { ...members, daily_budget_amount_local_micro: '1,250.50' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.html, /<p>Das hat nicht geklappt<\/p>/);
    assert.match(unescaped(wrong.html), /Das ist kein Betrag in USD wie etwa 1\.250,50/);
    // The form says which language its amounts are written in, whatever was chosen since.
    user.cookies.set('language', 'en');
    const made = await user.post(path, { ...members, daily_budget_amount_local_micro: '1.250,50' });
    assert.equal(made.status, 303);
    const { html } = await user.get(made.location!);
    assert.match(html, /<html lang="en">/);
    assert.match(html, /\$1,250\.50 a day/);
  });
});

describe('the language of a page', () => {
  test('is that of the browser', async () => {
    const titleFor = async (header: string): Promise<string> => {
      const { html } = await browserOf(world.service.url).get('/login', { 'accept-language': header });
      return outlineOf(html).heading;
    };
    assert.equal(await titleFor('de-AT, en;q=0.5'), 'Anmelden');
    assert.equal(await titleFor('en-GB, de;q=0.5'), 'Log in');
    assert.equal(await titleFor('fr'), 'Log in');
  });

  for (const path of ['/', '/login?continue=%2Fsettings%2Fprofile', '/_dev/clock']) {
    test(`can be chosen without a script: ${path}`, async () => {
      const browser = browserOf(world.service.url);
      const { html } = await browser.get(path, { 'accept-language': 'en' });
      const link = /<a href="([^"]+)" lang="de" hreflang="de" rel="nofollow">Deutsch<\/a>/.exec(html);
      const chosen = await browser.get(unescaped(link![1]!).replace(/^\?/, `${path}?`));
      assert.deepEqual([chosen.status, chosen.location], [303, path]);
      assert.match(
        chosen.headers.get('set-cookie')!,
        /^language=de; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000$/,
      );
      const again = await browser.get(chosen.location!, { 'accept-language': 'en' });
      assert.match(again.html, /<html lang="de">/);
      assert.equal(again.headers.get('vary')?.includes('accept-language'), path.startsWith('/login'));
    });
  }

  test('is no way to another site, and repeats nothing that the page does not read', async () => {
    const browser = browserOf(world.service.url);
    const { html } = await browser.get('/login?page_language=xx&next=https%3A%2F%2Fevil.test%2F');
    assert.ok(!html.includes('evil.test'));
    const { status, location } = await browser.get('//evil.test/login?page_language=de');
    assert.notEqual(status, 303);
    assert.equal(location, null);
  });

  test('is the usual one of the service for all others', async () => {
    const other = await openWorld({ flags: { page_language: 'de' } });
    try {
      const page = await browserOf(other.service.url).get('/login', { 'accept-language': 'fr' });
      assert.equal(outlineOf(page.html).heading, 'Anmelden');
      assert.equal(linkOf(page.html, 'page_language=en'), '/login?page_language=en');
      assert.equal(formOf(page.html).members.page_language, 'de');
    } finally {
      await other.close();
    }
  });
});
