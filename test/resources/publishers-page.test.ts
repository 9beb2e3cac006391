import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addPerson, browserOf, logIn, type Person, type Seen, unescaped } from '../rig/browser.ts';
import { recordSecret } from '../rig/secrets.ts';
import { decide } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = '/developer/publishers';
const ASKED = { placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] };

let world: World;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off', applications_per_user_max: 2 } });
});
after(() => world.close());

async function userOf(person: Person) {
  const browser = browserOf(world.service.url);
  await logIn(browser, person);
  return browser;
}

function credentialOf({ html }: Seen): string {
  const credential = /<code>(pub_\w+)<\/code>/.exec(html)?.[1] ?? assert.fail(html);
  recordSecret('publisher', credential);
  return credential;
}

/** The hidden members of the form that does something to a publisher. */
function membersOf({ html }: Seen, act: string): Record<string, string> {
  const form = [...html.matchAll(/<form[^>]*>(.*?)<\/form>/gs)].find(([text]) => text.includes(`value="${act}"`));
  const inputs = (form ?? assert.fail(`no ${act} in ${html}`))[1]!.matchAll(/name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...inputs].map(([, name, value]) => [name!, unescaped(value!)]));
}

const statusOf = async (credential: string): Promise<number> => (await decide(world, credential, ASKED)).status;

test('a user registers a publisher, replaces its credential and disables it', async () => {
  const person = await addPerson(world);
  const browser = await userOf(person);
  const made = await browser.submit(await browser.get(PATH), { name: 'Harbour <News>' });
  assert.equal(made.status, 200, made.html);
  const first = credentialOf(made);
  assert.equal(await statusOf(first), 200);
  const list = await browser.get(PATH);
  assert.match(list.html, /Harbour &#60;News&#62;/);
  assert.ok(!list.html.includes(first), 'the credential is shown once');

  const again = membersOf(list, 'rotate');
  const second = credentialOf(await browser.post(PATH, again));
  assert.deepEqual([await statusOf(first), await statusOf(second)], [401, 200]);
  assert.equal(credentialOf(await browser.post(PATH, again)), second, 'a reload replaces nothing');
  assert.equal(await statusOf(second), 200);

  const ended = await browser.post(PATH, membersOf(await browser.get(PATH), 'disable'));
  assert.deepEqual([ended.status, ended.location], [303, `${PATH}?saved=yes`]);
  assert.equal(await statusOf(second), 401);
  const enable = { ...again, act: 'enable' };
  assert.equal((await browser.post(PATH, enable)).status, 404, 'only the operator enables it again');
  assert.equal(await statusOf(second), 401);

  const [publisher] = await world.service.store.read((tx) => tx.publishers.list(person.id));
  assert.deepEqual([publisher!.environment, publisher!.may_explain], ['sandbox', 0]);
  const records = await world.service.store.read((tx) => tx.audit.listRecords({ limit: 1000 }));
  const own = records.filter(({ targets }) => targets.includes(`publisher:${publisher!.id}`));
  assert.deepEqual(
    own.map(({ event, actor }) => [event, actor]).sort(),
    ['publisher_created', 'publisher_credential_renewed', 'publisher_disabled'].map((event) => [
      event,
      `user:${person.id}`,
    ]),
  );
});

test('names are checked, and so is how many there are', async () => {
  const browser = await userOf(await addPerson(world));
  const page = await browser.get(PATH);
  for (const name of ['', 'x'.repeat(81)]) assert.equal((await browser.submit(page, { name })).status, 400);
  credentialOf(await browser.submit(page, { name: 'One' }));
  assert.match(
    (await browser.submit(await browser.get(PATH), { name: 'One' })).html,
    /You have a publisher of this name/,
  );
  credentialOf(await browser.submit(page, { name: 'Two', environment: 'production' }));
  const all = await world.service.store.read((tx) => tx.publishers.list());
  assert.ok(
    all.every(({ environment }) => environment === 'sandbox'),
    'only operators register those of production',
  );
  assert.match((await browser.submit(page, { name: 'Three' })).html, /You can have at most 2 publishers/);
});

test('publishers of others are out of reach, and forms need their token', async () => {
  const owner = await userOf(await addPerson(world));
  const credential = credentialOf(await owner.submit(await owner.get(PATH), { name: 'Mine' }));
  const members = membersOf(await owner.get(PATH), 'disable');
  const other = await userOf(await addPerson(world));
  const page = await other.get(PATH);
  assert.ok(!page.html.includes('Mine'));
  const { authenticity_token } = membersOf(page, 'create');
  assert.equal((await other.post(PATH, { ...members, authenticity_token: authenticity_token! })).status, 404);
  assert.equal((await owner.submit(page, members, { without: ['authenticity_token'] })).status, 403);
  assert.equal(await statusOf(credential), 200);
});

test('a credential needs a recent login', async () => {
  const person = await addPerson(world);
  const browser = await userOf(person);
  const page = await browser.get(PATH);
  world.clock.advance(600);
  const asked = await browser.submit(page, { name: 'Later' });
  assert.equal(asked.status, 401);
  assert.match(asked.html, /Confirm that it is you/);
  credentialOf(await browser.submit(asked, { 'session[password]': person.password }));
});
