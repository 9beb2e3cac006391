import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { basic } from '../rig/application.ts';
import { clientOf, read } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { plant } from '../rig/secrets.ts';
import { type Line, openStream, type ReadStream } from '../rig/streams.ts';

const WRITERS = 16;
/** In each round the process is killed at the moment when this many calls of the round were acknowledged. */
const MOMENTS = [1, 40, 300];

let place: Place;
let running: Running;
const start = () => startBarker(place, { flags: ['--rate-limits', 'off'] });
const clientNow = () => clientOf(running.file.base_url!, running.file, systemClock);
const served = () => ({ service: { url: running.file.base_url! } });

before(async () => {
  place = await openPlace();
  running = await start();
});
after(async () => {
  await running.kill();
  await place.remove();
});

/** Calls with the token of the application. */
async function callAs(bearer: string, method: string, path: string, json?: unknown) {
  const headers = {
    authorization: `Bearer ${bearer}`,
    ...(json !== undefined && { 'content-type': 'application/json' }),
  };
  const body = json === undefined ? undefined : JSON.stringify(json);
  const reply = await read(await fetch(running.file.base_url + path, { method, headers, body }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function bearerNow(): Promise<string> {
  const headers = { authorization: basic(running.file), 'content-type': 'application/x-www-form-urlencoded' };
  const url = `${running.file.base_url}/oauth2/token`;
  const reply = await read(await fetch(url, { method: 'POST', headers, body: 'grant_type=client_credentials' }));
  plant('bearer token', reply.body.access_token);
  return reply.body.access_token;
}

/** What the lines of a stream say, in their order. */
function toldBy(lines: readonly Line[]): string[] {
  return lines.map(({ data }) => data.payload.after);
}

describe('a process that is killed', () => {
  test(`keeps every event that it acknowledged to ${WRITERS} writers; a stream that comes back has them all, in order`, async () => {
    const me = await clientNow().call('GET', '/1.1/account/verify_credentials.json');
    const user: string = me.body.id_str;
    const bearer = await bearerNow();
    await callAs(bearer, 'POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: user },
    });
    const acknowledged: string[] = [];
    const seen = new Set<string>();
    let latest: string[] = [];
    for (const [round, moment] of MOMENTS.entries()) {
      const stream = await openStream(served(), bearer);
      await writeUntilKilled(acknowledged, { round, moment });
      const before = toldBy(await stream.ended);
      for (const each of before) seen.add(each);
      running = await start();
      // Whoever held places before is gone with the process.
      const [lost] = (await callAs(bearer, 'GET', '/2/connections?status=inactive&max_results=1')).data;
      assert.equal(lost.disconnect_reason, 'UpstreamUncleanDisconnect');
      const again: ReadStream = await openStream(served(), bearer, '?backfill_minutes=5');
      await again.when(() => acknowledged.every((each) => again.text().includes(`"after":"${each}"`)));
      latest = toldBy(again.lines());
      again.close();
      for (const each of latest) seen.add(each);
      const missed = acknowledged.filter((each) => !seen.has(each));
      assert.deepEqual(missed, []);
      assert.equal(new Set(latest).size, latest.length, 'nothing twice in one stream');
      // What was sent before the end is in the log, and in the same order.
      const kept = latest.filter((each) => before.includes(each));
      assert.deepEqual(kept, before);
    }
  });
});

/** Each writer changes the profile, call after call, until the process is gone. */
async function writeUntilKilled(
  acknowledged: string[],
  { round, moment }: { readonly round: number; readonly moment: number },
): Promise<void> {
  const client = clientNow();
  let count = 0;
  let killed: Promise<void> | undefined;
  const writer = async (number: number): Promise<void> => {
    for (let own = 0; ; own++) {
      const description = `round ${round} writer ${number} number ${own}.`;
      try {
        const reply = await client.call('POST', '/1.1/account/update_profile.json', { params: { description } });
        assert.equal(reply.status, 200, reply.text);
      } catch (error) {
        if (killed) return;
        throw error;
      }
      acknowledged.push(description);
      count += 1;
      if (count === moment) killed = running.kill();
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)));
  await killed;
}
