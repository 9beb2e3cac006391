import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openPlace, type Place } from '../rig/databases.ts';
import { ANY_PORTS, flagsOf, type Started, started } from './program.ts';

let place: Place;
let running: Started | undefined;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
after(async () => {
  running?.child.kill('SIGKILL');
  await running?.ended;
  await place.remove();
});

async function dev(...flags: string[]): Promise<Started & { file: Record<string, string> }> {
  running = started(['dev', ...flagsOf(place), ...ANY_PORTS, ...flags]);
  await running.saw(/Try it:\n.*\n/);
  return { ...running, file: JSON.parse(readFileSync(join(place.folder, 'dev.json'), 'utf8')) };
}

async function stop(one: Started): Promise<void> {
  one.child.kill('SIGTERM');
  assert.equal((await one.ended).code, 0);
}

describe('barker dev --host beyond this machine', () => {
  test('makes keys of its own for a new world, and warns of known ones and of plain HTTP', async () => {
    const known = await dev();
    await stop(known);
    const [tls, keys] = [/warning +every call is refused: .* needs --tls\n/, /warning +others can guess the keys/];
    const again = await dev('--host', '0.0.0.0');
    assert.equal(again.file.consumer_key, known.file.consumer_key);
    for (const warning of [tls, keys]) assert.match(again.output().stdout, warning);
    await stop(again);
    const own = await dev('--host', '0.0.0.0', '--tls', '--reset');
    for (const name of ['consumer_secret', 'access_token_secret', 'password', 'messages_consumer_secret']) {
      assert.notEqual(own.file[name], known.file[name], name);
    }
    for (const warning of [tls, keys]) assert.doesNotMatch(own.output().stdout, warning);
    await stop(own);
    assert.equal((await dev()).file.consumer_secret, own.file.consumer_secret);
  });
});
