// On either database: the commands call a server, which keeps requests and faults in memory.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';
import { barker } from './program.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

const run = (...args: string[]) => barker(['dev', ...args, '--data', world.place.folder]);
async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

describe('barker dev requests', () => {
  test('lists and shows', async () => {
    await world.production.call('GET', '/12/accounts');
    const missing = await world.sandbox.call('GET', '/12/accounts/abc');
    assert.match(
      await succeed('requests'),
      /^id +at +status .*\n\d+ +\S+Z +403 .*GET \/12\/accounts\/abc .*\n\d+ .*200/,
    );
    const [, ...lines] = (await succeed('requests', 'list', '--status', '4xx', '--path', '/12/**')).trim().split('\n');
    assert.equal(lines.length, 1);
    const shown = JSON.parse(await succeed('requests', 'show', missing.headers.get('x-transaction-id')!));
    assert.deepEqual([shown.operation, shown.reply.status], ['accounts.get', 403]);
  });

  test('says what is wrong', async () => {
    for (const [args, error] of [
      [['show', 'none'], 'this request is not known, or no longer\n'],
      [['list', '--status', 'x'], 'status must be like 404 or 4xx, not x\n'],
    ] as const) {
      const { code, stderr } = await run('requests', ...args);
      assert.equal(code, 1);
      assert.ok(stderr.endsWith(error), stderr);
    }
  });
});

describe('barker dev faults', () => {
  test('adds, lists and removes', async () => {
    const rule = { match: { operation: 'accounts.list' }, times: 1, do: { delay: { ms: 1 } } };
    const id = (await succeed('faults', 'add', JSON.stringify(rule))).trim();
    await world.production.call('GET', '/12/accounts');
    const text = await succeed('faults');
    assert.match(
      text,
      /^id +hits +left +when +match +do\n1 +1 +0 +before +\{"operation":"accounts\.list"\} +\{"delay":\{"ms":1\}\}\n$/,
    );
    await succeed('faults', 'remove', id);
    await succeed('faults', 'add', JSON.stringify(rule));
    await succeed('faults', 'remove', '--all');
    assert.equal((await succeed('faults')).trim().split('\n').length, 1);
  });

  test('says what is wrong', async () => {
    for (const [args, code, error] of [
      [['add', '{'], 2, /the rule cannot be read/],
      [['add', '{"do": {"explode": true}}'], 1, /do has no member explode, only delay, reset/],
      [['remove'], 2, /give an id, or --all/],
      [['remove', 'none'], 1, /there is no fault none/],
    ] as const) {
      const failed = await run('faults', ...args);
      assert.equal(failed.code, code, failed.stderr);
      assert.match(failed.stderr, error);
    }
  });
});
