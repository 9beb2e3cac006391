// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { copyBeforeUpgrade } from '../../src/storage/core/pre-upgrade-copy.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { barker, flagsOf, MASTER_KEY, type Outcome, started } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };

let source: Place;
/** Where archives are written. */
let folder: string;
let archive: string;
const targets: Place[] = [];
const run = (...args: string[]): Promise<Outcome> => barker(args, { env });
const backUp = (...args: string[]): Promise<Outcome> => run('backup', ...args, ...flagsOf(source));

async function succeed(outcome: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await outcome;
  assert.equal(code, 0, stderr);
  return stdout;
}

async function refused(outcome: Promise<Outcome>, message: RegExp): Promise<void> {
  const { code, stderr } = await outcome;
  assert.match(stderr, message);
  assert.equal(code, 1);
}

async function newTarget(): Promise<Place> {
  const target = await openPlace('sqlite');
  targets.push(target);
  return target;
}

/** Runs a command and kills it as soon as a file is there. */
async function killedAt(path: string, args: readonly string[]): Promise<void> {
  const { child, ended } = started(args, { env });
  await until(`${path} is there`, () => {
    assert.equal(child.exitCode, null, `${path} did not appear`);
    return existsSync(path);
  });
  child.kill('SIGKILL');
  assert.equal((await ended).code, null, 'it was killed');
}

before(async () => {
  source = await openPlace('sqlite');
  folder = join(source.folder, 'archives');
  archive = join(source.folder, 'a.tar');
  await succeed(run('migrate', ...flagsOf(source)));
  const ada = barker(['user', 'create', 'ada', ...flagsOf(source)], {
    env,
    input: 'a horse that counts its staples\n',
  });
  await succeed(ada);
  const website = ['--website', 'https://a.test', '--callback', 'https://a.test/back'];
  await succeed(run('app', 'create', 'Reports', '--owner', 'ada', '--level', 'read', ...website, ...flagsOf(source)));
  // So much that a command can be killed in the middle of it.
  await succeed(run('demo', 'population', '--users', '30000', ...flagsOf(source)));
  await succeed(backUp(archive));
});
after(async () => {
  for (const place of [source, ...targets]) await place.remove();
});

describe('a folder of archives', () => {
  test('gets one archive a run, and keeps the newest and foreign files', async () => {
    mkdirSync(folder);
    const others = ['barker-20200101T000000Z.tar.zst.partial', 'notes.txt'];
    for (const name of [...others, 'barker-20200101T000000Z.tar.zst', 'barker-20210101T000000Z.tar.zst']) {
      writeFileSync(join(folder, name), '');
    }
    const told = await succeed(backUp('--folder', folder, '--keep', '2'));
    const written = /^wrote (.*)$/m.exec(told)![1]!;
    assert.match(told, /^removed .*barker-20200101T000000Z\.tar\.zst$/m);
    const kept = readdirSync(folder).map((name) => join(folder, name));
    const expected = [...others, 'barker-20210101T000000Z.tar.zst'].map((name) => join(folder, name));
    assert.deepEqual(kept.sort(), [...expected, written].sort());
    await succeed(run('restore', '--verify', written));
  });

  test('an existing file is replaced only with --force, and a partial file does not matter', async () => {
    const file = join(source.folder, 'b.tar.gz');
    writeFileSync(file, 'mine');
    await refused(backUp(file), /b\.tar\.gz already exists; use --force to overwrite it/);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
    writeFileSync(`${file}.partial`, 'left by somebody who was killed');
    await succeed(backUp(file, '--force'));
    assert.ok(!existsSync(`${file}.partial`));
    await succeed(run('restore', '--verify', file));
  });
});

describe('a backup', () => {
  /** What `barker doctor` says of backups. */
  const told = async (place: Place): Promise<string | undefined> =>
    /^\w+ +(.*backup.*)$/m.exec((await run('doctor', ...flagsOf(place))).stdout)?.[1];

  test('is verified and recorded, but for one whose secrets the configured keys do not open', async () => {
    const target = await newTarget();
    await succeed(run('restore', archive, ...flagsOf(target)));
    assert.equal(
      await told(target),
      'no backup of this database was ever verified',
      'nor was it when it was backed up',
    );
    const file = join(target.folder, 'd.tar');
    const flags = flagsOf(target);
    await refused(
      barker(['backup', file, ...flags], { env: { BARKER_MASTER_KEY: 'ef'.repeat(32) } }),
      /cannot decrypt secrets encrypted with: k1/,
    );
    assert.equal(await told(target), 'no backup of this database was ever verified');
    const untried = await succeed(barker(['backup', file, '--force', ...flags], { env: {} }));
    assert.match(
      untried,
      /^wrote .*d\.tar\nsecrets: not tried, because no master key is configured\nverified .*d\.tar$/m,
    );
    assert.match((await told(target))!, /^the last verified backup is 0 h old/);
  });
});

describe('a backup that is killed', () => {
  test('leaves nothing that looks like an archive, and the next backup works', async () => {
    const file = join(source.folder, 'c.tar.zst');
    await killedAt(`${file}.partial`, ['backup', file, ...flagsOf(source)]);
    assert.ok(!existsSync(file));
    await refused(run('restore', '--verify', `${file}.partial`), /the archive is (damaged or )?incomplete/);
    await succeed(backUp(file));
    assert.deepEqual(
      readdirSync(source.folder).filter((name) => name.endsWith('.partial')),
      [],
    );
    assert.ok(!existsSync(join(source.folder, 'media', 'held')));
  });
});

describe('a restore', () => {
  test('that is killed leaves nothing that can be opened, and the next one completes it', async () => {
    const target = await newTarget();
    const args = ['restore', archive, ...flagsOf(target)];
    await killedAt(join(target.folder, 'restore-incomplete'), args);
    assert.ok(!existsSync(join(target.folder, 'barker.db')));
    await refused(run('migrate', ...flagsOf(target)), /a restore into .* was interrupted; run barker restore again/);
    await succeed(run(...args));
    assert.match(await succeed(run('user', 'list', ...flagsOf(target))), /ada/);
  });

  test('into a target that is not empty is refused and changes nothing', async () => {
    const before = readFileSync(join(source.folder, 'barker.db'));
    await refused(run('restore', archive, ...flagsOf(source)), /is not empty \(.*\); name another/);
    assert.ok(readFileSync(join(source.folder, 'barker.db')).equals(before));
  });

  test('with another master key is refused, and names the one that is needed', async () => {
    const target = await newTarget();
    const outcome = barker(['restore', archive, ...flagsOf(target)], { env: { BARKER_MASTER_KEY: '01'.repeat(32) } });
    await refused(
      outcome,
      /the configured master keys cannot decrypt secrets encrypted with: k1 \(fingerprint [0-9a-f:]+\)/,
    );
    assert.deepEqual(readdirSync(target.folder), []);
  });

  test('--verify finds a changed byte, and writes nothing', async () => {
    const bytes = readFileSync(archive);
    const at = bytes.indexOf('rows/users/') + 512 + 20;
    bytes[at]! ^= 1;
    const broken = join(source.folder, 'broken.tar');
    writeFileSync(broken, bytes);
    const target = await newTarget();
    await refused(run('restore', '--verify', broken, ...flagsOf(target)), /rows\/users\/000001\.ndjson is damaged/);
    assert.deepEqual(readdirSync(target.folder), []);
  });
});

describe('copies made before schema changes', () => {
  test('are the newest three, whatever release they have in their name', () => {
    const kept = join(source.folder, 'copies');
    const copy = (version: string, day: number): string =>
      copyBeforeUpgrade({
        file: join(source.folder, 'barker.db'),
        folder: kept,
        version,
        now: `2026-03-0${day}T00:00:00Z`,
      });
    for (const [day, version] of ['0.9.0', '0.10.0', '0.8.0', '0.11.0'].entries()) copy(version, day + 1);
    const names = ['before-0.10.0-20260302T000000Z.db', 'before-0.11.0-20260304T000000Z.db'];
    assert.deepEqual(readdirSync(kept).sort(), [...names, 'before-0.8.0-20260303T000000Z.db']);
    assert.throws(() => copyBeforeUpgrade({ file: kept, folder: kept, version: '1', now: '2026-03-05T00:00:00Z' }));
    assert.equal(readdirSync(kept).length, 3);
  });
});
