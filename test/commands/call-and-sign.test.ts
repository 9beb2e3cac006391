// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { curlCommand } from '../../src/base/call-commands.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openWorld, type World } from '../rig/world.ts';
import { barker, ENTRY, signedParts } from './program.ts';

describe('barker call and sign', () => {
  let world: World;
  let home: string[];
  before(async () => {
    world = await openWorld({ seams: { clock: systemClock } });
    home = ['--data', world.place.folder];
  });
  after(() => world.close());

  test('the curl command of sign works once', async () => {
    const { stdout } = await barker(['sign', 'GET', '/12/accounts', '-d', 'q=Demo acc', ...home]);
    const line = signedParts(stdout).Command!;
    const curl = async () => JSON.parse((await promisify(execFile)('sh', ['-c', `${line} --silent`])).stdout);
    assert.equal((await curl()).data[0].name, 'Demo account');
    assert.equal((await curl()).errors[0].code, 'UNAUTHORIZED_ACCESS');
  });

  test('send forms, queries and JSON bodies', async () => {
    const call = async (...args: string[]) => {
      const outcome = await barker(['call', ...args, '--sandbox', ...home]);
      assert.equal(outcome.code, 0, outcome.stderr);
      return JSON.parse(outcome.stdout).data;
    };
    const [account] = await call('POST', '/12/accounts');
    const path = `/12/accounts/${account.id}`;
    const funding = ['-d', 'currency=USD', '-d', 'type=CREDIT_CARD', '-d', 'start_time=2026-01-01'];
    const { id: instrument } = await call('POST', `${path}/funding_instruments`, ...funding);
    const names = ['1+1=2 & more', "it's 100% ~ Ünïcode 🌍"];
    const operations = names.map((name) => ({
      operation_type: 'Create',
      params: { name, funding_instrument_id: instrument, entity_status: 'PAUSED' },
    }));
    const file = join(world.place.folder, 'batch.json');
    await writeFile(file, JSON.stringify(operations));
    const made = await call('POST', `/12/batch/accounts/${account.id}/campaigns`, '--json', `@${file}`);
    assert.deepEqual(
      made.map(({ name }: { name: string }) => name),
      names,
    );
    const renamed = await call('PUT', `${path}/campaigns/${made[0].id}`, '-d', `name=${names[1]}!`);
    assert.equal(renamed.name, `${names[1]}!`);
    const found = await call(
      'GET',
      `${path}/campaigns`,
      '-d',
      `campaign_ids=${made[0].id},${made[1].id}`,
      '-d',
      'count=1',
    );
    assert.equal(found.length, 1);
    assert.equal((await call('DELETE', `${path}/campaigns/${made[0].id}`)).deleted, true);
  });

  test('a rejected batch prints the errors of each item', async () => {
    const args = ['call', 'POST', '/12/accounts', '--sandbox', ...home];
    const { id } = JSON.parse((await barker(args)).stdout).data[0];
    const json = JSON.stringify([{ operation_type: 'Create', params: {} }]);
    const batch = ['call', 'POST', `/12/batch/accounts/${id}/campaigns`, '--json', json, '--sandbox', ...home];
    const { code, stderr } = await barker(batch);
    assert.match(
      stderr,
      /^barker: 400 Bad Request: item 0: "name" is a required parameter \(MISSING_PARAMETER, name\); /,
    );
    assert.equal(code, 1);
  });

  test('a typo in a path is answered with the nearest one', async () => {
    const { stderr } = await barker(['call', 'GET', '/12/acounts', ...home]);
    assert.match(
      stderr,
      /^barker: 404 Not Found: .* \(ROUTE_NOT_FOUND\); There is no such path\. Did you mean \/12\/accounts\?\n$/,
    );
  });

  test('-i prints status and headers on stderr', async () => {
    const { stdout, stderr } = await barker(['call', 'GET', '/12/accounts', '-i', ...home]);
    assert.match(stderr, /^200 OK\n/);
    for (const name of ['x-rate-limit-limit', 'x-rate-limit-remaining', 'x-rate-limit-reset', 'x-transaction-id']) {
      assert.match(stderr, new RegExp(`^${name}: .+$`, 'm'));
    }
    assert.equal(JSON.parse(stdout).data.length, 1);
  });

  test('--bearer calls for the application, and errors of version 2 are printed', async () => {
    const call = (...args: string[]) => barker(['call', ...args, ...home]);
    const json = JSON.stringify({ event_type: 'SpacesEnd', filter: { keyword: 'jazz' } });
    const made = await call('POST', '/2/activity/subscriptions', '--bearer', '-i', '--json', json);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stderr, /^deprecation: @1773792000$/m);
    assert.match(made.stderr, /^link: <http.*\/docs\/activity>; rel="deprecation"$/m);
    const listed = JSON.parse((await call('GET', '/2/activity/subscriptions', '--bearer')).stdout);
    assert.deepEqual(listed.data, [JSON.parse(made.stdout).data.subscription]);
    const refused = [
      ['DELETE', '/2/activity/subscriptions/19', '--bearer'],
      ['GET', '/2/webhooks'],
      ['PUT', '/2/activity/subscriptions/19', '--json', '{}'],
    ];
    const told = [];
    for (const args of refused) told.push((await call(...args)).stderr);
    assert.deepEqual(told, [
      'barker: 404 Not Found: Could not find subscription with subscription_id: [19]. (subscription_id)\n',
      'barker: 403 Forbidden: Authenticating with OAuth 1.0a User Context is forbidden for this endpoint.  Supported authentication types are [OAuth 2.0 Application-Only].; The request is signed as a user, but this call is made by the application itself. Send the bearer token of the application as Authorization: Bearer; at /oauth2/token, key and secret as Basic.\n',
      'barker: 400 Bad Request: $: has none of [tag, webhook_id]\n',
    ]);
  });

  test('keys come from environment variables', async () => {
    const { consumer_key, consumer_secret, access_token, access_token_secret, base_url } = world.keys;
    const env = {
      BARKER_CALL_URL: base_url!,
      BARKER_CALL_CONSUMER_KEY: consumer_key,
      BARKER_CALL_CONSUMER_SECRET: consumer_secret,
      BARKER_CALL_TOKEN: access_token,
      BARKER_CALL_TOKEN_SECRET: access_token_secret,
    };
    const { code, stdout } = await barker(['call', 'GET', '/12/accounts', '--data', '/nowhere'], { env });
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).data.length, 1);
    const wrong = { ...env, BARKER_CALL_TOKEN_SECRET: 'x' };
    const refused = await barker(['call', 'GET', '/12/accounts'], { env: wrong });
    assert.match(refused.stderr, /^barker: 401 Unauthorized: .* \(UNAUTHORIZED_ACCESS\); .+\n$/);
    assert.equal(refused.code, 1);
  });

  describe('a header for curl', () => {
    const curl = async (...args: string[]) =>
      JSON.parse((await promisify(execFile)('curl', ['--silent', ...args])).stdout);

    test('is printed by sign --header, which signs what curl sends', async () => {
      const url = `${world.keys.sandbox_url}/12/accounts`;
      const { stdout } = await barker(['sign', '--header', 'GET', url, '-d', 'q=a b', ...home]);
      assert.match(stdout, /^authorization: OAuth .*\n$/);
      const reply = await curl('-G', url, '--data-urlencode', 'q=a b', '-H', stdout.trim());
      assert.deepEqual(reply.request.params, { q: 'a b' });
    });

    test('is in the commands that pages show, which run as they are', async () => {
      const base_url = world.keys.sandbox_url!;
      const sent = { method: 'GET', path: '/12/accounts', parameters: { q: 'a b' } };
      const ours = `barker() { ${process.execPath} ${ENTRY} "$@" ${home.join(' ')}; }`;
      const command = `${curlCommand({ ...sent, environment: 'sandbox', base_url })} --silent`;
      const { stdout } = await promisify(execFile)('sh', ['-c', `${ours}; ${command}`]);
      assert.deepEqual(JSON.parse(stdout).request.params, { q: 'a b' });
    });

    test('is that of the bearer token with --bearer', async () => {
      const url = `${world.keys.sandbox_url}/2/webhooks`;
      const { stdout } = await barker(['sign', '--header', '--bearer', 'GET', url, ...home]);
      assert.match(stdout, /^authorization: Bearer .*\n$/);
      assert.deepEqual((await curl(url, '-H', stdout.trim())).data, []);
    });

    test('is without a token when that is empty', async () => {
      const url = `${world.keys.sandbox_url}/oauth/request_token`;
      const token = ['--token', '', '--token-secret', '', '-p', 'oauth_callback=oob'];
      const { stdout } = await barker(['sign', '--header', 'POST', url, ...token, ...home]);
      assert.doesNotMatch(stdout, /oauth_token=/);
      const reply = await promisify(execFile)('curl', ['--silent', '-X', 'POST', url, '-H', stdout.trim()]);
      assert.match(reply.stdout, /^oauth_token=.*&oauth_callback_confirmed=true$/);
    });

    test('--bearer alone is refused', async () => {
      const { stderr, code } = await barker(['sign', '--bearer', 'GET', '/2/webhooks', ...home]);
      assert.equal(stderr, 'barker: --bearer needs --header: a bearer token signs nothing\n');
      assert.equal(code, 2);
    });
  });

  describe('call --pick', () => {
    const pick = (path: string, ...args: string[]) => barker(['call', 'GET', ...args, '--pick', path, ...home]);

    test('prints one member: texts as they are, the rest as JSON', async () => {
      assert.equal((await pick('data.0.name', '/12/accounts')).stdout, 'Demo account\n');
      assert.equal((await pick('data.0.deleted', '/12/accounts')).stdout, 'false\n');
    });

    test('names the member that is missing', async () => {
      const { code, stdout, stderr } = await pick('data.1.name', '/12/accounts');
      assert.match(stderr, /^barker: the reply has no member 1 on the way to data\.1\.name: \{/);
      assert.deepEqual([code, stdout], [1, '']);
    });

    test('prints nothing but the error of a refused call', async () => {
      const { code, stdout, stderr } = await pick('data.0.id', '/12/accounts', '-d', 'count=0');
      assert.match(stderr, /^barker: 400 Bad Request: .*INVALID_PARAMETER, count\)\n$/);
      assert.deepEqual([code, stdout], [1, '']);
    });
  });
});
