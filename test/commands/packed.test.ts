// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openReceiver, type Receiver } from '../rig/receiver.ts';
import { recordSecrets } from '../rig/secrets.ts';
import { installTarball } from '../rig/tarball.ts';
import { allCommands } from './all-commands.ts';
import { CHANGES, file, made, prepare, READS, takeNote, writeFiles } from './audited-commands.ts';
import { ANY_PORTS, flagsOf, MASTER_KEY, type Outcome, type Started, started } from './program.ts';

/** The package, installed in an empty folder, where each command runs in a process of its own. */
let home: string;
let entry: string;
const begun: Started[] = [];
const begin = (words: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Started => {
  begun.push(started([...words.split(' '), ...args], { cwd: home, entry, env }));
  return begun.at(-1)!;
};

/** Runs a command to its end, which must be a good one. */
async function run(words: string, args: readonly string[] = [], env = {}): Promise<Outcome> {
  const ran = await begin(words, args, env).ended;
  assert.equal(ran.code, 0, `${words}: ${ran.stdout}${ran.stderr}`);
  return ran;
}

async function stop(one: Started): Promise<void> {
  one.child.kill('SIGINT');
  const { code, stderr } = await one.ended;
  assert.equal(code, 0, stderr);
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'barker-packed-'));
  entry = join(await installTarball(home), 'bin/barker.js');
});
after(async () => {
  for (const one of begun) one.child.kill('SIGKILL');
  await Promise.all(begun.map(({ ended }) => ended));
  rmSync(home, { recursive: true });
});

let dev: Started;
let keys: Record<string, string>;
let receiver: Receiver;

/** Beside a development server, in an order in which each finds what it needs. */
const BESIDE: Readonly<Record<string, () => readonly string[]>> = {
  call: () => ['POST', `/12/accounts/${made.demo_account}/custom_audiences`, '-d', 'name=All', '--pick', 'data.id'],
  sign: () => ['GET', '/12/accounts'],
  'webhooks check': () => [receiver.url],
  'audience hash': () => ['--type', 'email', 'ada@a.test'],
  'audience upload': () => ['people.csv', '--account', made.demo_account!, '--audience', made.audience!],
  'world init': () => [],
  'world schema': () => [],
  'aliases init': () => [],
  completion: () => ['bash'],
  'world export': () => ['exported.yaml'],
  'dev requests list': () => [],
  'dev requests show': () => ['1'],
  'dev faults add': () => ['{"do": {"delay": {"ms": 1}}}'],
  'dev faults list': () => [],
  'dev faults remove': () => ['--all'],
  'dev snapshot take': () => ['all'],
  'dev snapshot list': () => [],
  'dev snapshot export': () => ['all', 'all.tar'],
  'dev snapshot import': () => ['all.tar', '--name', 'again'],
  'dev snapshot restore': () => ['again'],
  'dev snapshot remove': () => ['all'],
  'dev clock now': () => [],
  'dev clock freeze': () => [],
  'dev clock run': () => [],
  'dev clock advance': () => ['PT1H'],
  'dev clock set': () => [`${new Date().getUTCFullYear() + 1}-01-01T00:00:00Z`],
  'dev reset': () => [],
};

/** The database of a server in production. */
const place = () => ({ folder: join(home, 'production'), databaseUrl: '' });
const inProduction = (words: string, args: readonly string[], folder = place().folder): Promise<Outcome> =>
  run(words, [...args, ...flagsOf({ ...place(), folder } as never)], { BARKER_MASTER_KEY: MASTER_KEY });

test('every command is tried', async () => {
  const tried = [CHANGES, READS, BESIDE].flatMap((rows) => Object.keys(rows));
  const lasting = ['dev', 'dev requests tail', 'events listen', 'serve', 'health'];
  assert.deepEqual([...tried, ...lasting].sort(), [...(await allCommands())].sort());
});

describe('exit code of', () => {
  before(async () => {
    dev = begin('dev', ANY_PORTS);
    await dev.saw(/Try it:\n.+\n/);
    keys = JSON.parse(readFileSync(join(home, 'data/dev.json'), 'utf8'));
    recordSecrets(keys);
    receiver = await openReceiver(keys.consumer_secret!);
    made.demo_account = (await run('call', ['GET', '/12/accounts', '--pick', 'data.0.id'])).stdout.trim();
    writeFileSync(join(home, 'people.csv'), 'email\nada@a.test\n');
    writeFiles();
    mkdirSync(place().folder);
  });
  after(() => receiver.close());

  for (const [words, args] of Object.entries(BESIDE)) {
    test(`${words}: 0`, async () => {
      const { stdout } = await run(words, args());
      if (words === 'call') made.audience = stdout.trim();
    });
  }

  test('events listen: 0', async () => {
    const lasting = begin('events listen');
    await lasting.saw(/listening/);
    await stop(lasting);
  });

  test('pages and assets of dev', async () => {
    for (const path of ['/', '/login', '/docs/', '/docs/reference', '/_dev/requests', '/_dev/debugger']) {
      const page = await fetch(keys.base_url! + path, { headers: { accept: 'text/html' } });
      assert.equal(page.status, 200, path);
      const assets = [...(await page.text()).matchAll(/<(?:link|script|img)[^>]* (?:href|src)="(\/[^"]+)"/g)];
      assert.ok(assets.length > 0, path);
      for (const [, asset] of assets) assert.equal((await fetch(keys.base_url! + asset!)).status, 200, asset);
    }
  });

  test('dev requests tail: 0, and of dev: 0', async () => {
    const tail = begin('dev requests tail');
    let isShown = false;
    const shown = tail.saw(/GET \/12\/accounts/).then(() => {
      isShown = true;
    });
    // Nothing says when it has begun.
    while (!isShown) await Promise.race([shown, run('call', ['GET', '/12/accounts'])]);
    await stop(dev);
    assert.equal((await tail.ended).code, 0);
  });

  for (const [words, { args }] of Object.entries(CHANGES)) {
    test(`${words}: 0`, async () => {
      await prepare(words, place(), inProduction);
      takeNote(words, await inProduction(words, args(), words === 'restore' ? file('restored') : undefined));
    });
  }

  test('serve: 0, and of health: 0', async () => {
    const flags = ['--operations-port', '0', '--allow-insecure-loopback', '--shutdown-grace-s', '0', ...ANY_PORTS];
    const env = { BARKER_MASTER_KEY: MASTER_KEY };
    const serve = begin('serve', [...flags, ...flagsOf(place() as never)], env);
    const [line] = await serve.saw(/^.*"message":"ready".*$/m);
    await run('health', ['--operations-port', new URL(JSON.parse(line).operations_url).port]);
    await stop(serve);
  });

  for (const [words, args] of Object.entries(READS)) {
    test(`${words}: 0`, async () => {
      const served = words === 'doctor' ? ['--allow-insecure-loopback'] : [];
      await inProduction(words, [...args(), ...served]);
    });
  }
});
