// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { storeOn } from '../../src/storage/core/store.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { barker, flagsOf, MASTER_KEY, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };

let place: Place;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
after(() => place.remove());

test('barker nodes tells servers of one machine apart, by what their logs call them', async () => {
  const ids = ['0123456789abcdef'.repeat(2), 'fedcba9876543210'.repeat(2)];
  const same = { hostname: 'one', version: '0.1.0', process: '', master_keys: 'k1:a', roles: 'api', schema_level: '1' };
  await onPlace(place, (driver) =>
    storeOn(driver).write(async (tx) => {
      for (const id of ids) await tx.nodes.add({ id, ...same }, 10);
    }),
  );
  const { stdout } = await barker(['nodes', ...flagsOf(place)], { env });
  const [head, ...rows] = stdout.trimEnd().split('\n');
  assert.match(head!, /^NODE +HOST /);
  assert.deepEqual(
    rows.map((row) => row.split(/ {2,}/).slice(0, 2)),
    [
      ['01234567', 'one'],
      ['fedcba98', 'one'],
    ],
  );
});

test('barker operator link leads to an address that can be opened', async () => {
  for (const [host, expected] of [
    ['0.0.0.0', '127.0.0.1'],
    ['::', '[::1]'],
    ['::1', '[::1]'],
    ['10.1.2.3', '10.1.2.3'],
  ] as const) {
    const args = ['operator', 'link', '--operations-host', host, '--operations-port', '8182', ...flagsOf(place)];
    const { link } = toldBy(await barker(args, { env }));
    assert.equal(new URL(link!).host, `${expected}:8182`);
  }
});
