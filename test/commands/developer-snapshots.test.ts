// On either database: snapshots are of SQLite.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { ANY_PORTS, barker, type Started, started } from './program.ts';

let world: World;
let place: Place;
let archive: string;
before(async () => {
  world = await openWorld({ which: 'sqlite' });
  place = await openPlace('sqlite');
  archive = join(place.folder, 'exported.tar');
});
after(async () => {
  await world.close();
  await place.remove();
});

const run = (...args: string[]) => barker(['dev', ...args, '--data', world.place.folder]);
async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}
const accounts = async (): Promise<number> => (await world.sandbox.call('GET', '/12/accounts')).body.data.length;

describe('barker dev snapshot', () => {
  test('takes, lists, restores and removes', async () => {
    assert.match(
      await succeed('snapshot', 'take', 'one'),
      /^name=one\nat=.*Z\nclock=2026-03-02T17:04:55Z\nbytes=\d+\n$/,
    );
    await openAccount(world.sandbox);
    assert.equal(await accounts(), 1);
    await succeed('snapshot', 'restore', 'one');
    assert.equal(await accounts(), 0);
    assert.match(await succeed('snapshot', 'list'), /^name +at +clock +bytes\none +2/);
    await succeed('snapshot', 'remove', 'one');
    assert.doesNotMatch(await succeed('snapshot'), /one/);
  });

  test('exports and imports', async () => {
    await openAccount(world.sandbox);
    await succeed('snapshot', 'take', 'two');
    await succeed('snapshot', 'export', 'two', archive);
    await succeed('snapshot', 'remove', 'two');
    await succeed('reset');
    assert.equal(await accounts(), 0);
    assert.match(await succeed('snapshot', 'import', archive, '--name', 'three'), /^name=three\n/);
    await succeed('snapshot', 'restore', 'three');
    assert.equal(await accounts(), 1);
  });

  for (const [args, stderr] of [
    [['snapshot', 'restore', 'none'], /^barker: there is no snapshot none; GET \/_dev\/snapshots lists all\n$/],
    [['snapshot', 'take', '-'], /^barker: a name has 1 to 64 letters, .*\n$/],
    [['snapshot', 'import', '/nowhere'], /^barker: \/nowhere does not exist\n$/],
    [['reset', '--to', 'noon'], /^barker: to must be seed or empty\n$/],
  ] as const) {
    test(`${args.join(' ')} fails with the reason`, async () => {
      const outcome = await run(...args);
      assert.deepEqual([outcome.code, outcome.stdout], [1, '']);
      assert.match(outcome.stderr, stderr);
    });
  }

  test('does not overwrite a file', async () => {
    await succeed('snapshot', 'take', 'four');
    const { code, stderr } = await run('snapshot', 'export', 'four', archive);
    assert.deepEqual([code, stderr], [1, `barker: ${archive} already exists\n`]);
  });
});

describe('a server of an archive', () => {
  const folder = (): string => join(place.folder, 'data');
  const written = (): Record<string, string> => JSON.parse(readFileSync(join(folder(), 'dev.json'), 'utf8'));
  async function dev(...flags: string[]): Promise<Started> {
    const one = started(['dev', '--data', folder(), ...ANY_PORTS, '--seed', '7', ...flags]);
    await one.saw(/Try it:\n.*\n/);
    return one;
  }
  async function stop(one: Started): Promise<void> {
    one.child.kill('SIGTERM');
    assert.equal((await one.ended).code, 0);
  }

  test('begins with its contents and keys, and writes another one when it stops', { timeout: 60_000 }, async () => {
    const last = join(place.folder, 'last.tar');
    const first = await dev('--restore', archive, '--export-on-exit', last);
    const file = written();
    assert.equal(file.consumer_key, world.keys.consumer_key);
    const client = clientOf(file.sandbox_url!, file as never, systemClock);
    assert.equal((await client.call('GET', '/12/accounts')).body.data.length, 1);
    await openAccount(client);
    assert.ok(!existsSync(last));
    await stop(first);
    await succeed('snapshot', 'import', last, '--name', 'last');
    await succeed('snapshot', 'restore', 'last');
    assert.equal(await accounts(), 2);
  });

  test('does not begin in a folder that has contents', async () => {
    const { code, stderr } = await barker(['dev', '--data', folder(), ...ANY_PORTS, '--restore', archive]);
    assert.deepEqual([code, stderr], [1, 'barker: the data folder is not empty; give another one with --data\n']);
  });
});
