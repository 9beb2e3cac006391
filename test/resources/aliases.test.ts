// On either database: words are translated before anything is read from it.
// Of own words: this file has an alias file of its own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { aliasFileSchema } from '../../src/http/vocabulary/alias-file.ts';
import { type Client, clientOf, type Reply, type Sent } from '../rig/client.ts';
import { cutCall, dev } from '../rig/developer-surface.ts';
import { openWorld, type World } from '../rig/world.ts';

/** The examples of the documentation: of one client, and of two. */
const examples = [...readFileSync('docs/aliases.md', 'utf8').matchAll(/```json\n([\s\S]*?)```/g)];
const [example, exampleOfTwo] = examples.map(([, text]) => text!) as [string, string];

let world: World;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-aliases-'));
  const words = JSON.parse(example);
  // Words of logins and tokens, which the example leaves alone.
  words.path_segments.oauth = 'anmeldung';
  words.parameters.access_token = 'zugang';
  writeFileSync(join(folder, 'words.json'), JSON.stringify(words));
  world = await openWorld({ flags: { aliases: join(folder, 'words.json') } });
});
after(async () => {
  // What clients receive here is not in the words of the description.
  await world.close().catch((error: Error) => assert.match(error.message, /replies did not fit/));
  rmSync(folder, { recursive: true });
});

/** A client that speaks the words of the example. */
function call(method: string, path: string, sent?: Sent): Promise<Reply> {
  return clientOf(world.service.sandboxUrl, world.keys, world.clock, () => {}).call(method, path, sent);
}

async function account(): Promise<{ path: string; instrument: string }> {
  const { body } = await call('POST', '/v3/konti');
  const path = `/v3/konti/${body.inhalt[0].id}`;
  const params = { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' };
  const funded = await call('POST', `${path}/kassen`, { params });
  return { path, instrument: funded.body.inhalt.id };
}

describe('the example of docs/aliases.md', () => {
  test('fits the schema of alias files, and so does the one of two clients', () => {
    const validate = new Ajv2020({ strict: false }).compile(aliasFileSchema);
    for (const text of [example, exampleOfTwo]) {
      assert.ok(validate(JSON.parse(text)), JSON.stringify(validate.errors));
    }
  });

  test('creates, lists and changes a campaign in its words', async () => {
    const { path, instrument } = await account();
    const made = await call('POST', `${path}/aktionen`, {
      params: { titel: 'LAEUFT', stand: 'RUHT', kasse: instrument, tagesgeld: 5_000_000 },
    });
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(made.body.anfrage.params, {
      konto: path.split('/').at(-1),
      titel: 'LAEUFT',
      kasse: instrument,
      tagesgeld: 5_000_000,
      stand: 'RUHT',
    });
    const { id, titel, stand, kasse } = made.body.inhalt;
    assert.deepEqual({ titel, stand, kasse }, { titel: 'LAEUFT', stand: 'RUHT', kasse: instrument });
    await call('PUT', `${path}/aktionen/${id}`, { params: { stand: 'LAEUFT' } });
    const listed = await call('GET', `${path}/aktionen?reihenfolge=titel-desc`);
    assert.deepEqual(listed.body.anfrage.params.reihenfolge, ['titel-desc']);
    assert.equal(listed.body.weiter, null);
    assert.equal(listed.body.inhalt[0].stand, 'LAEUFT');
  });

  test('takes own words too, and answers in its words', async () => {
    const { path, instrument } = await account();
    const made = await call('POST', `${path.replace('v3/konti', '12/accounts')}/campaigns`, {
      params: { name: 'Own', entity_status: 'PAUSED', funding_instrument_id: instrument, tagesgeld: 5_000_000 },
    });
    assert.equal(made.body.inhalt.titel, 'Own', made.text);
    assert.equal(made.body.inhalt.stand, 'RUHT');
  });

  test('a parameter in both words is a parameter sent twice', async () => {
    const { path } = await account();
    const { body } = await call('POST', `${path}/aktionen`, { params: { titel: 'One', name: 'Two' } });
    const twice = body.fehler.find((each: { parameter: string }) => each.parameter === 'titel');
    assert.equal(twice.message, 'Expected one value, got 2 for titel');
  });

  test('errors name parameters and values as the caller does', async () => {
    const { path } = await account();
    const { status, body } = await call('POST', `${path}/aktionen`, { params: { titel: 'One', stand: 'SCHLAEFT' } });
    assert.equal(status, 400);
    assert.deepEqual(body.fehler, [
      { code: 'MISSING_PARAMETER', message: '"kasse" is a required parameter', parameter: 'kasse' },
      {
        code: 'FALSCHER_WERT',
        message: 'Expected a value in LAEUFT, ENTWURF, RUHT, got "SCHLAEFT" for stand',
        parameter: 'stand',
      },
    ]);
    const json = [{ operation_type: 'Create', params: { titel: 'Drei', stand: 'RUHT' } }];
    const batch = await call('POST', path.replace('/konti', '/batch/konti').concat('/aktionen'), { json });
    assert.equal(batch.status, 400, batch.text);
    assert.deepEqual(batch.body.anfrage[0].params, { konto: path.split('/').at(-1), titel: 'Drei', stand: 'RUHT' });
    assert.equal(batch.body.operation_errors[0].at(-1).parameter, 'kasse');
  });

  test('operations have words of their own', async () => {
    const { path } = await account();
    const changed = await call('PUT', path, { params: { firma: 'Neu' } });
    assert.equal(changed.body.inhalt.firma, 'Neu', changed.text);
    const history = await call('GET', `${path}/aktionen`);
    assert.equal(history.status, 200);
  });

  test('headers and unknown paths have its words', async () => {
    const { headers } = await call('GET', '/v3/konti');
    assert.match(headers.get('x-takt-remaining')!, /^\d+$/);
    assert.equal(headers.get('x-rate-limit-remaining'), null);
    assert.equal(headers.get('x-current-api-version'), 'v3');
    const unknown = await call('GET', '/v3/nothing');
    assert.equal(unknown.body.fehler[0].code, 'ROUTE_NOT_FOUND');
    const former = await call('GET', '/v2/nothing');
    assert.match(former.body.fehler[0].message, /the current version is v3$/);
    assert.equal((await call('PATCH', '/v3/konti')).body.fehler[0].code, 'METHOD_NOT_ALLOWED');
  });
});

describe('the tools for developers', () => {
  test('show what came, and what went out', async () => {
    const { headers } = await call('GET', '/v3/konti?reihenfolge=firma-asc&leer=1');
    const { body } = await dev(world, 'GET', `/_dev/requests/${headers.get('x-transaction-id')}`);
    assert.equal(body.target, '/v3/konti?reihenfolge=firma-asc&leer=1');
    assert.equal(body.operation, 'accounts.list');
    assert.match(body.reply.body, /"anfrage":/);
    assert.deepEqual(body.parameters, { sort_by: ['name-asc'] });
    assert.deepEqual(body.ignored_parameters, ['leer']);
  });

  test('explain signatures over what came', async () => {
    const keys = { ...world.keys, access_token_secret: world.keys.consumer_secret };
    const refused = await clientOf(world.service.sandboxUrl, keys, world.clock, () => {}).call('GET', '/v3/konti');
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get('x-hint')!, /secret/);
    const { body } = await dev(world, 'GET', `/_dev/auth/traces/${refused.headers.get('x-barker-trace')}`);
    assert.equal(body.target, '/v3/konti');
    assert.match(body.expected.base_string, /%2Fv3%2Fkonti&/);
  });

  test('know what a login step in other words requires', async () => {
    const curl = `curl -X POST ${world.service.url}/anmeldung/request_token -H 'Authorization: Bearer none'`;
    const named = await dev(world, 'POST', '/_dev/auth/explain', { body: { curl } });
    const own = await dev(world, 'POST', '/_dev/auth/explain', { body: { curl: curl.replace('anmeldung', 'oauth') } });
    assert.deepEqual(named.body.mistakes, own.body.mistakes);
  });

  test('hide secrets under their other names', async () => {
    const wanted = 'not-a-token-of-anybody';
    const target = `${world.service.url}/oauth2/invalidate_token`;
    const { headers } = await cutCall(world, target, { form: { zugang: wanted } });
    const { text } = await dev(world, 'GET', `/_dev/requests/${headers['x-transaction-id']}`);
    assert.match(text, /zugang=\[redacted\]/);
    assert.ok(!text.includes(wanted));
  });

  test('make faults in the words of the caller', async () => {
    const ask = (fault: string) =>
      cutCall(world, `${world.service.url}/v3/konti`, { headers: { 'x-barker-fault': fault } });
    const limited = await ask('rate_limited=7');
    assert.deepEqual([limited.status, limited.headers['x-takt-remaining']], [429, '0']);
    assert.equal(limited.headers['x-rate-limit-remaining'], undefined);
    const { fehler, anfrage } = JSON.parse(limited.text);
    assert.equal(fehler[0].message, 'Request limit has been exceeded; retry after the time in x-takt-reset');
    assert.deepEqual(anfrage, { params: {} });
    const refused = JSON.parse((await ask('status=400; code=INVALID_PARAMETER')).text);
    assert.equal(refused.fehler[0].code, 'FALSCHER_WERT');
  });
});

describe('two clients with words of their own', () => {
  const file = JSON.parse(exampleOfTwo);
  file.path_segments.campaigns = ['aktionen', 'kampagnen'];
  file.values = { entity_status: { PAUSED: ['RUHT', 'ANGEHALTEN'] } };
  let shared: World;
  let client: Client;
  before(async () => {
    const place = mkdtempSync(join(tmpdir(), 'barker-aliases-'));
    writeFileSync(join(place, 'words.json'), JSON.stringify(file));
    shared = await openWorld({ flags: { aliases: join(place, 'words.json') } });
    rmSync(place, { recursive: true });
    client = clientOf(shared.service.sandboxUrl, shared.keys, shared.clock, () => {});
  });
  after(() => shared.close().catch((error: Error) => assert.match(error.message, /replies did not fit/)));

  test('share a server, and read their own', async () => {
    const { body } = await client.call('POST', '/7/accounts');
    const account = `accounts/${body.data[0].id}`;
    const params = { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' };
    const funded = await client.call('POST', `/11/${account}/funding_instruments`, { params });
    assert.equal(funded.status, 200, funded.text);
    const campaign = { funding_instrument_id: funded.body.data.id, daily_budget_amount_local_micro: 5_000_000 };
    const made = await client.call('POST', `/7/${account}/kampagnen`, {
      params: { ...campaign, benennung: 'Tee', stand: 'ANGEHALTEN' },
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.request.params.benennung, 'Tee');
    assert.deepEqual([made.body.data.benennung, made.body.data.stand], ['Tee', 'ANGEHALTEN']);
    assert.equal(made.headers.get('x-current-api-version'), '7');
    const seen = async (path: string) => {
      const reply = await client.call('GET', `${path}/${made.body.data.id}`);
      assert.equal(reply.status, 200, reply.text);
      const { titel, benennung, stand } = reply.body.data;
      return { titel, benennung, stand };
    };
    assert.deepEqual(await seen(`/11/${account}/aktionen`), { titel: 'Tee', benennung: undefined, stand: 'RUHT' });
    assert.deepEqual(await seen(`/7/${account}/kampagnen`), {
      titel: undefined,
      benennung: 'Tee',
      stand: 'ANGEHALTEN',
    });
    assert.deepEqual(await seen(`/12/${account}/campaigns`), { titel: 'Tee', benennung: undefined, stand: 'RUHT' });
    const told = await client.call('PUT', `/12/${account}/campaigns/${made.body.data.id}`, {
      params: { benennung: 'Tea' },
    });
    assert.equal(told.body.data.benennung, 'Tea', told.text);
  });

  test('are refused in their own words', async () => {
    const { body } = await client.call('POST', '/7/accounts');
    const wrong = await client.call('GET', `/7/accounts/${body.data[0].id}/kampagnen?sort_by=benennung-up`);
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.errors[0].message, /benennung-asc/);
    assert.doesNotMatch(wrong.text, /titel/);
    const [former, unknown] = [await client.call('GET', '/9/nothing'), await client.call('GET', '/7/nothing')];
    assert.match(former.body.errors[0].message, /the current version is 11$/);
    assert.deepEqual([unknown.status, unknown.headers.get('x-current-api-version')], [404, '7']);
  });
});
