import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { masterKeysOf, openDriver, openRuntime } from '../../src/app/database.ts';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { examineAddresses } from '../../src/cli/doctor/addresses.ts';
import { examineBackup } from '../../src/cli/doctor/contents.ts';
import { examineDatabase } from '../../src/cli/doctor/database.ts';
import { examineObjects, examineRedis } from '../../src/cli/doctor/dependencies.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { examineDataFolder, examineMachine } from '../../src/cli/doctor/machine.ts';
import type { ApplicationDraft } from '../../src/contract/store/credentials.ts';
import { ensureCertificates } from '../../src/dev/certificates.ts';
import { createPublisher, disablePublisher } from '../../src/features/delivery/serving/publisher-credentials.ts';
import { registerApplication, registerUser } from '../../src/features/platform/registration.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';
import { dropSchema, migrate } from '../../src/storage/core/migrate.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { engine, onPlace, openPlace, type Place } from '../rig/databases.ts';
import { startS3 } from '../rig/s3.ts';
import { barker, flagsOf, MASTER_KEY } from './program.ts';

let place: Place;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  const driver = await openDriver(settingsOf());
  await storeOn(driver).write(async (tx) => {
    await tx.verifiedBackup.record(formatInstant(systemClock.now()));
    const news = { name: 'Harbour News', environment: 'production', owner_user_id: null, may_explain: false } as const;
    await createPublisher({ tx, random: secureRandom, now: '2026-01-01T00:00:00Z' }, news);
  });
  await driver.close();
});
after(() => place.remove());

const settingsOf = (flags: Record<string, unknown> = {}): Settings =>
  loadSettings({
    mode: 'serve',
    environment: {},
    incomplete: true,
    readFile: () => '',
    flags: {
      data_folder: place.folder,
      database_url: place.databaseUrl || undefined,
      master_key: MASTER_KEY,
      delivery_production: 'served',
      ...flags,
    },
  });
/** `level: text` of each finding. */
const lines = (findings: readonly Finding[]): string[] => findings.map(({ level, message }) => `${level}: ${message}`);
/** What is wrong with the server of the tests: it gives durability up for speed. */
const HASTY = engine === 'postgres' ? ['error: the server may lose writes that it has acknowledged'] : [];
/** Findings that ask for something, but for how fast the database answers, which depends on what else the machine does. */
const wanting = (findings: readonly Finding[]): string[] =>
  lines(findings.filter(({ level, message }) => level !== 'ok' && !/ answers in /.test(message)));

describe('doctor', () => {
  test('reports no fault when there is none, and exits with 0', async () => {
    const environment = {
      BARKER_MASTER_KEY: MASTER_KEY,
      BARKER_PUBLIC_BASE_URL: 'https://ads.example.org',
      BARKER_PUBLIC_SANDBOX_URL: 'https://sandbox.example.org',
      BARKER_TRUSTED_PROXIES: '127.0.0.1',
    };
    const args = ['doctor', ...flagsOf(place), '--operations-port', '1'];
    const { code, stdout, stderr } = await barker(args, { env: environment });
    assert.equal(code, HASTY.length, stdout + stderr);
    assert.match(stdout, /^ok +callers use https:\/\/ads\.example\.org$/m);
    assert.match(stdout, new RegExp(`\\n${HASTY.length} errors?, \\d warnings?\\n$`));
  });

  test('reports all faults of the settings at once, and checks the rest', async () => {
    const { code, stdout } = await barker(['doctor', '--json', ...flagsOf(place), '--host', '0.0.0.0']);
    assert.equal(code, 1);
    const told = lines(JSON.parse(stdout));
    for (const part of ['master_key: required', 'public_base_url: required', 'the schema is up to date']) {
      assert.ok(
        told.some((line) => line.includes(part)),
        part,
      );
    }
    assert.ok(!stdout.includes(MASTER_KEY));
  });
});

describe('the database', () => {
  const change = (sql: string) => onPlace(place, (driver) => driver.write((session) => session.runRaw(sql)));
  const examine = async (flags?: Record<string, unknown>) => wanting(await examineDatabase(settingsOf(flags)));

  test('without a fault', async () => assert.deepEqual(await examine(), HASTY));

  test('without a verified backup for more than 26 hours, but for that of a development server', () => {
    const now = Date.parse('2026-03-02T03:00:00Z');
    const told = (at?: string, folder = place.folder): string[] => lines(examineBackup(at, now, folder));
    const of = (hours: number, at: string) => `the last verified backup is ${hours} h old (${at})`;
    for (const [level, hours, at] of [
      ['ok', 0, '2026-03-02T03:00:01Z'],
      ['ok', 26, '2026-03-01T01:00:00Z'],
      ['warning', 26, '2026-03-01T00:59:59Z'],
    ] as const)
      assert.deepEqual(told(at), [`${level}: ${of(hours, at)}`]);
    assert.deepEqual(told(), ['warning: no backup of this database was ever verified']);
    const folder = mkdtempSync(join(tmpdir(), 'barker-doctor-'));
    writeFileSync(join(folder, 'dev.json'), '{}');
    assert.deepEqual(told(undefined, folder), []);
    rmSync(folder, { recursive: true });
  });

  test('without delivery in production, or without publishers where ads are served', async () => {
    assert.deepEqual(await examine({ delivery_production: 'off' }), [
      ...HASTY,
      'warning: no ads are delivered in production',
    ]);
    const noSandbox = 'warning: no publisher may show ads of sandbox';
    assert.deepEqual(await examine({ delivery_sandbox: 'served' }), [...HASTY, noSandbox]);
    const disable = (at: string | null) =>
      onPlace(place, (driver) => storeOn(driver).write((tx) => disablePublisher(tx, { id: '1' }, at)));
    await disable('2026-01-01T00:00:00Z');
    assert.deepEqual(await examine(), [...HASTY, 'warning: no publisher may show ads of production']);
    await disable(null);
    assert.deepEqual(await examine(), HASTY);
  });

  test('that does not exist is not created', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-doctor-'));
    const absent = place.databaseUrl === '' ? undefined : place.databaseUrl.replace(/:\d+\//, ':1/');
    const told = await examine({ data_folder: folder, database_url: absent });
    const expected = absent
      ? /^error: the database does not answer: /
      : /^error: there is no database at .*barker\.db$/;
    assert.match(told.join('\n'), expected);
    rmSync(folder, { recursive: true });
  });

  test('encrypted with another master key', async () => {
    const { store, box, driver } = await openRuntime('serve', settingsOf());
    const draft: ApplicationDraft = {
      ...{ name: 'Reports', description: '', website_url: 'https://a.test', callbacks: [] },
      ...{ terms_url: '', privacy_url: '', organization_name: '', organization_url: '', extra_query: 0 },
      ...{ access_level: 'read', sign_in: 0, native: 0, email_access: 0 },
    };
    await store.write(async (tx) => {
      const registrar = { tx, box, random: secureRandom, now: '2026-01-01T00:00:00Z' };
      const user = await registerUser(registrar, { screenName: 'ada', name: 'Ada', passwordHash: '' });
      await registerApplication(registrar, user, draft);
    });
    assert.deepEqual(await examine(), HASTY);
    const told = await examine({ master_key: 'cd'.repeat(32) });
    assert.deepEqual(told, [...HASTY, 'error: the master key does not decrypt the secrets']);
    assert.deepEqual(await examine({ master_key: '' }), [...HASTY, 'error: no master key is set']);
    await driver.close();
  });

  test('with callbacks whose scheme would be refused today', async () => {
    const { store, driver } = await openRuntime('serve', settingsOf());
    const { id, consumer_key } = (
      await store.read((tx) => tx.credentials.listApplications({ after: '', limit: 1 }))
    )[0]!;
    const set = (...callbacks: string[]) =>
      store.write((tx) => tx.credentials.changeApplication(id, { callbacks: JSON.stringify(callbacks) }));
    await set('myapp://done', 'com.example.app:/done', 'https://a.test/');
    const claim = `warning: callbacks have a scheme that any app on a device can claim: myapp://done of ${consumer_key} (Reports)`;
    assert.deepEqual(await examine(), [...HASTY, claim]);
    assert.deepEqual(await examine({ callback_schemes: 'myapp' }), HASTY);
    await set();
    await driver.close();
  });

  test('with overdue jobs', async () => {
    const store = storeOn(await openDriver(settingsOf()));
    const job = { kind: 'media-removal', key: 'x' };
    await store.write((tx) => tx.jobs.plan({ ...job, run_at: '2026-01-01T00:00:00Z' }));
    assert.deepEqual(await examine(), [
      ...HASTY,
      'warning: 1 media-removal jobs have been due since 2026-01-01T00:00:00Z',
    ]);
    await store.write((tx) => tx.jobs.cancel(job.kind, job.key));
    await store.close();
  });

  test('with requests that are refused after a restore', async () => {
    await change(`insert into restores (restored_at, backup_made_at, requests_not_before) values ('', '', 4102444800)`);
    assert.deepEqual(await examine(), [
      ...HASTY,
      'warning: the service was restored: requests signed before 2100-01-01T00:00:00Z are refused with code 135',
    ]);
    await change('delete from restores');
  });

  test('with events that no server puts into the log', async () => {
    await change(`insert into event_outbox (id, place, event_type, user_id, payload, created_at)
      values (1, 1, 'spaces.end', '1', '{}', '2026-01-01T00:00:00Z')`);
    assert.deepEqual(await examine(), [
      ...HASTY,
      'warning: an event of 2026-01-01T00:00:00Z is not in the event log yet',
    ]);
    await change('delete from event_outbox');
  });

  test('with webhooks to which nobody delivers, and events that wait for them', async () => {
    const driver = await openDriver(settingsOf());
    const store = storeOn(driver);
    const at = '2026-01-01T00:00:00Z';
    const event = { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: '{}' } as const;
    await store.write(async (tx) => {
      await tx.nodes.add(
        {
          id: 'n',
          hostname: 'here',
          version: '1.0.0',
          process: '',
          master_keys: '',
          roles: 'api,stream,worker,search',
          schema_level: '',
        },
        10,
      );
      await tx.webhooks.add(
        {
          ...{ id: '1', application_id: '1', url: 'https://a.test/', url_form: 'https://a.test/', valid: 1 },
          ...{ created_at: at, validated_at: at, failing_since: null, failure: null, secret: 'k1.x' },
          ...{ former_secret: null, former_until: null },
        },
        await tx.events.findLast(),
      );
      await tx.events.appendInPlace([event], at);
    });
    // It has just been added: a server may be about to take it.
    const late = 'warning: events since 2026-01-01T00:00:00Z are not settled for every webhook';
    const kept = 'warning: events: 1 row since 2026-01-01T00:00:00Z, 0.0 MB; kept for 24 hours (event_retention_s)';
    assert.deepEqual(await examine(), [...HASTY, late, kept]);
    await driver.write((session) => session.runRaw("update webhooks set leased_until = '2026-01-01T00:00:00.000Z'"));
    assert.deepEqual(await examine(), [...HASTY, 'warning: no server delivers to 1 webhooks', late, kept]);
    await driver.write((session) => session.runRaw("update nodes set roles = 'api,stream'"));
    assert.deepEqual(await examine(), [...HASTY, 'warning: no running server has the role worker', late, kept]);
    await store.write(async (tx) => {
      await tx.webhooks.remove('1');
      await tx.nodes.remove('n');
    });
    await driver.write((session) => session.runRaw('delete from events'));
    await driver.close();
  });

  test('without the Redis that the settings name, and tells no secret', async () => {
    assert.deepEqual(await examineRedis(settingsOf()), []);
    const database_url = 'postgres://127.0.0.1/barker';
    const told = lines(await examineRedis(settingsOf({ database_url, redis_url: 'redis://:hunter2@127.0.0.1:1' })));
    assert.deepEqual(told, ['warning: Redis does not answer: connect ECONNREFUSED 127.0.0.1:1']);
  });

  test('whose clock differs: a warning beyond 5 s, an error when no server would start', async () => {
    const told = async (seconds: number) => {
      const clock = { now: () => systemClock.now() + seconds * 1000 };
      return wanting(await examineDatabase(settingsOf({ timestamp_window_s: 60 }), clock)).slice(HASTY.length);
    };
    const differs = (seconds: number) => `the clocks of this machine and the database differ by ${seconds} s`;
    // SQLite has the clock of this machine.
    const isOther = engine === 'postgres';
    assert.deepEqual(await told(-4), []);
    assert.deepEqual(await told(20), isOther ? [`warning: ${differs(20)}`] : []);
    assert.deepEqual(await told(-40), isOther ? [`error: ${differs(40)}`] : []);
  });

  test('beside a running server with other master keys', async () => {
    const driver = await openDriver(settingsOf());
    const store = storeOn(driver);
    const master_keys = masterKeysOf(settingsOf());
    const running = {
      id: 'running',
      hostname: 'other.example',
      version: '1.0.0',
      process: '',
      master_keys,
      roles: 'worker',
      schema_level: '',
    };
    await store.write((tx) => tx.nodes.add(running, 10));
    assert.deepEqual(await examine(), HASTY);
    const [, fingerprint] = masterKeysOf(settingsOf({ master_key_id: 'k2' })).split(':');
    assert.deepEqual(await examine({ master_key_id: 'k2', master_keys_old: `k1:${MASTER_KEY}` }), [
      ...HASTY,
      `error: the server on other.example does not have the master key k2:${fingerprint}, with which this one would seal secrets`,
    ]);
    await store.write((tx) => tx.nodes.remove('running'));
    await driver.close();
  });

  test('with the schema of a newer release', async () => {
    const driver = await openDriver(settingsOf());
    const change = (sql: string) => driver.write((session) => session.runRaw(sql));
    await change(`insert into schema_steps (name, applied_at) values ('9999-future', '2026-01-01T00:00:00Z')`);
    assert.deepEqual(await examine(), HASTY);
    await change(`update schema_steps set servers_from = name where name = '9999-future'`);
    assert.deepEqual(await examine(), [...HASTY, 'error: the schema was made by a newer release']);
    await change(`delete from schema_steps where name = '9999-future'`);
    await driver.close();
  });

  test('with the object store that the settings name', async () => {
    assert.deepEqual(await examineObjects(settingsOf()), []);
    const s3 = await startS3();
    const settings = settingsOf(s3.flags);
    const [found, unprotected] = lines(await examineObjects(settings));
    assert.match(
      found!,
      /^ok: s3:\/\/barker-tests\/tests stores, lists and removes objects \(\d+\.\d ms to store one\)$/,
    );
    assert.equal(unprotected, 'warning: the object store is called without TLS');
    const elsewhere = lines(await examineObjects(settingsOf({ ...s3.flags, object_store: 's3://none' })));
    assert.match(elsewhere.join(), /^error: s3:\/\/none cannot be used: the object store .*NoSuchBucket/);
    await s3.close();
    const [away] = lines(await examineObjects(settings));
    assert.match(away!, /^error: s3:\/\/barker-tests\/tests cannot be used: .*ECONNREFUSED/);
    const folder = join(place.folder, 'elsewhere');
    assert.match(lines(await examineObjects(settingsOf({ object_store: folder }))).join(), /^ok: .*elsewhere stores/);
    const driver = await openDriver(settingsOf());
    await storeOn(driver).write((tx) => tx.objectStoreId.claim('abc'));
    const other = 'error: object_store is not the one of this database: it has no object identity/abc';
    assert.deepEqual(await examine({ object_store: folder }), [...HASTY, other]);
    mkdirSync(join(folder, 'identity'), { recursive: true });
    writeFileSync(join(folder, 'identity', 'abc'), '');
    assert.deepEqual(await examine({ object_store: folder }), HASTY);
    await driver.write((session) => session.runRaw('delete from object_stores'));
    await driver.close();
  });

  test('with an outdated schema', async () => {
    const driver = await openDriver(settingsOf());
    await dropSchema(driver);
    assert.match((await examine()).at(-1)!, /^error: the schema lacks 0058-operator-sessions/);
    await migrate(driver, '2026-01-01T00:00:00Z');
    await driver.close();
  });
});

describe('addresses', () => {
  const examine = (flags: Record<string, unknown>) => wanting(examineAddresses(settingsOf(flags)));
  const PUBLIC = { public_base_url: 'https://ads.example.org', public_sandbox_url: 'https://ads.example.org:8443' };

  for (const [name, flags, expected] of [
    ['behind a proxy', { ...PUBLIC, trusted_proxies: '10.0.0.1' }, []],
    ['of nothing that terminates TLS', PUBLIC, ['error: nothing terminates TLS, so every request is refused']],
    [
      'of this machine alone',
      { allow_insecure_loopback: true },
      ['warning: no public address is set', 'warning: callers on this machine use plain HTTP'],
    ],
  ] as const) {
    test(name, () => assert.deepEqual(examine(flags), expected));
  }

  test('not in the certificate, and a file that is not a certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-doctor-'));
    const { cert, key } = await ensureCertificates(folder, ['ads.example.org'], systemClock);
    assert.deepEqual(examine({ ...PUBLIC, tls_cert: cert, tls_key: key }), []);
    assert.deepEqual(
      examine({ ...PUBLIC, public_base_url: 'https://other.example.org', tls_cert: cert, tls_key: key }),
      ['error: the certificate is not for other.example.org'],
    );
    writeFileSync(cert, 'no certificate');
    assert.deepEqual(examine({ ...PUBLIC, tls_cert: cert, tls_key: key }), [
      `error: ${cert} cannot be read as a certificate`,
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe('the machine and its disk', () => {
  test('a data folder that others can read, and a missing one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-doctor-'));
    const examine = async (data_folder: string) => wanting(await examineDataFolder(settingsOf({ data_folder })));
    const withoutDisk = (told: string[]) => told.filter((line) => !line.includes('GiB'));
    assert.deepEqual(withoutDisk(await examine(folder)), []);
    chmodSync(folder, 0o755);
    assert.deepEqual(withoutDisk(await examine(folder)), [
      `warning: other users of this machine can look into ${folder} (mode 0755)`,
    ]);
    rmSync(folder, { recursive: true });
    assert.deepEqual(await examine(folder), [`error: the data folder ${folder} does not exist`]);
  });

  test('an ffmpeg that does not start', async () => {
    const told = wanting(await examineMachine(settingsOf({ ffmpeg_program: '/nowhere/ffmpeg' })));
    assert.ok(told.includes('error: ffmpeg_program /nowhere/ffmpeg does not run (ENOENT)'), told.join('\n'));
  });

  test('an ffmpeg without an encoder for videos', async () => {
    const program = join(mkdtempSync(join(tmpdir(), 'barker-doctor-')), 'ffmpeg');
    writeFileSync(program, '#!/bin/sh\necho ffmpeg version 7', { mode: 0o700 });
    const told = wanting(await examineMachine(settingsOf({ ffmpeg_program: program })));
    assert.ok(told.includes(`warning: ffmpeg_program ${program} cannot convert videos`), told.join('\n'));
    rmSync(dirname(program), { recursive: true });
  });
});
