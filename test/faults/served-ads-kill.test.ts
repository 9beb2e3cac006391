import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { flagsOf, MASTER_KEY } from '../commands/program.ts';
import { clientOf } from '../rig/client.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { recordSecret } from '../rig/secrets.ts';
import { bookAd, get } from '../rig/served-ads.ts';

const FLAGS = ['--delivery-sandbox', 'served', '--rate-limits', 'off'];

let place: Place;
let running: Running;
before(async () => {
  place = await openPlace();
  running = await startBarker(place, { flags: FLAGS });
});
after(async () => {
  await running.stop();
  await place.remove();
});

/** Registers a publisher by the command; returns its credential. */
function makePublisher(): string {
  const args = ['bin/barker.js', 'publisher', 'create', 'News', '--environment', 'sandbox', ...flagsOf(place)];
  const env = { ...process.env, BARKER_MASTER_KEY: MASTER_KEY };
  const told = execFileSync(process.execPath, args, { encoding: 'utf8', env });
  const credential = /pub_\w+/.exec(told)![0];
  recordSecret('publisher', credential);
  return credential;
}

const impressionsOf = (account: string): Promise<number> =>
  onPlace(place, async (driver) => {
    const [totals] = await storeOn(driver).read((tx) => tx.deliveryLedger.listTotals(account));
    return totals?.impressions ?? 0;
  });

test('a killed server loses at most what it had not stored, and counts nothing twice', async () => {
  const { file } = running;
  const sandbox = clientOf(file.sandbox_url!, file, systemClock);
  const world = { sandbox, keys: file } as unknown as Parameters<typeof bookAd>[0];
  const flight = { start_time: '2020-01-01', end_time: '2100-01-01' };
  const { account } = await bookAd(world, { bid: 900_000_000, line: flight });
  const credential = makePublisher();
  const urls: string[] = [];
  while (urls.length < 25) {
    const reply = await fetch(`${file.sandbox_url}/delivery/decisions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({ placements: [{ id: 'top', type: 'SERVICE_TIMELINE' }] }),
    });
    const body = (await reply.json()) as { data: { placements: [{ decisions: { impression_url: string }[] }] } };
    for (const { impression_url } of body.data.placements[0].decisions) urls.push(impression_url);
  }
  for (const url of urls.slice(0, 20)) assert.equal((await get(url)).status, 204);
  await until('they are stored', async () => (await impressionsOf(account)) === 20);
  for (const url of urls.slice(20)) assert.equal((await get(url)).status, 204);
  await running.kill();
  const stored = await impressionsOf(account);
  assert.ok(stored >= 20 && stored <= 25, `${stored} of 25`);
  const { sandbox_url: before } = file;
  running = await startBarker(place, { flags: FLAGS });
  for (const url of urls) {
    const again = url.replace(before!, running.file.sandbox_url!);
    assert.equal((await get(again)).status, 204);
  }
  assert.equal(await running.stop(), 0);
  assert.equal(
    await impressionsOf(account),
    25,
    'what is lost counts when it is sent again, and what is stored does not',
  );
  running = await startBarker(place, { flags: FLAGS });
});
