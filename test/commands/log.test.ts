// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { openLog, redactText } from '../../src/http/log.ts';
import { clientOf, type Keys, protocol } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { barker, flagsOf, MASTER_KEY, startServe, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
const PASSWORD = 'correct-horse-battery-staple';

let place: Place;
let keys: Keys & Record<string, string>;
let service: Awaited<ReturnType<typeof startServe>>;

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const run = async (args: string[], input?: string) =>
    toldBy(await barker([...args, ...flagsOf(place)], input === undefined ? { env } : { env, input }));
  const user = await run(['user', 'create', 'ada'], PASSWORD);
  const level = ['--website', 'https://a.test', '--level', 'read-write', '--callback', 'https://a.test/back'];
  const app = await run(['app', 'create', 'Reports', '--owner', 'ada', ...level]);
  const token = await run(['token', 'create', '--app', app.consumer_key!, '--user', 'ada']);
  keys = { ...user, ...app, ...token } as unknown as Keys & Record<string, string>;
  const flags = ['--access-log', 'all', '--log-level', 'debug'];
  service = await startServe(place, { flags });
});
after(async () => {
  service.child.kill('SIGKILL');
  await service.ended;
  await place.remove();
});

/** Each line that was logged so far. */
function logged(): Record<string, unknown>[] {
  const { stdout } = service.output();
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a log line', () => {
  test('names the host and the server', () => {
    const lines = logged();
    const [{ node } = assert.fail()] = lines;
    assert.match(String(node), /^[0-9a-f]{8}$/);
    for (const line of lines) assert.deepEqual([line.host, line.node], [hostname(), node], JSON.stringify(line));
  });

  test('has what identifies a request', async () => {
    const client = clientOf(service.sandboxUrl, keys, systemClock);
    const made = await client.call('POST', '/12/accounts', { headers: { 'x-request-id': 'caller-7.a_b' } });
    assert.equal(made.headers.get('x-request-id'), 'caller-7.a_b');
    await service.saw(/caller-7\.a_b/);
    const line = logged().find((one) => one.request_id === 'caller-7.a_b')!;
    assert.match(String(line.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(typeof line.duration_ms, 'number');
    const { level, message, method, operation, route, status, transaction_id, user_id, application_id } = line;
    assert.deepEqual(
      { level, message, method, operation, route, status, transaction_id, user_id, application_id },
      {
        level: 'info',
        message: 'request',
        method: 'POST',
        operation: 'accounts.create',
        route: '/12/accounts',
        status: 200,
        transaction_id: made.headers.get('x-transaction-id'),
        user_id: keys.user_id,
        application_id: '1',
      },
    );
  });

  const unfit = ['has blank', 'x'.repeat(41), 'a"b', '<script>'];
  for (const id of unfit) {
    test(`has no request id like ${id.slice(0, 10)}`, async () => {
      const reply = await fetch(`${service.url}/nothing`, { headers: { 'x-request-id': id } });
      assert.equal(reply.headers.get('x-request-id'), null);
      await service.saw(new RegExp(`"transaction_id":"${reply.headers.get('x-transaction-id')}".*"status":404`));
      assert.ok(!service.output().stdout.includes(id));
    });
  }
});

/** Requests with every secret at a place where it belongs, or does not. */
test('no secret is logged, wherever a caller sends it', async () => {
  const { consumer_secret, access_token, access_token_secret } = keys;
  const secrets = [consumer_secret, access_token_secret, access_token, PASSWORD, MASTER_KEY];
  const account = (await clientOf(service.sandboxUrl, keys, systemClock).call('POST', '/12/accounts')).body.data[0].id;
  const campaigns = `/12/accounts/${account}/campaigns`;
  const signatures: string[] = [];
  const transactions: string[] = [];

  const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: string) => {
    const form = headers['content-type']?.includes('form') ? [...new URLSearchParams(body)] : undefined;
    const url = service.sandboxUrl + path;
    const signed = sign({
      method,
      url,
      form,
      oauth: protocol(keys, systemClock),
      consumerSecret: keys.consumer_secret,
      tokenSecret: keys.access_token_secret,
    });
    signatures.push(signed.signature);
    const reply = await fetch(url, {
      method,
      headers: { authorization: signed.header, ...headers },
      body: body ?? null,
    });
    transactions.push(reply.headers.get('x-transaction-id')!);
  };
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const secret of secrets) {
    const text = encodeURIComponent(secret);
    await send('GET', `${campaigns}?campaign_ids=${text}&${text}=1&q=${text}&sort_by=${text}&cursor=${text}`);
    await send('GET', `/12/accounts/${text}/campaigns`);
    await send('GET', `/12/accounts/${account}/campaigns/${text}`);
    await send('GET', `/${text}/${text}`);
    await send(
      'POST',
      campaigns,
      form,
      `name=${text}&${text}=${text}&funding_instrument_id=${text}&entity_status=${text}`,
    );
    await send(
      'POST',
      `/12/batch/accounts/${account}/campaigns`,
      json,
      JSON.stringify([{ [secret]: secret, params: { name: secret } }]),
    );
    await send('POST', `/12/batch/accounts/${account}/campaigns`, json, `not json ${secret}`);
    await send('GET', campaigns, { authorization: `Bearer ${secret}` });
    await send('GET', campaigns, { authorization: `OAuth ${text}="${text}", ${text}="2"` });
    await send('GET', campaigns, {
      authorization: `OAuth oauth_consumer_key="${text}", oauth_token="${text}", oauth_nonce="${text}"`,
    });
    await send('GET', campaigns, { authorization: `OAuth ${secret}` });
    await send('GET', campaigns, {
      cookie: `session=${secret}`,
      'user-agent': secret,
      referer: secret,
      'x-forwarded-for': secret,
    });
    await send('GET', campaigns, { 'x-request-id': secret.slice(0, 100) });
    await send('GET', `${campaigns}?oauth_token=${text}&access_token=${text}`);
  }
  for (const id of transactions) await service.saw(new RegExp(`"transaction_id":"${id}"`));
  const { stdout, stderr } = service.output();
  const output = (stdout + stderr).toLowerCase();
  const planted = [...secrets.filter((secret) => secret !== PASSWORD), ...signatures];
  for (const secret of planted) {
    assert.ok(!output.includes(secret.toLowerCase()), secret);
    assert.ok(!output.includes(encodeURIComponent(secret).toLowerCase()), secret);
  }
  // A password that is sent as the caller's own name of a request is such a name.
  const lines = output.split('\n').filter((line) => line.includes(PASSWORD));
  for (const line of lines) assert.equal(JSON.parse(line).request_id, PASSWORD);
  assert.ok(lines.length <= 1);
  assert.ok(logged().length > transactions.length);
});

describe('errors are logged without the values that they quote', () => {
  const texts: [input: string, told: string][] = [
    ['connect to postgres://ada:hunter2@db.test/x failed', 'connect to postgres://[hidden]@db.test/x failed'],
    [
      'bad header oauth_signature="abc%3D", oauth_nonce="n"',
      'bad header oauth_signature=[hidden], oauth_nonce=[hidden]',
    ],
    ['{"password": "hunter2", "n": 1}', '{"password": [hidden], "n": 1}'],
    ['consumer_secret=hunter2&x=1', 'consumer_secret=[hidden]&x=1'],
    ['UNIQUE constraint failed: users.screen_name', 'UNIQUE constraint failed: users.screen_name'],
  ];
  for (const [input, told] of texts) {
    test(told, () => assert.equal(redactText(input), told));
  }

  test('members named like secrets are hidden, also in errors that quote rows', () => {
    let line = '';
    const write = (text: string) => {
      line += text;
    };
    const log = openLog('debug', { write });
    const error = Object.assign(new Error('oauth_token=hunter2'), { detail: 'Key (token)=(hunter2)', code: '23505' });
    log.error({
      err: error,
      authorization: 'hunter2',
      request: { token_secret: 'hunter2', headers: { cookie: 'hunter2' } },
    });
    assert.ok(!line.includes('hunter2'), line);
    const told = JSON.parse(line);
    assert.equal(told.err.code, '23505');
    assert.equal(told.level, 'error');
  });

  test('hidden in the first three levels, also in lists, and nothing else is', () => {
    const written: string[] = [];
    const log = openLog('info', { write: (text) => void written.push(text) });
    const row = { token: 'hunter2', id: 7, gone: null };
    const input = { query: 0, password: undefined, list: [row, 'token'], deep: { deeper: { secret: { a: 1 }, b: 2 } } };
    const before = structuredClone(input);
    log.info(input, 'said');
    log.child({ bearer: 'hunter2', who: 'ada' }).info('said');
    const [line, child] = written.map((text) => JSON.parse(text));
    const { time: _, ...told } = line;
    assert.deepEqual(told, {
      level: 'info',
      query: '[hidden]',
      list: [{ token: '[hidden]', id: 7, gone: null }, 'token'],
      deep: { deeper: { secret: '[hidden]', b: 2 } },
      message: 'said',
    });
    assert.deepEqual([child.bearer, child.who], ['[hidden]', 'ada']);
    assert.deepEqual(input, before, 'what was given is as it was');
  });
});
