// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { addApplication, addPerson, addRequestToken, type Person } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { focusedId } from '../rig/pages-in-chromium.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;
let ada: Person;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

/** A tab at the page on which an application asks for access. */
async function begin(callback: string): Promise<{ tab: Tab; token: string }> {
  const application = await addApplication(world, { callbacks: JSON.stringify([callback]) });
  const token = await addRequestToken(world, application, { callback });
  const tab = await chromium.tab();
  await tab.open(`${world.service.url}/oauth/authorize?oauth_token=${token}`);
  return { tab, token };
}

/** Logs in and authorizes, with the keyboard alone. */
async function approve(tab: Tab, person: Person): Promise<void> {
  await tab.look('document.getElementById("username_or_email").focus()');
  await tab.type(person.name);
  await tab.press('Tab');
  await tab.type(person.password);
  await tab.press('Tab');
  assert.equal(await focusedId(tab), 'allow');
  tab.forget();
  await tab.press('Enter');
}

const isLoaded = (part: string) => (told: { method: string; params: { frame?: { url: string } } }) =>
  told.method === 'Page.frameNavigated' && told.params.frame!.url.includes(part);

/** What the browser complained of: blocked loads and navigations among it. */
function complaints(tab: Tab): string[] {
  const entries = tab.log.filter(({ method }) => method === 'Log.entryAdded').map(({ params }) => params.entry.text);
  return (entries as string[]).filter((text) => /Content Security Policy|Refused/.test(text));
}

describe('in a real browser', () => {
  test('a login by keyboard leads to a callback on https', async () => {
    const { tab, token } = await begin('https://client.test/back?next=1');
    await tab.answerFor('https://client.test/', '<h1>Back</h1>');
    await approve(tab, ada);
    await tab.told(isLoaded('client.test'));
    const address = await tab.look('location.href');
    assert.match(address, new RegExp(`^https://client\\.test/back\\?next=1&oauth_token=${token}&oauth_verifier=\\w+$`));
    assert.deepEqual(complaints(tab), []);
    await tab.close();
  });

  test('and to one on this machine with a port, which gets no referrer', async () => {
    const got: { url: string; referer: string | undefined }[] = [];
    const client = createServer((request, response) => {
      got.push({ url: request.url!, referer: request.headers.referer });
      response.end('<h1>Back</h1>');
    });
    await new Promise<void>((done) => client.listen(0, '127.0.0.1', done));
    try {
      const { port } = client.address() as AddressInfo;
      const { tab, token } = await begin(`http://127.0.0.1:${port}/cb`);
      await approve(tab, ada);
      await tab.told(isLoaded('/cb?'));
      assert.deepEqual(complaints(tab), []);
      assert.match(got[0]!.url, new RegExp(`^/cb\\?oauth_token=${token}&oauth_verifier=\\w+$`));
      assert.equal(got[0]!.referer, undefined);
      await tab.close();
    } finally {
      client.closeAllConnections();
      client.close();
    }
  });

  test('and to a program with a scheme of its own', async () => {
    const { tab, token } = await begin('myapp://done');
    await approve(tab, ada);
    const { params } = await tab.told(
      ({ method, params }) => method === 'Network.requestWillBeSent' && params.request.url.startsWith('myapp:'),
    );
    assert.match(params.request.url, new RegExp(`^myapp://done\\?oauth_token=${token}&oauth_verifier=\\w+$`));
    assert.deepEqual(complaints(tab), []);
    await tab.close();
  });

  test('the policy holds: a form that leads elsewhere is blocked', async () => {
    const { tab } = await begin('https://client.test/back');
    await tab.look('document.forms[0].action = "https://evil.test/"; document.getElementById("cancel").click()');
    await tab.told(({ method, params }) => method === 'Log.entryAdded' && /form-action/.test(params.entry.text));
    assert.equal(new URL(await tab.look('location.href')).pathname, '/oauth/authorize');
    await tab.close();
  });

  test('Cancel needs no login', async () => {
    const { tab, token } = await begin('https://client.test/back');
    await tab.answerFor('https://client.test/', '<h1>Back</h1>');
    tab.forget();
    await tab.look('document.getElementById("cancel").click()');
    await tab.told(isLoaded('client.test'));
    assert.equal(await tab.look('location.href'), `https://client.test/back?denied=${token}`);
    await tab.close();
  });

  test('a PIN is shown, and is in no URL', async () => {
    const { tab } = await begin('oob');
    await approve(tab, ada);
    await tab.told(({ method }) => method === 'Page.loadEventFired');
    assert.match(await tab.look('document.querySelector("#oauth_pin code").textContent'), /^\d{7}$/);
    assert.equal(new URL(await tab.look('location.href')).search, '');
    await tab.close();
  });

  test('after a wrong password its field has the focus, and the reason is announced', async () => {
    const { tab } = await begin('oob');
    await approve(tab, { ...ada, password: 'wrong' });
    await tab.told(({ method }) => method === 'Page.loadEventFired');
    assert.equal(await focusedId(tab), 'password');
    assert.match(await tab.look('document.querySelector("[role=alert]").textContent'), /Wrong user name or password/);
    await tab.close();
  });
});
