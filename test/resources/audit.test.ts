import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { AuditEvent } from '../../src/contract/store/audit.ts';
import { openLog } from '../../src/http/log.ts';
import { askToken, basic, bearerOf, postForm } from '../rig/application.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import { approve, begin, end, pairs } from '../rig/login.ts';
import { register } from '../rig/people.ts';
import { rawCall } from '../rig/raw.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
let text = '';
before(async () => {
  const write = (line: string) => {
    text += line;
  };
  const log = openLog('info', { write });
  const flags = { access_log: 'off', revoke_on_verifier_reuse: true, trusted_proxies: '127.0.0.1' };
  world = await openWorld({ flags, seams: { log } });
});
after(() => world.close());
beforeEach(() => {
  text = '';
});

type Line = Record<string, unknown> & { readonly event: AuditEvent };

/** The lines of audit since the test began; nothing else is logged here. */
function noted(): Line[] {
  const lines: Line[] = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  for (const { message } of lines) assert.equal(message, 'audit');
  return lines;
}

type Own = Awaited<ReturnType<typeof register>>;

/** The rows of the tokens of an application, live or not, by id. */
const idOf = async (value: string): Promise<string> =>
  (await world.service.store.read((tx) => tx.credentials.findToken(value)))!.id;
const applicationOf = async ({ consumer_key }: Own): Promise<string> =>
  (await world.service.store.read((tx) => tx.credentials.findApplicationByKey(consumer_key)))!.id;

/** What a line says beside what every line has. */
function checked(line: Line | undefined, reply: Reply): Record<string, unknown> {
  assert.ok(line, text);
  const { level, time, message, transaction_id, address, ...rest } = line;
  assert.deepEqual([level, transaction_id], ['info', reply.headers.get('x-transaction-id')]);
  assert.match(String(address), /^127\.0\.0\.1$/);
  return rest;
}

test('a token that a login issues, and one that it returns again', async () => {
  const own = await register(world);
  const login = async () => {
    const token = await begin(world, own, { query: { ext_auth_access_type: 'read' } });
    const verifier = await approve(world, token.token, own.user);
    return { token, verifier, reply: await end(world, own, token, verifier) };
  };
  const { reply } = await login();
  const application_id = await applicationOf(own);
  const token_id = await idOf(pairs(reply).oauth_token!);
  const expected = { event: 'token_issued', user_id: own.user, application_id, token_id };
  assert.deepEqual(checked(noted()[0], reply), expected);
  await login();
  assert.equal(noted().length, 1);
});

test('a token that is revoked, directly or by a second exchange; a refused call records nothing', async () => {
  const own = await register(world);
  const application_id = await applicationOf(own);
  const token_id = await idOf(own.access_token);
  const client = clientOf(world.service.url, own, world.clock);
  const reply = await client.call('POST', '/1.1/oauth/invalidate_token');
  const expected = { event: 'token_revoked', user_id: own.user, application_id };
  assert.deepEqual(checked(noted()[0], reply), { ...expected, token_id });
  await client.call('POST', '/1.1/oauth/invalidate_token');
  assert.equal(noted().length, 1);

  const token = await begin(world, own);
  const verifier = await approve(world, token.token, own.user);
  const input = pairs(await end(world, own, token, verifier));
  const again = await end(world, own, token, verifier);
  assert.equal(again.status, 401);
  const id = await idOf(input.oauth_token!);
  assert.deepEqual(checked(noted().at(-1), again), { ...expected, token_id: id });
});

test('bearer tokens, with their application', async () => {
  const own = await register(world);
  const application_id = await applicationOf(own);
  const issued = await askToken(world, own);
  const { token_id, ...rest } = checked(noted()[0], issued);
  assert.deepEqual(rest, { event: 'bearer_issued', application_id });
  await askToken(world, own);
  assert.equal(noted().length, 1, 'given out again');

  const form = (value: string) => new URLSearchParams({ access_token: value }).toString();
  const target = '/oauth2/invalidate_token';
  const revoked = await postForm(world, target, basic(own), form(issued.body.access_token));
  assert.deepEqual(checked(noted().at(-1), revoked), { event: 'bearer_revoked', application_id, token_id });
  await postForm(world, target, basic(own), form(issued.body.access_token));
  assert.equal(noted().length, 2);

  const next = await bearerOf(world, own);
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '127.0.0.1' };
  const call = { method: 'POST', target, keys: own, headers, body: form(next) };
  const signed = await rawCall(world.service.url, world.clock, call);
  const { token_id: other, ...said } = checked(noted().at(-1), signed);
  assert.deepEqual(said, { event: 'bearer_revoked', user_id: own.user, application_id });
  assert.notEqual(other, token_id);
});

test('the address is the one that a trusted proxy reports', async () => {
  const own = await register(world);
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  const target = '/1.1/oauth/invalidate_token';
  await rawCall(world.service.url, world.clock, { method: 'POST', target, keys: own, headers });
  assert.equal(noted()[0]!.address, '192.0.2.7');
});
