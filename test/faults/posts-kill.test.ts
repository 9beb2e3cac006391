import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { barker, flagsOf, MASTER_KEY, started } from '../commands/program.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';

const POSTS = 150_000;
const HOUR_S = 3600;
/** Every third says it. */
const SAYING = POSTS / 3;
const end = Math.floor(Date.now() / 1000 / HOUR_S) * HOUR_S;

let place: Place;
let running: Running;
let file: string;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  file = join(place.folder, 'posts.ndjson');
  const lines = Array.from({ length: POSTS }, (_, index) => {
    const created_at = formatInstant((end - 1 - ((index * 7) % (24 * HOUR_S))) * 1000);
    return JSON.stringify({ id: index, text: index % 3 === 0 ? 'coffee for all' : 'tea for two', created_at });
  });
  writeFileSync(file, `${lines.join('\n')}\n`);
  running = await startBarker(place);
});
after(async () => {
  await running.kill();
  await place.remove();
});

/** Counts by the hour, in the server that runs now. Real time: the client signs with it. */
async function count(): Promise<number> {
  const client = clientOf(running.file.sandbox_url!, running.file, systemClock);
  const params = {
    granularity: 'HOUR',
    keywords: 'coffee',
    start_time: formatInstant((end - 25 * HOUR_S) * 1000),
    end_time: formatInstant(end * 1000),
  };
  for (;;) {
    const reply: Reply = await client.call('GET', '/12/insights/keywords/search', { params });
    // A server that has much to index says so.
    if (reply.status === 503) continue;
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.post_volume.reduce((sum: number, each: number) => sum + each, 0);
  }
}

const env = { BARKER_MASTER_KEY: MASTER_KEY };
const args = () => ['import', 'posts', file, ...flagsOf(place)];

describe('a killed import', () => {
  test('beside a killed server continues where it stopped: nothing is lost or imported twice', async () => {
    let least = 0;
    for (let kills = 0; kills < 2; kills++) {
      const importing = started(args(), { env });
      // It tells of a batch once it is stored, and is on the next by then.
      await Promise.race([importing.saw(/\d posts\n/), importing.ended]);
      const counting = count();
      importing.child.kill('SIGKILL');
      await importing.ended;
      const counted = await counting;
      assert.ok(counted >= least && counted <= SAYING, `${counted} after ${least}`);
      assert.ok(counted > 0, 'what was told to be stored is found');
      least = counted;
      if (kills === 0) {
        await running.kill();
        running = await startBarker(place);
        assert.ok((await count()) >= least, 'nothing is lost');
      }
    }
    const { code, stdout } = await barker(args(), { env });
    assert.equal(code, 0);
    const told = Object.fromEntries(
      [...stdout.matchAll(/^(\w+)=(\d+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
    assert.ok(told.skipped! > 0 && told.added! > 0, stdout);
    assert.equal(told.skipped! + told.added!, POSTS);
    assert.equal(await count(), SAYING);
    assert.match((await barker(args(), { env })).stdout, new RegExp(`^added=0\nknown=${POSTS}$`, 'm'));
    assert.equal(await count(), SAYING);
  });
});
