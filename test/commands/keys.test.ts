import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DependencyOverrides } from '../../src/app/dependencies.ts';
import { systemClock } from '../../src/base/clock.ts';
import { secureRandom } from '../../src/base/random.ts';
import { keyFingerprint, secretBox } from '../../src/base/secret-box.ts';
import { startDev } from '../../src/cli/dev.ts';
import { resealAll } from '../../src/cli/keys/key-usage.ts';
import { SEALED_COLUMNS, secretContext } from '../../src/contract/store/sealed-columns.ts';
import { EMPTY_DRAFT } from '../../src/features/auth/applications/application-draft.ts';
import { registerApplication } from '../../src/features/platform/registration.ts';
import { openLog } from '../../src/http/log.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { clientOf } from '../rig/client.ts';
import { engine, openPlace, type Place } from '../rig/databases.ts';
import { recordSecret, recordSecrets } from '../rig/secrets.ts';
import { barker, flagsOf } from './program.ts';

const OLD = 'ab'.repeat(32);
const NEW = 'cd'.repeat(32);
const CURRENT = { BARKER_MASTER_KEY: NEW, BARKER_MASTER_KEY_ID: 'k2' };
const BOTH = { ...CURRENT, BARKER_MASTER_KEYS_OLD: `k1:${OLD}` };
const fingerprint = (key: string): string => keyFingerprint(Buffer.from(key, 'hex'));

type Service = Awaited<ReturnType<typeof startDev>>['service'];

let place: Place;
let service: Service;
/** What the last server logged. */
const lines: string[] = [];
let keys: Awaited<ReturnType<typeof startDev>>['file'];

async function start(env: Record<string, string>, seams: DependencyOverrides = {}): Promise<void> {
  const flags = {
    data_folder: place.folder,
    database_url: place.databaseUrl || undefined,
    port: 0,
    sandbox_port: 0,
    log_level: 'silent',
  };
  const settings = loadSettings({ mode: 'dev', environment: env, readFile: () => '', flags });
  ({ service, file: keys } = await startDev(settings, { reset: false, seams }));
  recordSecrets({ ...keys });
}

const status = (env: Record<string, string>, ...args: string[]) =>
  barker(['keys', 'status', ...flagsOf(place), ...args], { env });

/** One secret in every column that can hold one. */
async function fill(): Promise<void> {
  const { store, box } = service;
  const sealed = (name: keyof typeof secretContext, id: string) => box.seal(`secret ${id}`, secretContext[name](id));
  await store.write(async (tx) => {
    const now = '2026-03-01T12:00:00Z';
    const owner = keys.user_id;
    // More than a batch.
    for (let count = 0; count < 501; count++) {
      await registerApplication({ tx, box, random: secureRandom, now }, owner, { ...EMPTY_DRAFT, name: `A${count}` });
    }
    const application = (await tx.credentials.findApplicationByKey(keys.consumer_key))!.id;
    const request = { application_id: application, callback: 'oob', access_level: 'read', state: 'issued' } as const;
    const unanswered = {
      force_login: 0 as const,
      user_id: null,
      verifier_hash: null,
      attempts: 0,
      address: '127.0.0.1',
      made_token_id: null,
    };
    for (const [id, token_secret] of [
      ['r1', sealed('requestToken', 'r1')],
      ['r2', ''],
    ] as const) {
      const row = { id, token: id, token_secret, created_at: now, expires_at: '2100-01-01T00:00:00Z' };
      await tx.requestTokens.add({ ...request, ...unanswered, ...row });
    }
    const factor = { user_id: 'f1', secret: sealed('secondFactor', 'f1'), last_step: 0, created_at: now };
    await tx.secondFactors.add(factor);
    await tx.webhooks.add(
      {
        id: 'w1',
        application_id: application,
        url: 'https://a.test/',
        url_form: 'https://a.test/',
        valid: 0,
        created_at: now,
        validated_at: now,
        failing_since: null,
        failure: null,
        secret: sealed('webhook', 'w1'),
        former_secret: sealed('webhook', 'w1'),
        former_until: now,
      },
      0,
    );
  });
}

before(async () => {
  place = await openPlace();
  recordSecret('master key', NEW);
  await start({ BARKER_MASTER_KEY: OLD });
  await fill();
  await bearer();
});
after(async () => {
  await service.close();
  await place.remove();
});

/** Asks for the application-only token, whose kept value is opened for that. */
async function bearer(): Promise<string> {
  const basic = Buffer.from(`${keys.consumer_key}:${keys.consumer_secret}`).toString('base64');
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' };
  const reply = await fetch(`${service.url}/oauth2/token`, {
    method: 'POST',
    headers,
    body: 'grant_type=client_credentials',
  });
  const { access_token } = (await reply.json()) as { access_token: string };
  assert.equal(reply.status, 200);
  recordSecret('bearer', access_token);
  return access_token;
}

const signed = async (): Promise<number> =>
  (await clientOf(service.url, keys, systemClock).call('GET', '/12/accounts')).status;

describe('barker keys', () => {
  test('every encrypted column is declared', async () => {
    const catalog =
      engine === 'sqlite'
        ? `select m.name as "table", p.name as "column" from sqlite_master m join pragma_table_info(m.name) p where m.type = 'table'`
        : `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = current_schema()`;
    const ask = (sql: string) => service.driver.read((session) => session.allRaw(sql));
    const found: string[] = [];
    for (const { table, column } of await ask(catalog)) {
      const rows = await ask(`select "${column}" as value from "${table}"`);
      if (rows.some(({ value }) => /^k1\.[\w-]{16}\.[\w-]{22,}$/.test(String(value)))) found.push(`${table}.${column}`);
    }
    const declared = Object.values(SEALED_COLUMNS).map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual(found.sort(), declared.sort());
  });

  test('status prints key usage while the server runs', async () => {
    const before = await status({ BARKER_MASTER_KEY: OLD });
    assert.equal(before.code, 0, before.stderr);
    assert.match(
      before.stdout,
      new RegExp(`^k1 +${fingerprint(OLD)} +current +504 +applications.consumer_secret$`, 'm'),
    );
    assert.match(before.stdout, /^k1 .* 1 +request_tokens.token_secret$/m);
    const unused = await status({ BARKER_MASTER_KEY: OLD, BARKER_MASTER_KEYS_OLD: `k0:${NEW}` });
    assert.match(unused.stdout, new RegExp(`^k0 +${fingerprint(NEW)} +old, unused +0 +-$`, 'm'));
  });

  test('status fails for a missing or wrong key', async () => {
    const missing = await status(CURRENT);
    assert.equal(missing.code, 1);
    assert.match(missing.stdout, /^k1 +- +missing +504 +applications/m);
    assert.match(
      missing.stderr,
      /^barker: key k1 is not configured, but \d+ secrets are encrypted with it; add it to /,
    );
    const other = await status({ BARKER_MASTER_KEY: NEW }, '--json');
    assert.equal(other.code, 1);
    assert.match(
      other.stderr,
      /^barker: \d+ secrets are corrupted, or encrypted with another key than the configured k1\n$/,
    );
    const [use] = JSON.parse(other.stdout);
    assert.equal(use.unreadable, use.secrets);
  });

  test('reseal re-encrypts everything while the server runs, and is idempotent', async () => {
    const counts = async () => {
      const { code, stdout, stderr } = await barker(['keys', 'reseal', ...flagsOf(place)], { env: BOTH });
      assert.equal(code, 0, stderr);
      return new Map(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split('=') as [string, string]),
      );
    };
    const early = await barker(['keys', 'reseal', ...flagsOf(place)], { env: BOTH });
    assert.deepEqual([early.code, early.stdout], [1, '']);
    assert.match(early.stderr, /^barker: no server has been started with master key k2 yet, .* or add --offline if /);
    await service.close();
    await start(BOTH);
    const done = await counts();
    // The server sealed that of the first application when it started.
    assert.equal(done.get('applications.consumer_secret'), '503');
    assert.equal(done.get('request_tokens.token_secret'), '1');
    assert.equal(done.get('webhooks.former_secret'), '1');
    assert.equal([...done.values()].includes('0'), false);
    assert.deepEqual([...(await counts()).keys()], ['all secrets are encrypted with master key k2']);
    // What the server holds in memory is the same secret still.
    assert.equal(await signed(), 200);
  });

  test('everything works without the old key afterwards', async () => {
    const before = await bearer();
    await service.close();
    await start(CURRENT, { log: openLog('info', { write: (line) => void lines.push(line) }) });
    assert.equal(await signed(), 200);
    assert.equal(await bearer(), before);
    const { code, stdout } = await status(CURRENT);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /k1/);
  });

  test('secrets that cannot be decrypted are skipped', async () => {
    const lost = service.box.seal('x', secretContext.webhook('another row'));
    await service.store.write((tx) => tx.webhooks.change('w1', { secret: lost }));
    const next = secretBox({
      currentKeyId: 'k3',
      keys: { k2: Buffer.from(NEW, 'hex'), k3: Buffer.from(OLD, 'hex') },
      random: (count) => secureRandom.bytes(count),
    });
    const done = await resealAll(service.driver, next);
    assert.deepEqual(done['webhooks.secret'], { resealed: 0, unreadable: 1 });
    assert.equal(done['applications.consumer_secret']!.resealed, 504);
    assert.equal((await service.store.read((tx) => tx.webhooks.find('w1')))!.secret, lost);
  });

  test('a server without the new key answers 503 and logs its id', async () => {
    service.store.clearCaches();
    const reply = await clientOf(service.url, keys, systemClock).call('GET', '/12/accounts');
    assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '10']);
    const [line] = lines.map((each) => JSON.parse(each)).filter(({ status }) => status === 503);
    assert.deepEqual(
      [line.level, line.err.message],
      ['error', 'master key k3 is not configured; add it to master_keys_old, or make it the master_key, and restart'],
    );
    const env = { BARKER_MASTER_KEY: NEW, BARKER_MASTER_KEY_ID: 'k4', BARKER_MASTER_KEYS_OLD: `k3:${OLD}` };
    const offline = await barker(['keys', 'reseal', '--offline', ...flagsOf(place)], { env });
    assert.match(offline.stdout, /^applications\.consumer_secret=504$/m);
  });
});
