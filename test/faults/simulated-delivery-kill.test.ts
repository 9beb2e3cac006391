import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pause } from '../../src/base/timers.ts';
import { demoAccountId } from '../../src/dev/demo-world.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';

/** The demo world, whose campaigns run, with people who see its ads; its clock moves only when it is told to. */
const BEGIN = ['--people', '300', '--clock', '2026-03-02T09:00:00Z', '--frozen'];
const END = '2026-03-03T15:00:00Z';
const KILLS_MS = [60, 200];
const account = demoAccountId({ seed: 1 });

const places: Place[] = [];
after(async () => {
  for (const place of places) await place.remove();
});

async function newPlace(like?: Place): Promise<Place> {
  const place = await openPlace(undefined, like && { like });
  places.push(place);
  return place;
}

/** Moves the clock to the end, through all settlements on the way; undefined when the server is gone meanwhile. */
async function advance({ file }: Running): Promise<number | undefined> {
  const reply = await fetch(`${file.base_url}/_dev/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ to: END, wait_ms: 60_000 }),
  }).catch(() => undefined);
  return reply?.status;
}

/** What the ledger has, without when it was stored, and how far it is settled. */
function ledgerOn(place: Place): Promise<{ readonly days: string; readonly until: string }> {
  return onPlace(place, (driver) =>
    storeOn(driver).read(async (tx) => {
      const days = await tx.deliveryLedger.listDays({ account, from: '', until: '9' });
      const texts = days.map(({ settled_until, changed_at, hours, ...row }) =>
        JSON.stringify({ ...row, hours: Buffer.from(hours).toString('hex') }),
      );
      const cursor = await tx.deliveryLedger.findCursor(account);
      return { days: texts.join('\n'), until: cursor?.settled_until ?? '' };
    }),
  );
}

test('a server that is killed while it settles ends with the numbers of one that was left alone', async () => {
  // The same world twice: the numbers depend on ids, and those on how long it took to make the world.
  const begun = await newPlace();
  assert.equal(await (await startBarker(begun, { flags: BEGIN })).stop(), 0);
  const [calm, place] = [await newPlace(begun), await newPlace(begun)];
  const alone = await startBarker(calm, { flags: ['--frozen'] });
  assert.equal(await advance(alone), 200);
  assert.equal(await alone.stop(), 0);
  const wanted = await ledgerOn(calm);
  assert.equal(wanted.until, END);
  const lines = new Set(wanted.days.split('\n').map((row) => JSON.parse(row).line_item_id));
  assert.equal(lines.size, 7, 'all running line items of the demo world deliver');

  let running = await startBarker(place, { flags: ['--frozen'] });
  let early = 0;
  for (const after_ms of KILLS_MS) {
    const advancing = advance(running);
    await pause(after_ms);
    await running.kill();
    await advancing;
    const { until } = await ledgerOn(place);
    if (until < END) early += 1;
    running = await startBarker(place, { flags: ['--frozen'] });
  }
  assert.ok(early > 0, 'it was killed in the middle');
  assert.ok([200, 400].includes((await advance(running))!));
  assert.equal(await running.stop(), 0);
  const found = await ledgerOn(place);
  assert.equal(found.until, END);
  assert.equal(found.days, wanted.days);
});
