import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine } from '../rig/databases.ts';
import { openWorld } from '../rig/world.ts';
import { barker, flagsOf } from './program.ts';

/** The server of the tests gives durability up for speed. */
const FINDINGS = engine === 'postgres' ? 1 : 0;

test('beside a development server, doctor, health and operator link know it', async () => {
  const world = await openWorld();
  try {
    const data = ['--data', world.place.folder];
    const { code, stdout } = await barker(['doctor', ...flagsOf(world.place)]);
    assert.equal(code, FINDINGS, stdout);
    assert.ok(stdout.includes(`ok       a service runs and is ready (${world.service.url}/readyz)\n`), stdout);
    assert.deepEqual(await barker(['health', ...data]), { code: 0, stdout: 'ready\n', stderr: '' });
    const stderr =
      'barker: the development server has no operator console; start it with: BARKER_OPERATOR_CONSOLE=true barker dev\n';
    assert.deepEqual(await barker(['operator', 'link', ...data]), { code: 1, stdout: '', stderr });
  } finally {
    await world.close();
  }
});
