// On either database: the commands call a server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openPlace } from '../rig/databases.ts';
import { openWorld, type World } from '../rig/world.ts';
import { ANY_PORTS, barker, flagsOf, started } from './program.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const clock = (...args: string[]) => barker(['dev', 'clock', ...args, '--data', world.place.folder]);
/** The printed fields of a command that succeeds. */
async function shown(...args: string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await clock(...args);
  assert.deepEqual([code, stderr], [0, '']);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
}

describe('barker dev clock', () => {
  test('shows the clock, with or without now', async () => {
    const expected = { now: '2026-03-02T17:04:55.000Z', mode: 'running', offset_s: '0', next_due: 'nothing' };
    assert.deepEqual(await shown('now'), expected);
    assert.deepEqual(await shown(), expected);
  });

  test('freezes, moves and runs it', async () => {
    assert.equal((await shown('freeze')).mode, 'frozen');
    assert.equal((await shown('set', '2026-03-03T09:00:00Z')).now, '2026-03-03T09:00:00.000Z');
    const advanced = await shown('advance', 'P7D');
    assert.deepEqual([advanced.now, advanced.mode], ['2026-03-10T09:00:00.000Z', 'frozen']);
    assert.equal((await shown('advance', '2026-03-11T00:00:00Z')).now, '2026-03-11T00:00:00.000Z');
    assert.equal((await shown('run')).mode, 'running');
  });

  for (const [args, stderr] of [
    [['set', '2026-01-01T00:00:00Z'], /^barker: the clock shows .* and goes forward only\n$/],
    [['set', 'tomorrow'], /^barker: "tomorrow" is not a UTC time such as 2026-03-02T09:00:00Z\n$/],
    [['advance', '7d'], /^barker: "7d" is not a duration such as P7D, PT30M or P1DT2H\n$/],
    [['advance', 'P1M'], /^barker: "P1M" is not a duration such as P7D, .*: use days\n$/],
  ] as const) {
    test(`${args.join(' ')} fails with the reason`, async () => {
      const outcome = await clock(...args);
      assert.deepEqual([outcome.code, outcome.stdout], [1, '']);
      assert.match(outcome.stderr, stderr);
    });
  }

  test('needs a server', async () => {
    const { code, stderr } = await barker(['dev', 'clock', 'now', '--data', '/nowhere']);
    assert.equal(code, 1);
    assert.match(stderr, /^barker: \/nowhere\/dev\.json does not exist; start barker dev, .*\n$/);
  });

  test('a start with a time that cannot be read is a usage error', async () => {
    const { code, stderr } = await barker(['dev', '--clock', 'noon']);
    assert.equal(code, 2);
    assert.match(stderr, /--clock.*expected a UTC time such as 2026-03-02T09:00:00Z/);
  });
});

test('a clock that was moved is shown at each start', async () => {
  const place = await openPlace();
  const shownAt = async (...flags: string[]) => {
    const one = started(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
    const [welcome] = await one.saw(/Barker is ready[\s\S]*Try it:\n.*\n/);
    one.child.kill('SIGTERM');
    assert.equal((await one.ended).code, 0);
    return /^ +clock {2,}(.*)$/m.exec(welcome)?.[1];
  };
  assert.equal(await shownAt(), undefined);
  assert.match(
    (await shownAt('--clock', '2041-03-02T09:00:00Z'))!,
    /^was moved; it shows 2041-03-02T09:0\d:\d\dZ now$/,
  );
  const still = 'stands still at 2041-03-03T09:00:00Z';
  assert.equal(await shownAt('--clock', '2041-03-03T09:00:00Z', '--frozen'), still);
  assert.equal(await shownAt(), still);
  await place.remove();
});
