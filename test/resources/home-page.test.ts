// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { problemPath } from '../../src/contract/problems/problem-details.ts';
import { loadBranding } from '../../src/http/pages/branding.ts';
import { addPerson, browserOf, logIn } from '../rig/browser.ts';
import { trySnippets } from '../rig/call-snippets.ts';
import { pasted } from '../rig/first-calls.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { openWorld, type World } from '../rig/world.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>alert(1)</script></svg>';
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const NAME = 'Harbour <Ads> & "Co"';
const ESCAPED = /Harbour &#60;Ads&#62; &#38; &#34;Co&#34;|Harbour &lt;Ads&gt; &amp; &quot;Co&quot;/;

let world: World;
let folder: string;
const key = (name: string): string => (world.keys as unknown as Readonly<Record<string, string>>)[name]!;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-branding-'));
  writeFileSync(join(folder, 'logo.svg'), LOGO);
  world = await openWorld({
    flags: { service_name: NAME, service_logo: join(folder, 'logo.svg') },
    start: new Date().toISOString(),
  });
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

const accountsOf = async (environment: 'production' | 'sandbox') =>
  (await world[environment].call('GET', '/12/accounts')).body.data;

describe('the page at /', () => {
  for (const [environment, about] of [
    ['production', /serves the production API of a development server: nothing that you create here is real/],
    ['sandbox', /serves the sandbox API of a development server: nothing that you create here is real/],
  ] as const) {
    const pageOf = async (host?: string) => {
      const { url, sandboxUrl } = world.service;
      const [own, other] = environment === 'production' ? [url, sandboxUrl] : [sandboxUrl, url];
      const { headers, body } = await request(own, { headers: { accept: 'text/html', ...(host && { host }) } });
      return { headers, html: await body.text(), own, other };
    };

    test(`leads on in ${environment} of a development server, with keys and logins`, async () => {
      const { headers, html, own, other } = await pageOf();
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'self'; .*script-src 'self'/,
      );
      assert.equal(headers['cache-control'], 'no-store');
      assert.match(html, about);
      assert.match(html, ESCAPED);
      for (const href of ['/ads', '/docs/', '/openapi.json', '/developer/apps', '/_dev/clock', other])
        assert.ok(html.includes(`href="${href}"`), href);
      for (const name of ['username', 'password', 'other_username', 'other_password'])
        assert.ok(html.includes(key(name)));
      for (const prefix of ['', 'messages_', 'reader_'])
        for (const name of ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret'])
          assert.ok(html.includes(`<code>${key(prefix + name)}</code>`), prefix + name);
      assert.ok(html.includes(`url&#61;${own}/12/accounts`));
    });

    for (const language of ['curl', 'Node.js'])
      test(`has a first call in ${language} for ${environment} that works when pasted`, async () => {
        const { html } = await pageOf();
        const before = await accountsOf(environment);
        const { data } = JSON.parse(await pasted(html, language));
        assert.deepEqual(await accountsOf(environment), environment === 'sandbox' ? [...data, ...before] : data);
      });

    test(`shows no keys under a foreign name in ${environment}`, async () => {
      const { headers, html, other } = await pageOf('foreign.localhost.example');
      assert.equal(headers.vary, 'accept, accept-language, cookie');
      assert.match(html, about);
      for (const href of ['/ads', '/docs/', '/openapi.json', '/settings/connected_apps', other])
        assert.ok(html.includes(`href="${href}"`), href);
      for (const name of ['password', 'consumer_key', 'access_token_secret']) assert.ok(!html.includes(key(name)));
    });
  }

  test('lists the last requests', async () => {
    await world.sandbox.call('GET', '/12/accounts');
    const { html } = await browserOf(world.service.url).get('/');
    assert.match(html, /<a href="\/_dev\/requests\/\d+">GET \/12\/accounts<\/a>/);
  });

  test('leads those who are logged in to their ads, where it has no keys', async () => {
    const user = browserOf(world.service.url);
    await logIn(user, await addPerson(world));
    assert.equal((await user.get('/')).status, 200);
    const cookie = [...user.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { statusCode, headers } = await request(world.service.url, {
      headers: { accept: 'text/html', cookie, host: 'foreign.localhost.example' },
    });
    assert.deepEqual([statusCode, headers.location], [303, '/ads']);
  });

  test('answers whoever takes a page; programs that take only JSON get 404', async () => {
    for (const url of [world.service.url, world.service.sandboxUrl])
      for (const accept of ['*/*', 'text/html', undefined]) {
        const { statusCode, headers, body } = await request(url, { headers: accept === undefined ? {} : { accept } });
        await body.dump();
        assert.deepEqual([statusCode, headers['content-type']], [200, 'text/html; charset=utf-8'], accept);
      }
    const accept = 'application/json';
    const root = await fetch(`${world.service.url}/`, { headers: { accept } });
    const elsewhere = await fetch(`${world.service.url}/nothing`, { headers: { accept } });
    assert.equal(root.status, 404);
    assert.equal(await root.text(), await elsewhere.text());
  });
});

describe('a copied call', () => trySnippets(['curl', 'Node.js'], () => world));

describe('the branding of the service', () => {
  test('on pages with a form, on refusals, in the reference and beside problems', async () => {
    const browser = browserOf(world.service.url);
    for (const path of ['/login', '/oauth/authorize', '/docs/', '/docs/activity', problemPath('client-forbidden')]) {
      const { html } = await browser.get(path);
      assert.match(html, ESCAPED, path);
      assert.ok(html.includes('<link rel="icon" href="/pages/favicon">'), path);
      if (!path.startsWith('/docs/')) assert.ok(html.includes('src="/pages/logo"'), path);
    }
  });

  test('with a logo that cannot run scripts', async () => {
    const reply = await fetch(`${world.service.url}/pages/logo`);
    assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
    assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
    assert.match(reply.headers.get('content-security-policy')!, /^default-src 'none';.* sandbox$/);
    assert.equal(await reply.text(), LOGO);
    const again = await fetch(`${world.service.url}/pages/logo`, {
      headers: { 'if-none-match': reply.headers.get('etag')! },
    });
    assert.equal(again.status, 304);
  });

  test('with an icon, also where browsers look by default', async () => {
    for (const path of ['/pages/favicon', '/favicon.ico']) {
      const reply = await fetch(world.service.sandboxUrl + path);
      assert.equal(reply.status, 200, path);
      assert.equal(reply.headers.get('content-type'), 'image/svg+xml');
      assert.match(await reply.text(), /^<svg /);
    }
  });
});

describe('images of the service', () => {
  const input = (service_logo: string) => ({
    service_name: 'Ads',
    page_language: 'en' as const,
    service_logo,
    service_favicon: '',
  });
  const wrong: readonly (readonly [name: string, bytes: string | Buffer, says: RegExp])[] = [
    ['not-there.png', '', /^Error: service_logo: .*not-there\.png cannot be read \(ENOENT\)$/],
    ['text.png', 'no picture', /^Error: service_logo: .* is not a picture of the type png with a size$/],
    ['html.svg', '<!doctype html><p>no picture', /type svg/],
    ['other.png', JPEG, /type png/],
    ['large.svg', `${LOGO}${' '.repeat(600_000)}`, /is larger than 524288 bytes$/],
  ];
  for (const [name, bytes, says] of wrong) {
    test(`are refused at the start: ${name}`, async () => {
      const path = join(folder, name);
      if (bytes !== '') writeFileSync(path, bytes);
      await assert.rejects(loadBranding(input(path)), says);
    });
  }

  test('may be PNG', async () => {
    const path = join(folder, 'right.PNG');
    writeFileSync(path, Buffer.from(PNG, 'base64'));
    const { logo, hasLogo } = await loadBranding(input(path));
    assert.equal(logo?.type, 'image/png');
    assert.equal(hasLogo, true);
  });
});
