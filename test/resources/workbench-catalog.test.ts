// On SQLite: the databases differ in nothing that the workbench sees.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { workedExamples } from '../../src/http/reference/worked-examples.ts';
import { browserOf, formsOf, type Seen } from '../rig/browser.ts';
import { dev } from '../rig/developer-surface.ts';
import { makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';

const PATH = '/_dev/workbench';
/** Where examples of webhooks expect their receiver. */
const RECEIVER_PORT = 9912;

let world: World;
let receiver: Server;
before(async () => {
  world = await openWorld({ which: 'sqlite', flags: { rate_limits: 'off' } });
  receiver = createServer((request, response) => {
    const token = new URL(request.url!, 'http://receiver').searchParams.get('crc_token');
    const digest = createHmac('sha256', world.keys.consumer_secret)
      .update(token ?? '')
      .digest('base64');
    response.setHeader('content-type', 'application/json');
    response.end(token === null ? '' : JSON.stringify({ response_token: `sha256=${digest}` }));
  }).listen(RECEIVER_PORT, '127.0.0.1');
  await once(receiver, 'listening');
});
after(async () => {
  receiver?.close();
  await world.close();
});

const { examples } = workedExamples();

test('every operation has an example', () => {
  assert.deepEqual(
    Object.keys(examples),
    operations.map(({ id }) => id),
  );
});

/** A page of a browser without scripts, and the fields of its form of the request. */
async function fieldsAt(
  page: Promise<Seen>,
): Promise<{ readonly html: string; readonly fields: Record<string, string> }> {
  const { html, status } = await page;
  assert.equal(status, 200, /role="alert".*?<\/div>/s.exec(html)?.[0]);
  const { members } = formsOf(html).find(({ method, action }) => method === 'post' && action === PATH)!;
  // A choice of nothing is sent as such.
  const none = [...html.matchAll(/<select id="(\w+)"[^>]*><option value="" selected>/g)].map(([, name]) => [name, '']);
  return { html, fields: { ...members, ...Object.fromEntries(none) } };
}

/** Sends a form of the workbench. */
function post(fields: Record<string, string>): Promise<Seen> {
  return browserOf(world.service.url).post(PATH, fields, { origin: world.service.url });
}

/** What only a person or a command can fill in. */
const FILLED: Readonly<Record<string, (form: Record<string, string>) => Promise<void>>> = {
  async 'oauth.access_token'(form) {
    const token = /oauth_token=(\S+)/.exec(form.more!)![1]!;
    const { requestToken } = (await world.service.grants.find(token))!;
    const { verifier } = (await world.service.grants.approve(requestToken, world.keys.user_id!))!;
    form.p_oauth_verifier = verifier;
  },
  async 'oauth.invalidate_token'(form) {
    form.more = '';
    form.signer = 'Demo reader/ada_demo';
  },
  async 'delivery.decisions'(form) {
    form.credential = await makePublisher(world);
  },
};

for (const { id, credential = 'user' } of operations) {
  test(`the workbench makes, signs and sends ${id}`, async () => {
    // Examples have names of their own by the time.
    world.clock.advance(1);
    const { html, fields } = await fieldsAt(post({ operation: id, act: 'example' }));
    await FILLED[id]?.(fields);
    assert.doesNotMatch(JSON.stringify(fields), /\$[A-Z]/, 'every variable has a value');
    const isSigned = !['basic', 'bearer', 'publisher'].includes(credential);
    assert.equal(/<h3>Base string<\/h3>/.test(html), isSigned && id !== 'oauth.invalidate_token');
    const { status, location } = await post({ ...fields, act: 'send' });
    assert.equal(status, 303);
    const name = new URL(location!, world.service.url).searchParams.get('request');
    const { body } = await dev(world, 'GET', `/_dev/requests/${name}/json`);
    const expected = [id, examples[id]!.status, 'sandbox'];
    assert.deepEqual([body.operation, body.reply?.status, body.environment], expected, body.reply?.body);
    const sent = await fieldsAt(browserOf(world.service.url).get(location!.replace(/#.*/, '')));
    assert.match(sent.html, new RegExp(`<strong class="delivered">${examples[id]!.status}\\.</strong>`));
    assert.match(sent.html, /<strong>Valid\.<\/strong>/);
  });
}
