// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addApplication,
  addPerson,
  addRequestToken,
  browserOf,
  linkOf,
  outlineOf,
  type Person,
  typed,
} from '../rig/browser.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;

before(async () => {
  world = await openWorld();
  ada = await addPerson(world);
});
after(() => world.close());

/** A browser at the page of an application that has asked for a PIN. */
async function begin(name?: string) {
  const application = await addApplication(world, { callbacks: '[]', ...(name && { name }) });
  const token = await addRequestToken(world, application, { callback: 'oob' });
  const user = browserOf(world.service.url);
  const page = await user.get(`/oauth/authorize?oauth_token=${token}`);
  return { user, page, token, application };
}

describe('an application without a callback', () => {
  test('gets a PIN, which is on the page where scripts expect it, and in no URL', async () => {
    const { user, page, application } = await begin();
    assert.match(page.html, /You will then get a code/);
    const sent = await user.submit(page, typed(ada));
    assert.deepEqual([sent.status, sent.location], [200, null]);
    assert.match(sent.html, /<div id="oauth_pin"><kbd aria-labelledby="code-desc"><code>\d{7}<\/code><\/kbd><\/div>/);
    assert.match(sent.html, /id="code-desc">Go back to /);
    assert.equal(outlineOf(sent.html).heading, `You have given ${application.name} access`);
    assert.ok(!/<form|<a /.test(sent.html));
  });

  test('has a form that leads nowhere else', async () => {
    const { page } = await begin();
    assert.match(page.headers.get('content-security-policy')!, /form-action 'self';/);
  });

  test('has one PIN: a repeated form is refused', async () => {
    const { user, page, token } = await begin();
    const sent = await user.submit(page, typed(ada));
    const stored = () => world.service.store.read((tx) => tx.requestTokens.find(token));
    const { verifier_hash } = (await stored())!;
    const again = await user.get(`/oauth/authorize?oauth_token=${token}`);
    assert.equal(sent.status, 200);
    assert.deepEqual([again.status, outlineOf(again.html).heading], [403, 'This link no longer works']);
    assert.equal((await stored())!.verifier_hash, verifier_hash);
  });

  test('learns nothing when the user denies', async () => {
    const { user, page, application } = await begin();
    const sent = await user.submit(page, { cancel: 'Cancel' });
    assert.deepEqual([sent.status, sent.location], [200, null]);
    assert.equal(outlineOf(sent.html).heading, `${application.name} was not authorized`);
    assert.ok(!sent.html.includes('<a '));
  });

  test('has its name shown as text on each page', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const first = await begin(name);
    assert.ok(!(await first.user.submit(first.page, typed(ada))).html.includes('<img'));
    const second = await begin(`${name} 2`);
    assert.ok(!(await second.user.submit(second.page, { cancel: '1' })).html.includes('<img'));
  });
});

test('with the setting deny_redirect=link a denial shows a link, except into other programs', async () => {
  const linking = await openWorld({ flags: { deny_redirect: 'link' } });
  try {
    const user = browserOf(linking.service.url);
    const refuse = async (callback: string) => {
      const application = await addApplication(linking, { callbacks: JSON.stringify([callback]) });
      const token = await addRequestToken(linking, application);
      return { token, sent: await user.submit(await user.get(`/oauth/authorize?oauth_token=${token}`), { deny: '1' }) };
    };
    const page = await refuse('https://client.test/back');
    assert.deepEqual([page.sent.status, page.sent.location], [200, null]);
    assert.equal(linkOf(page.sent.html, 'denied'), `https://client.test/back?denied=${page.token}`);
    const program = await refuse('myapp://done');
    assert.deepEqual([program.sent.status, program.sent.location], [303, `myapp://done?denied=${program.token}`]);
  } finally {
    await linking.close();
  }
});
