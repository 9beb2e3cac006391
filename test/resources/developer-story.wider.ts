// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { addPerson } from '../rig/browser.ts';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { type Keys, protocol } from '../rig/client.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { type Hands, keyHands, mouseHands } from '../rig/hands.ts';
import { openAt, says as pageSays } from '../rig/pages-in-chromium.ts';
import { openReceiver, status } from '../rig/receiver.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let chromium: Chromium;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

describe('a developer', () => {
  for (const [means, handsOf, application] of [
    ['a mouse', mouseHands, 'Tide tables'],
    ['keys alone', keyHands, 'Night ferry'],
  ] as const) {
    test(`registers, mends a signature and watches a webhook with ${means}`, async () => {
      const tab = await openAt(chromium, world, '/login');
      await wholeStory(tab, handsOf(tab), application);
      await tab.close();
    });
  }
});

async function wholeStory(tab: Tab, hands: Hands, application: string): Promise<void> {
  const says = (text: RegExp): Promise<void> => pageSays(tab, text);
  const { id: user, name, password } = await addPerson(world);
  await hands.write('username_or_email', name);
  await hands.write('password', password);
  await hands.follow('Log in');
  await hands.follow('Developer');
  await hands.follow('Register an application');
  await hands.write('name', application);
  await hands.write('website_url', 'https://reports.test/');
  await hands.write('callbacks', 'http://127.0.0.1:3000/done');
  await hands.follow('Register');
  const consumer = await secretsShown(tab);
  await hands.follow(`Go on to ${application}`);
  await hands.follow('Create your token');
  await hands.follow('Create token');
  const keys = { ...consumer, ...(await secretsShown(tab)) } as unknown as Keys;

  // The secret of the token is forgotten, as happens to most at first.
  assert.equal(await getAccounts({ ...keys, access_token_secret: '' }), 401);
  await hands.follow('Developer tools');
  await hands.follow('Signature debugger');
  await hands.follow('GET /12/accounts', 'main li:first-of-type a');
  await says(/Sign with consumer secret, & and token secret/);
  assert.equal(await getAccounts(keys), 200);
  await hands.follow('Requests');
  await says(/GET \/12\/accounts\s+200/);

  const receiver = await openReceiver(keys.consumer_secret);
  after(() => receiver.close());
  receiver.answer = status(500);
  const client = await bearerClient(world, keys);
  const { body } = await client.call('POST', '/2/webhooks', { url: receiver.url });
  const subscription = {
    event_type: 'profile.update.bio',
    filter: { user_id: user },
    webhook_id: body.data.id,
  };
  assert.equal((await client.call('POST', '/2/activity/subscriptions', subscription)).status, 200);
  await changeBio(world, user, ['Sails at dawn.']);
  await receiver.came(1);
  await hands.follow('Applications');
  await hands.follow(application);
  await hands.follow('Webhooks');
  await says(/profile.update.bio pending after one try: status 500/);
  await hands.follow('Developer tools');
  await hands.follow('Clock');
  await hands.follow('1 hour');
  await hands.follow('Applications');
  await hands.follow(application);
  await hands.follow('Webhooks');
  await says(/profile.update.bio failed after \d+ tries: status 500/);
  const count = receiver.messages.length;
  receiver.answer = status(200);
  await hands.follow('Send again');
  await receiver.came(count + 1);
  assert.equal(receiver.messages[0]!.body, receiver.messages.at(-1)!.body);
  await hands.follow('Calls and limits');
  await says(/GET \/12\/accounts\s+1\s+0/);
}

/** The credentials of a page that shows them once, by the names that they have in settings of clients. */
async function secretsShown(tab: Tab): Promise<Record<string, string>> {
  const rows: [string, string][] = await tab.look(`[...document.querySelectorAll('.secrets dt')].map((each) =>
    [each.textContent.toLowerCase().replaceAll(' ', '_'), each.nextElementSibling.textContent])`);
  for (const [name, value] of rows) recordSecret(name, value);
  return Object.fromEntries(rows);
}

/** The status of a call that was signed with keys. */
async function getAccounts(keys: Keys): Promise<number> {
  const url = `${world.service.url}/12/accounts`;
  const { header } = sign({
    ...{ method: 'GET', url, oauth: protocol(keys, world.clock) },
    ...{ consumerSecret: keys.consumer_secret, tokenSecret: keys.access_token_secret },
  });
  const reply = await request(url, { headers: { authorization: header } });
  await reply.body.dump();
  return reply.statusCode;
}
