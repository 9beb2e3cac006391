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
import { JPEG } from '../rig/tiny-media.ts';
import { openWorld, type World } from '../rig/world.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>alert(1)</script></svg>';
/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const NAME = 'Harbour <Ads> & "Co"';
const ESCAPED = /Harbour &#60;Ads&#62; &#38; &#34;Co&#34;|Harbour &lt;Ads&gt; &amp; &quot;Co&quot;/;

let world: World;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-branding-'));
  writeFileSync(join(folder, 'logo.svg'), LOGO);
  world = await openWorld({ flags: { service_name: NAME, service_logo: join(folder, 'logo.svg') } });
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true });
});

describe('the page at /', () => {
  for (const [environment, about] of [
    ['production', /serves the production API/],
    ['sandbox', /serves the sandbox API/],
  ] as const) {
    test(`explains ${environment}, and links to other pages`, async () => {
      const { url, sandboxUrl } = world.service;
      const [own, other] = environment === 'production' ? [url, sandboxUrl] : [sandboxUrl, url];
      const { status, headers, html } = await browserOf(own).get('/');
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(headers.get('content-security-policy')!, /^default-src 'none'; style-src 'self'; img-src 'self'/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('vary'), 'accept, accept-language, cookie');
      assert.match(html, about);
      assert.match(html, ESCAPED);
      for (const href of ['/ads', '/docs/', '/openapi.json', '/developer/apps', '/settings/connected_apps', other]) {
        assert.ok(html.includes(`href="${href}"`), href);
      }
    });
  }

  test('shows logins and keys in development, but not under a foreign name', async () => {
    const shown = async (host: string) =>
      (await request(world.service.url, { headers: { accept: 'text/html', host } })).body.text();
    const { username, password, consumer_key, access_token_secret } = world.keys as Record<string, string>;
    const own = await shown(new URL(world.service.url).host);
    assert.match(own, /nothing that you create here is real/);
    for (const text of [`${username} / ${password}`, consumer_key!, access_token_secret!])
      assert.ok(own.includes(text));
    const foreign = await shown('foreign.localhost.example');
    assert.ok(!foreign.includes(consumer_key!) && !foreign.includes(password!));
  });

  test('leads those who are logged in to their ads', async () => {
    const user = browserOf(world.service.url);
    await logIn(user, await addPerson(world));
    const { status, location } = await user.get('/');
    assert.deepEqual([status, location], [303, '/ads']);
  });

  test('is only for people: programs get 404', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const root = await fetch(`${world.service.url}/`, { headers: { accept } });
      const elsewhere = await fetch(`${world.service.url}/nothing`, { headers: { accept } });
      assert.equal(root.status, 404);
      assert.equal(await root.text(), await elsewhere.text());
    }
  });
});

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
