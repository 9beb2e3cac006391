// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createValidate } from '../../src/features/activity/webhooks/administration.ts';
import { webhookKey } from '../../src/features/activity/webhooks/signing.ts';
import { addPerson, type Browser, browserOf, logIn, type Person, unescaped } from '../rig/browser.ts';
import { type AppliedChange, make, shownAs } from '../rig/developer.ts';
import { bearerClient, changeBio } from '../rig/events.ts';
import { until } from '../rig/patience.ts';
import { type Answering, openReceiver, type Receiver, responseToken, said, status } from '../rig/receiver.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let ada: Person;
let browser: Browser;
let application: AppliedChange;
let receiver: Receiver;
let path: string;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
  ada = await addPerson(world);
  browser = browserOf(world.service.url);
  await logIn(browser, ada);
  application = await make(browser);
  receiver = await openReceiver(application.consumer_secret);
  path = `${application.path}/webhooks`;
});
after(async () => {
  await receiver.close();
  await world.close();
});

describe('the page of webhooks', () => {
  test('lists webhooks and deliveries, and resends deliveries', async () => {
    const empty = await browser.get(path);
    assert.equal(empty.status, 200, empty.html);
    assert.match(empty.html, /No webhooks yet/);
    const client = await bearerClient(world, { ...application, access_token: '', access_token_secret: '' });
    const made = await client.call('POST', '/2/webhooks', { url: `${receiver.url}?a=<b>` });
    assert.equal(made.status, 200, made.text);
    await client.call('POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: ada.id },
      webhook_id: made.body.data.id,
    });
    receiver.answer = status(500);
    await changeBio(world, ada.id, ['x']);
    const query = { webhook: made.body.data.id as string, state: undefined, after: undefined, limit: 1 };
    const newest = async () => (await world.service.store.read((tx) => tx.webhookDeliveries.page(query)))[0];
    await until('it was tried', async () => (await newest())?.tries.length === 1);
    const pending = await browser.get(path);
    assert.ok(unescaped(pending.html).includes(`<h2>${receiver.url}?a=<b></h2>`), pending.html);
    assert.ok(!pending.html.includes('<b>'));
    assert.match(
      pending.html,
      /<span class="pending">pending<\/span> after one try: status 500<\/p>\s*<p class="soft">last tried <time datetime="2026-[^<]* UTC<\/time>, next try <time datetime="2026-/,
    );
    assert.doesNotMatch(pending.html, /Send again/);
    receiver.answer = status(200);
    world.clock.advance(3);
    await world.service.jobs.runDue();
    await until('it is delivered', async () => (await newest())?.state === 'delivered');
    const count = receiver.messages.length;
    const again = await browser.submit(await browser.get(path), {}, { to: path });
    assert.deepEqual([again.status, again.location], [303, `${path}?sent=again`]);
    await receiver.came(count + 1);
    assert.equal(receiver.messages[0]!.body, receiver.messages.at(-1)!.body);
    assert.match((await browser.get(again.location!)).html, /The event will be sent again/);
  });

  test('shows a new secret once', async () => {
    const page = await browser.get(path);
    const [, webhook] = /name="webhook" value="(\d+)"/.exec(page.html)!;
    const [, token] = /name="authenticity_token" value="([^"]+)"/.exec(page.html)!;
    const members = { authenticity_token: token!, webhook: webhook!, from: 'first' };
    const told = await browser.post(path, members);
    assert.equal(told.status, 200, told.html);
    const secret = shownAs(told.html, 'Webhook secret');
    recordSecret('webhook secret', secret);
    const count = receiver.messages.length;
    await changeBio(world, ada.id, ['y']);
    await receiver.came(count + 1);
    const { headers, body } = receiver.messages.at(-1)!;
    const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const own = createHmac('sha256', webhookKey(secret)).update(text).digest('base64');
    assert.match(String(headers['webhook-signature']), /^v1,\S+ v1,\S+$/);
    assert.ok(String(headers['webhook-signature']).startsWith(`v1,${own} `));
    // Reloading replaces nothing.
    const repeated = await browser.post(path, members);
    assert.notEqual(repeated.status, 200);
    assert.ok(!repeated.html.includes('whsec_'));
  });

  test('shows invalid webhooks without a way to resend', async () => {
    receiver.answer = status(410);
    await changeBio(world, ada.id, ['z']);
    await until('it is invalid', async () => (await browser.get(path)).html.includes('Not valid: Status 410'));
    assert.doesNotMatch((await browser.get(path)).html, /Send again/);
  });

  describe('validates one', () => {
    let id: string;
    before(async () => {
      [, id = ''] = /name="webhook" value="(\d+)"/.exec((await browser.get(path)).html)!;
    });
    const validate = async (options = {}) => {
      const page = await browser.get(path);
      return browser.submit(page, {}, { to: `${path}#webhook-${id}`, ...options });
    };
    const right = (): Answering => (arrived, response) =>
      said(JSON.stringify({ response_token: responseToken(application.consumer_secret, arrived) }))(arrived, response);

    // Each begins with what the one before has left.
    const cases: readonly (readonly [what: string, answer: Answering, told: string, later: string])[] = [
      [
        'that is not valid, and stays so',
        said('{"response_token":"sha256=x"}'),
        '<p class="alert" role="alert">Not valid: Invalid response_token; it does not match; check that it is signed with the consumer secret of the application. Nothing is sent to it until it answers a challenge correctly.</p>',
        '<p class="alert">Not valid: Invalid response_token. Nothing is sent to it until it answers a challenge correctly.</p>',
      ],
      [
        'that answers rightly again',
        right(),
        '<p class="notice" role="status">Valid: it answered the challenge correctly.</p>',
        '<p>Valid</p>',
      ],
      [
        'that does not answer for once',
        status(500),
        '<p class="alert" role="alert">Still valid, but it did not answer this challenge: Status 500; expected status 200, got 500.</p>',
        '<p>Valid; it did not answer its last challenge: Status 500</p>',
      ],
      [
        'whose receiver tells the browser something',
        status(302, { location: 'https://a.example/<script>' }),
        '<p class="alert" role="alert">Not valid: A redirect; 302 redirects to https://a.example/&#60;script&#62;; redirects are not followed: register the final URL. Nothing is sent to it until it answers a challenge correctly.</p>',
        '<p class="alert">Not valid: A redirect. Nothing is sent to it until it answers a challenge correctly.</p>',
      ],
    ];
    for (const [what, answer, told, later] of cases) {
      test(what, async () => {
        receiver.answerChallenge = answer;
        const count = receiver.challenges.length;
        const seen = await validate();
        assert.equal(seen.status, 200, seen.html);
        assert.equal(receiver.challenges.length, count + 1);
        assert.ok(seen.html.includes(told), seen.html);
        assert.ok((await browser.get(path)).html.includes(later));
      });
    }

    test('with the message of the equivalent call; outside development without what the receiver sent', async () => {
      const client = await bearerClient(world, { ...application, access_token: '', access_token_secret: '' });
      receiver.answerChallenge = said('{"token":"x"}');
      const put = await client.call('PUT', `/2/webhooks/${id}`);
      assert.equal(put.status, 400, put.text);
      const { html } = await validate();
      const reason = 'No response_token';
      assert.ok(put.body.errors[0].message.endsWith(`Reason: ${reason}`), put.text);
      assert.ok(html.includes(`Not valid: ${reason}; ${put.headers.get('x-hint')}.`), html);
      const { services, store } = world.service;
      const webhook = await store.read((tx) => tx.webhooks.find(id));
      const inProduction = createValidate(services, { tellsHints: false });
      assert.deepEqual(await inProduction(webhook!), { hasPassed: false, reason });
    });

    test('only of the form', async () => {
      receiver.answerChallenge = right();
      const count = receiver.challenges.length;
      assert.equal((await validate({ without: ['authenticity_token'] })).status, 403);
      assert.equal(receiver.challenges.length, count);
      assert.match((await browser.get(path)).html, /Not valid/);
    });

    test('that is removed meanwhile', async () => {
      const client = await bearerClient(world, { ...application, access_token: '', access_token_secret: '' });
      const { body } = await client.call('POST', '/2/webhooks', { url: `${receiver.url}/short` });
      receiver.answerChallenge = (arrived, response) => {
        void client.call('DELETE', `/2/webhooks/${body.data.id}`).then(() => right()(arrived, response));
      };
      const page = await browser.get(path);
      const seen = await browser.submit(page, {}, { to: `${path}#webhook-${body.data.id}` });
      assert.equal(seen.status, 404, seen.html);
      receiver.answerChallenge = right();
      assert.match((await validate()).html, /Valid: it answered/);
    });
  });

  test('is only for the owner, and so are its buttons', async () => {
    const ben = await addPerson(world);
    const stranger = browserOf(world.service.url);
    assert.equal((await stranger.get(path)).status, 303);
    await logIn(stranger, ben);
    assert.equal((await stranger.get(path)).status, 404);
    const own = await make(stranger);
    const page = await stranger.get(own.path);
    const [, token] = /name="authenticity_token" value="([^"]+)"/.exec(page.html)!;
    const [, webhook] = /name="webhook" value="(\d+)"/.exec((await browser.get(path)).html)!;
    const members = { authenticity_token: token!, webhook: webhook!, from: 'first' };
    const refused = await stranger.post(`${own.path}/webhooks`, members);
    assert.equal(refused.status, 404, refused.html);
    const count = receiver.challenges.length;
    const validated = await stranger.post(`${own.path}/webhooks`, { ...members, validate: 'now' });
    assert.equal(validated.status, 404, validated.html);
    assert.equal(receiver.challenges.length, count);
  });
});
