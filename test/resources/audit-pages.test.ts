// On either database: pages ask the same of both.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import {
  AUDIT_EVENTS,
  type AuditEvent,
  type AuditedEvent,
  type AuditRecord,
  LOG_ONLY,
} from '../../src/contract/store/audit.ts';
import { addPasswordLink } from '../../src/features/platform/user-status.ts';
import { openLog } from '../../src/http/log.ts';
import type { Audit } from '../../src/storage/tables/audit.ts';
import { addPerson, addRequestToken, type Browser, browserOf, logIn, type Person, typed } from '../rig/browser.ts';
import { clientOf } from '../rig/client.ts';
import { APPS, type AppliedChange, confirm, filled, keysOn, make, ownToken } from '../rig/developer.ts';
import { bearerClient } from '../rig/events.ts';
import { collectLog } from '../rig/logs.ts';
import { openReceiver, type Receiver } from '../rig/receiver.ts';
import { withMethods } from '../rig/replaced-methods.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

const NEXT = 'seven quiet harbours';
let world: World;
let ada: Person;
let browser: Browser;
let made: AppliedChange;
let receiver: Receiver;
let text = '';
before(async () => {
  const write = (line: string) => {
    text += line;
    collectLog(line);
  };
  const flags = { rate_limits: 'off', access_log: 'off', login_failures_per_address: 10_000 };
  world = await openWorld({ flags, seams: { log: openLog('info', { write }) } });
  ada = await addPerson(world);
  browser = browserOf(world.service.url);
  recordSecret('password', NEXT);
});
after(async () => {
  collectLog(`${JSON.stringify(await records())}\n`);
  await receiver?.close();
  await world.close();
});

const seen = new Set<AuditEvent>();
const records = (limit = 1000): Promise<AuditRecord[]> =>
  world.service.store.read((tx) => tx.audit.listRecords({ limit }));

type Line = AuditedEvent & { readonly message: string; readonly transaction_id: string; readonly address: string };

type Write = World['service']['store']['write'];

/** Lets `append` take the place of what stores records, while something is done. */
async function appending<T>(
  append: (audit: Audit, write: string) => Audit['append'],
  work: () => Promise<T>,
): Promise<T> {
  const { store } = world.service;
  const { write } = store;
  const instead: Write = (unit) =>
    write((tx) => unit({ ...tx, audit: withMethods(tx.audit, { append: append(tx.audit, String(unit)) }) }));
  Object.assign(store, { write: instead });
  try {
    return await work();
  } finally {
    Object.assign(store, { write });
  }
}

/** A unit that stores records alone, after what they tell of. */
const APART = '(tx) => tx.audit.append(records)';
/** What changes no row, or one of a session alone; everything else is stored in the unit that does it. */
const AFTERWARDS: readonly AuditEvent[] = [
  'login',
  'logout',
  'reauthenticated',
  'reauthentication_failed',
  'recovery_code_used',
];

/** Does something, and holds what the log says of it, and what is stored, against what is expected. */
async function brings<T>(
  work: () => Promise<T>,
  ...expected: readonly (AuditedEvent | ((result: T) => AuditedEvent))[]
): Promise<T> {
  text = '';
  const { length } = await records();
  const apart: AuditEvent[] = [];
  const result = await appending(
    (audit, unit) => (input) => {
      if (unit === APART) apart.push(...input.map(({ event }) => event));
      return audit.append(input);
    },
    work,
  );
  const lines: Line[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'audit');
  const told = lines.map(({ event, user_id, application_id, webhook_id, publisher_id }) => ({
    event,
    ...(user_id && { user_id }),
    ...(application_id && { application_id }),
    ...(webhook_id && { webhook_id }),
    ...(publisher_id && { publisher_id }),
  }));
  assert.deepEqual(
    told,
    expected.map((each) => (typeof each === 'function' ? each(result) : each)),
  );
  const stored = (await records()).reverse().slice(length);
  const kept = lines.filter(({ event }) => !LOG_ONLY.includes(event));
  // What is stored afterwards may stand behind what came of it.
  const sorted = <T extends { readonly event: AuditEvent }>(all: readonly T[]): T[] =>
    all.toSorted((one, other) => (one.event < other.event ? -1 : 1));
  assert.deepEqual(
    sorted(stored.map(({ event, transaction_id, origin }) => ({ event, transaction_id, origin }))),
    sorted(kept.map(({ event, transaction_id, address: origin }) => ({ event, transaction_id, origin }))),
  );
  const expectedApart = kept.map(({ event }) => event).filter((event) => AFTERWARDS.includes(event));
  assert.deepEqual(apart, expectedApart);
  for (const { event } of lines) seen.add(event);
  return result;
}

/** Something that the user does themselves. */
const own = (event: AuditEvent): AuditedEvent => ({ event, user_id: ada.id });
/** Something that the user does to their application. */
const ofApplication = (event: AuditEvent) => (): AuditedEvent => ({ event, user_id: ada.id, application_id: made.id });

const tryWrong = async (): Promise<unknown> => {
  const visitor = browserOf(world.service.url);
  return visitor.submit(await visitor.get('/login'), typed({ name: ada.name, password: 'wrong one' }));
};

describe('events of pages and calls are logged and stored', () => {
  test('logins, and reauthentication', async () => {
    await brings(tryWrong, { event: 'login_failed' });
    await brings(() => logIn(browser, ada), own('login'));
    const [login] = await records();
    assert.deepEqual([login!.actor, login!.outcome, login!.targets], [`user:${ada.id}`, 'done', []]);
    world.clock.advance(700);
    const page = await browser.get('/settings/sessions');
    const answer = (password: string) => () => browser.submit(page, { 'session[password]': password });
    await brings(answer('wrong one'), own('reauthentication_failed'));
    assert.equal((await records())[0]!.outcome, 'failed');
    await brings(answer(ada.password), own('reauthenticated'));
    await logIn(browserOf(world.service.url), ada);
    const sessions = await browser.get('/settings/sessions');
    await brings(() => browser.submit(sessions), own('sessions_ended'));
  });

  test('two-step login', async () => {
    const page = '/settings/security';
    const setup = await browser.get(`${page}?setup=yes`);
    const secret = /<dt>Setup key<\/dt><dd><code>([A-Z2-7-]+)/.exec(setup.html)![1]!.replaceAll('-', '');
    recordSecret('secret of one-time codes', secret);
    const code = () => TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: world.clock.now() });
    await brings(() => browser.submit(setup, { 'session[code]': code() }), own('totp_enabled'));
    const on = await browser.get(page);
    const formToken = /name="authenticity_token" value="([^"]+)"/.exec(on.html)![1]!;
    const renewed = await brings(
      () => browser.post(page, { authenticity_token: formToken, act: 'renew' }),
      own('recovery_codes_renewed'),
    );
    const [, recovery] = /<li><code>([a-z2-7-]+)<\/code>/.exec(renewed.html)!;
    recordSecret('recovery code', recovery);
    const off = async (password: string, code: string) =>
      browser.submit(await browser.get(page), { 'session[password]': password, 'session[code]': code });
    await brings(() => off('wrong one', recovery!), own('reauthentication_failed'));
    await brings(() => off(ada.password, recovery!), own('recovery_code_used'), own('totp_disabled'));
  });

  test('the profile, on its page and by a call', async () => {
    const profile = await browser.get('/settings/profile');
    const say = () => browser.submit(profile, { name: 'New' }, { to: '/settings/profile' });
    await brings(say, own('profile_changed'));
    made = await make(browser);
    const keys = { ...made, ...(await ownToken(browser, made)) };
    const client = clientOf(world.service.url, keys, world.clock);
    const call = () => client.call('POST', '/1.1/account/update_profile', { params: { name: 'Newer' } });
    await brings(call, ofApplication('profile_changed'));
    assert.deepEqual((await records())[0]!.targets, [`application:${made.id}`]);
    // Whatever is no name can change all day.
    const others = { description: 'Newest', location: 'Oslo', url: 'https://a.test' };
    await brings(() => client.call('POST', '/1.1/account/update_profile', { params: others }));
    const page = await browser.get('/settings/profile');
    await brings(() => browser.submit(page, { description: 'Newer than that' }, { to: '/settings/profile' }));
  });

  test('the password, changed and set with a link', async () => {
    const page = await browser.get('/settings/password');
    const twice = { new_password: NEXT, new_password_again: NEXT };
    const change = () =>
      browser.submit(page, { 'session[password]': ada.password, ...twice }, { to: '/settings/password' });
    await brings(change, own('password_changed'));
    ada = { ...ada, password: NEXT };
    const now = formatInstant(world.clock.now());
    const secret = await world.service.store.write((tx) => addPasswordLink(tx, ada.id, { random: secureRandom, now }));
    recordSecret('secret of a link', secret);
    const visitor = browserOf(world.service.url);
    const link = await visitor.get(`/login/reset?token=${secret}`);
    await brings(() => visitor.submit(link, twice), own('password_reset'));
    await logIn(browser, ada);
  });

  test('applications, their keys and tokens', async () => {
    const page = await browser.get(`${APPS}/new`);
    const create = async () => {
      const told = await browser.submit(page, filled());
      const [, path, id] = /href="(\/developer\/apps\/(\d+))"/.exec(told.html)!;
      made = { id: id!, path: path!, ...keysOn(told) };
    };
    await brings(create, ofApplication('application_created'));
    const shown = await browser.get(made.path);
    await brings(() => browser.submit(shown, {}, { to: made.path }), ofApplication('application_changed'));
    for (const [name, event] of [
      ['keys', 'keys_regenerated'],
      ['own_token', 'token_issued'],
      ['bearer', 'bearer_issued'],
      ['bearer/revoke', 'bearer_revoked'],
    ] as const) {
      await brings(() => confirm(browser, `${made.path}/${name}`), ofApplication(event));
    }
  });

  test('consent given, denied and withdrawn, and revoked tokens', async () => {
    made = await make(browser, { callbacks: 'https://client.test/back' });
    const keys = { ...made, ...(await ownToken(browser, made)) };
    const asked = async () => {
      const application = await world.service.store.read((tx) => tx.credentials.findApplication(made.id));
      return browser.get(`/oauth/authorize?oauth_token=${await addRequestToken(world, application!)}`);
    };
    const [first, second] = [await asked(), await asked()];
    await brings(() => browser.submit(first), ofApplication('consent_given'));
    await brings(() => browser.submit(second, { cancel: 'Cancel' }), ofApplication('consent_denied'));
    assert.equal((await records())[0]!.outcome, 'done');
    const client = clientOf(world.service.url, keys, world.clock);
    await brings(() => client.call('POST', '/1.1/oauth/invalidate_token'), ofApplication('token_revoked'));
    await ownToken(browser, made);
    const page = '/settings/connected_apps';
    const apps = await browser.get(page);
    await brings(() => browser.submit(apps, { application: made.id }, { to: page }), ofApplication('access_withdrawn'));
  });

  test('webhooks created and removed by the application, and secrets renewed by the owner', async () => {
    made = await make(browser);
    receiver = await openReceiver(made.consumer_secret);
    const client = await bearerClient(world, { ...made, access_token: '', access_token_secret: '' });
    const webhook_id: string = await brings(
      async () => (await client.call('POST', '/2/webhooks', { url: receiver.url })).body.data.id,
      (id) => ({ event: 'webhook_created', application_id: made.id, webhook_id: id }),
    );
    const [created] = await records();
    assert.deepEqual([created!.actor, created!.targets], [`application:${made.id}`, [`webhook:${webhook_id}`]]);
    const path = `${made.path}/webhooks`;
    const page = await browser.get(path);
    await brings(
      () => browser.submit(page, {}, { to: path }),
      () => ({
        ...ofApplication('webhook_secret_renewed')(),
        webhook_id,
      }),
    );
    await brings(
      () => client.call('DELETE', `/2/webhooks/${webhook_id}`),
      () => ({
        event: 'webhook_removed',
        application_id: made.id,
        webhook_id,
      }),
    );
  });

  test('publishers registered, their credentials renewed, and disabled', async () => {
    const path = '/developer/publishers';
    const idOf = async (): Promise<string> => {
      const [publisher] = await world.service.store.read((tx) => tx.publishers.list(ada.id));
      return publisher!.id;
    };
    const of = (event: AuditEvent) => (publisher_id: string) => ({ event, user_id: ada.id, publisher_id });
    const page = await browser.get(path);
    const create = async () => {
      const told = await browser.submit(page, { name: 'Harbour News' });
      recordSecret('publisher', /<code>(pub_\w+)<\/code>/.exec(told.html)![1]!);
      return idOf();
    };
    const publisher = await brings(create, of('publisher_created'));
    const act = (name: string) => async () => {
      const { html } = await browser.get(path);
      const from = /name="from" value="([^"]*)"/.exec(html)![1]!;
      const authenticity_token = /name="authenticity_token" value="([^"]*)"/.exec(html)![1]!;
      const told = await browser.post(path, { authenticity_token, act: name, publisher, from });
      const credential = /<code>(pub_\w+)<\/code>/.exec(told.html)?.[1];
      if (credential !== undefined) recordSecret('publisher', credential);
      return publisher;
    };
    await brings(act('rotate'), of('publisher_credential_renewed'));
    await brings(act('disable'), of('publisher_disabled'));
  });

  test('a throttled login, and a logout', async () => {
    for (let count = 0; count < 10; count += 1) await tryWrong();
    await brings(tryWrong, { event: 'login_throttled' });
    const page = await browser.get('/login');
    await brings(() => browser.submit(page, {}, { to: '/logout' }), own('logout'));
  });

  test('no other events exist, except those of commands and operators', () => {
    assert.deepEqual(
      [...seen].sort(),
      Object.keys(AUDIT_EVENTS)
        .filter((event) => event !== 'command' && !event.startsWith('operator_'))
        .sort(),
    );
  });
});

describe('records', () => {
  test('that cannot be stored are logged with an error, and the reply is unchanged', async () => {
    const visitor = browserOf(world.service.url);
    const person = await addPerson(world);
    const page = await visitor.get('/login');
    text = '';
    const refusing = (audit: Audit, unit: string): Audit['append'] =>
      unit === APART ? () => Promise.reject(new Error('no room')) : audit.append;
    const sent = await appending(refusing, () => visitor.submit(page, typed(person)));
    assert.equal(sent.status, 303);
    const lines = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const ours = lines.map(({ message, event, err }) => [message, event, err?.message]);
    assert.deepEqual(ours, [
      ['audit', 'login', undefined],
      ['audit events were logged but not stored', undefined, 'no room'],
    ]);
  });

  test('that cannot be stored with a change undo it', async () => {
    const visitor = browserOf(world.service.url);
    const person = await addPerson(world);
    await logIn(visitor, person);
    const refusing = (): Audit['append'] => () => Promise.reject(new Error('no room'));
    const path = '/settings/profile';
    const submit = async () => visitor.submit(await visitor.get(path), { name: 'New' }, { to: path });
    text = '';
    assert.equal((await appending(refusing, submit)).status, 500);
    assert.doesNotMatch(text, /"message":"audit"/);
    const user = () => world.service.store.read((tx) => tx.credentials.findUser(person.id));
    assert.notEqual((await user())!.name, 'New');
    assert.equal((await submit()).status, 303);
    assert.equal((await user())!.name, 'New');
  });
});
