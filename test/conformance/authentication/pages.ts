import assert from 'node:assert/strict';
import { formsOf, linkOf, type Seen, unescaped } from '../../rig/browser.ts';
import type { Api } from '../api.ts';
import type { SigningKeys } from '../keys.ts';
import { type Rule, rule } from '../rule.ts';
import { approved, beginLogin, decide, exchange, openConsent, pinOf, takeToken } from './steps.ts';

const READ_ONLY = '/oauth/request_token?ext_auth_access_type=read';

/** A request token that leads back to the callback of the keys. */
async function beginWithCallback(api: Api): Promise<{ readonly request: SigningKeys; readonly callback: URL }> {
  api.key('password');
  const callback = api.key('callback_url');
  const request = await beginLogin(api, { path: READ_ONLY, oauth: { oauth_callback: callback } });
  return { request, callback: new URL(callback) };
}

/** The form of consent on a page. */
function consentForm({ html }: Seen) {
  const tag = /<form[^>]*\bid="oauth_form"[^>]*>/.exec(html);
  assert.ok(tag, 'no form with the id oauth_form');
  const form = formsOf(html.slice(tag.index))[0];
  assert.ok(form);
  return form;
}

/** Expects an error page, which leads nowhere. */
function expectErrorPage(page: Seen): void {
  assert.deepEqual([page.status, page.location], [403, null]);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
}

/** Where the browser is sent, by a redirect or by the link of a page. */
function destination(seen: Seen, callback: URL): URL {
  const found = seen.location ?? linkOf(seen.html, callback.origin);
  assert.ok(found, `nothing leads to ${callback}: ${seen.status}`);
  return new URL(unescaped(found));
}

/** Checks of consent: sections 0.10, 6 and 8. */
export const pageRules: readonly Rule[] = [
  rule('authentication 0.10.1', async (api) => {
    const { status, html } = await openConsent(api, await beginLogin(api));
    assert.equal(status, 200);
    assert.match(html, /oauth_form/);
  }),
  rule('authentication 3.1.3', async (api) => {
    const { request, pin } = await approved(api);
    assert.match(pin, /^\d{7}$/);
    takeToken(api, await exchange(api, request, pin));
    const back = await beginWithCallback(api);
    const { searchParams } = destination(await decide(api, back.request, 'authorize'), back.callback);
    assert.match(searchParams.get('oauth_verifier') ?? '', /^[A-Za-z0-9]{32}$/);
    takeToken(api, await exchange(api, back.request, searchParams.get('oauth_verifier')!));
  }),
  rule('authentication 6.1.1', async (api) => {
    const browser = api.browser();
    for (const query of ['', '?oauth_token=', '?oauth_token=nobody']) {
      expectErrorPage(await browser.get(`/oauth/authorize${query}`));
    }
    const { request, pin } = await approved(api);
    takeToken(api, await exchange(api, request, pin));
    expectErrorPage(await openConsent(api, request));
  }),
  rule('authentication 6.1.2', async (api) => {
    const request = await beginLogin(api);
    for (const value of ['true', '1']) {
      const page = await openConsent(api, request, `&force_login=${value}`);
      assert.ok('session[password]' in consentForm(page).members);
    }
  }),
  rule('authentication 6.1.3', async (api) => {
    const page = await openConsent(api, await beginLogin(api), '&screen_name=somebody');
    assert.equal(consentForm(page).members['session[username_or_email]'], 'somebody');
  }),
  rule('authentication 6.1.5', async (api) => {
    const query = '&oauth_callback=https%3A%2F%2Felsewhere.example.test&oauth_nonce=5&lang=xx&something=else';
    const page = await openConsent(api, await beginLogin(api), query);
    assert.equal(page.status, 200);
    assert.ok(!page.html.includes('elsewhere.example.test'));
  }),
  rule('authentication 6.2.1', async (api) => {
    const { members } = consentForm(await openConsent(api, await beginLogin(api)));
    assert.ok('session[username_or_email]' in members && 'session[password]' in members);
  }),
  rule('authentication 6.3.3', async (api) => {
    const { html } = await openConsent(api, await beginLogin(api));
    assert.match(html, />\s*Authorize app\s*</);
    assert.match(html, />\s*Cancel\s*</);
  }),
  rule('authentication 6.4.1', async (api) => {
    const { request, callback } = await beginWithCallback(api);
    const sent = await decide(api, request, 'authorize');
    const found = destination(sent, callback);
    const own = [...callback.searchParams.keys()];
    assert.deepEqual([...found.searchParams.keys()], [...own, 'oauth_token', 'oauth_verifier']);
    assert.equal(found.searchParams.get('oauth_token'), request.access_token);
    assert.equal(found.origin + found.pathname, callback.origin + callback.pathname);
    takeToken(api, await exchange(api, request, found.searchParams.get('oauth_verifier')!));
  }),
  rule('authentication 6.4.2', async (api) => {
    api.key('password');
    const request = await beginLogin(api, { path: READ_ONLY });
    const seen = await decide(api, request, 'authorize');
    assert.deepEqual([seen.status, seen.location], [200, null]);
    const pin = pinOf(seen);
    assert.ok(!new RegExp(`(href|action|src)="[^"]*${pin}`).test(seen.html));
    takeToken(api, await exchange(api, request, pin));
  }),
  rule('authentication 6.4.3', async (api) => {
    const { request, callback } = await beginWithCallback(api);
    const found = destination(await decide(api, request, 'cancel'), callback);
    assert.equal(found.searchParams.get('denied'), request.access_token);
    assert.deepEqual([found.searchParams.has('oauth_token'), found.searchParams.has('oauth_verifier')], [false, false]);
  }),
  rule('authentication 6.4.4', async (api) => {
    api.key('password');
    const seen = await decide(api, await beginLogin(api), 'cancel');
    assert.deepEqual([seen.status, seen.location], [200, null]);
    assert.ok(!seen.html.includes('oauth_pin'));
  }),
  rule('authentication 6.4.8', async (api) => {
    const { request, callback } = await beginWithCallback(api);
    const seen = await decide(api, request, 'authorize');
    assert.equal(seen.status, 303);
    const { searchParams } = destination(seen, callback);
    takeToken(api, await exchange(api, request, searchParams.get('oauth_verifier')!));
  }),
  rule('authentication 6.5.3', async (api) => {
    const page = await api.browser().get('/oauth/authorize?oauth_token=nobody', { accept: 'application/json' });
    assert.equal(page.status, 403);
    assert.equal(JSON.parse(page.html).errors[0].code, 89);
  }),
  rule('authentication 6.5.4', async (api) => {
    const page = await api.browser().get('/oauth/authorize?oauth_token=%3Cb%3Enobody');
    expectErrorPage(page);
    assert.ok(!page.html.includes('<b>nobody'));
  }),
  rule('authentication 6.6.1', async (api) => {
    const { method, action } = consentForm(await openConsent(api, await beginLogin(api)));
    assert.equal(method?.toLowerCase(), 'post');
    assert.equal(new URL(action!, api.url).pathname, '/oauth/authorize');
  }),
  rule('authentication 6.6.2', async (api) => {
    const request = await beginLogin(api);
    const { members } = consentForm(await openConsent(api, request, '&force_login=true'));
    assert.ok(members.authenticity_token, 'no authenticity_token');
    assert.deepEqual([members.oauth_token, 'force_login' in members], [request.access_token, true]);
  }),
  rule('authentication 6.6.4', async (api) => {
    const { html } = await openConsent(api, await beginLogin(api));
    for (const pattern of [/id="allow"/, /id="cancel"/, /name="cancel"/]) assert.match(html, pattern);
  }),
  rule('authentication 6.6.5', async (api) => {
    api.key('password');
    const request = await beginLogin(api, { path: READ_ONLY });
    const seen = await decide(api, request, 'authorize');
    assert.match(seen.html, /<div id="oauth_pin">\s*<kbd aria-labelledby="code-desc">\s*<code>\d{7}<\/code>/);
    assert.match(seen.html, /id="code-desc"/);
    takeToken(api, await exchange(api, request, pinOf(seen)));
  }),
  rule('authentication 6.6.7', async (api) => {
    const refuse = async (name: string): Promise<Seen> => {
      const browser = api.browser();
      const page = await browser.get(`/oauth/authorize?oauth_token=${(await beginLogin(api)).access_token}`);
      const typed = { 'session[username_or_email]': name, 'session[password]': 'wrong' };
      return browser.submit(page, typed, { to: '/oauth/authorize' });
    };
    const [known, unknown] = [await refuse(api.key('username')), await refuse('nobody_at_all')];
    assert.deepEqual([known.status, unknown.status], [401, 401]);
    assert.ok('session[password]' in consentForm(known).members);
  }),
  rule('authentication 6.7.1', async (api) => {
    const { request, callback } = await beginWithCallback(api);
    const seen = await decide(api, request, 'authorize');
    assert.equal(seen.status, 303);
    assert.equal(seen.headers.get('referrer-policy'), 'no-referrer');
    assert.match(seen.headers.get('cache-control') ?? '', /no-store/);
    const { searchParams } = destination(seen, callback);
    takeToken(api, await exchange(api, request, searchParams.get('oauth_verifier')!));
  }),
  rule('authentication 8.3', async (api) => {
    api.key('password');
    const request = await beginLogin(api);
    await decide(api, request, 'cancel');
    expectErrorPage(await openConsent(api, request));
  }),
  rule('authentication 8.6', async (api) => {
    const { request, pin } = await approved(api);
    expectErrorPage(await openConsent(api, request));
    takeToken(api, await exchange(api, request, pin));
  }),
  rule('authentication 8.9', async (api) => {
    api.key('password');
    const request = await beginLogin(api);
    await decide(api, request, 'cancel');
    const { status, body } = await exchange(api, request, 'any');
    assert.deepEqual([status, body.errors[0].code], [401, 89]);
    expectErrorPage(await openConsent(api, request));
  }),
  rule('authentication 15.2.1', async (api) => {
    const { headers } = await openConsent(api, await beginLogin(api));
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(headers.get('x-frame-options'), 'DENY');
  }),
  rule('authentication 15.2.6', async (api) => {
    const { headers } = await openConsent(api, await beginLogin(api));
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.match(headers.get('cache-control') ?? '', /no-store/);
  }),
];
