import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { basic } from '../rig/application.ts';
import { clientOf, read } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { recordSecret } from '../rig/secrets.ts';
import { type Line, openStream, type ReadStream } from '../rig/streams.ts';

const WRITERS = 16;
/** So many of them are operators, whose events are written together; the others change a profile, each in a unit. */
const OPERATORS = 6;
/** In each round the process is killed at the moment when this many calls of the round were acknowledged. */
const MOMENTS = [1, 40, 300];

let place: Place;
let running: Running;
const start = () => startBarker(place, { flags: ['--rate-limits', 'off'] });
const clientNow = () => clientOf(running.file.base_url!, running.file, systemClock);
const served = () => ({ service: { url: running.file.base_url! } });

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
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
  const body = json === undefined ? null : JSON.stringify(json);
  const reply = await read(await fetch(running.file.base_url + path, { method, headers, body }));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function bearerNow(): Promise<string> {
  const headers = { authorization: basic(running.file), 'content-type': 'application/x-www-form-urlencoded' };
  const url = `${running.file.base_url}/oauth2/token`;
  const reply = await read(await fetch(url, { method: 'POST', headers, body: 'grant_type=client_credentials' }));
  recordSecret('bearer token', reply.body.access_token);
  return reply.body.access_token;
}

/** What a line of a stream tells of. */
function textOf({ data }: Line): string {
  return data.payload.after;
}

/** Makes a profile seem to change, as an operator does. */
async function happen(user_id: string, after: string): Promise<void> {
  const { base_url, operator_token } = running.file;
  recordSecret('operator token', operator_token);
  const body = JSON.stringify({ event_type: 'profile.update.bio', user_id, payload: { before: '', after } });
  const headers = { authorization: `Bearer ${operator_token}`, 'content-type': 'application/json' };
  const reply = await fetch(`${base_url}/internal/activity/events`, { method: 'POST', headers, body });
  assert.equal(reply.status, 202, await reply.text());
}

describe('a process that is killed', () => {
  test(`keeps every event that it acknowledged to ${WRITERS} writers; a reconnected stream gets them all, in order`, async () => {
    const me = await clientNow().call('GET', '/1.1/account/verify_credentials.json');
    const user: string = me.body.id_str;
    const bearer = await bearerNow();
    await callAs(bearer, 'POST', '/2/activity/subscriptions', {
      event_type: 'profile.update.bio',
      filter: { user_id: user },
    });
    const begun = formatInstant(systemClock.now());
    const acknowledged: string[] = [];
    for (const [round, moment] of MOMENTS.entries()) {
      const stream = await openStream(served(), bearer);
      await writeUntilKilled(acknowledged, { user, round, moment });
      const before = (await stream.ended).map(textOf);
      running = await start();
      // Whoever held places before is gone with the process.
      const [lost] = (await callAs(bearer, 'GET', '/2/connections?status=inactive&max_results=1')).data;
      assert.equal(lost.disconnect_reason, 'UpstreamUncleanDisconnect');
      const again: ReadStream = await openStream(served(), bearer, `?start_time=${encodeURIComponent(begun)}`);
      // What comes last is acknowledged by the new process: a reader who has it waits for nothing else.
      const last = `round ${round} is over.`;
      await happen(user, last);
      await again.when((text) => text.includes(last));
      const latest = again.lines();
      again.close();
      const texts = latest.map(textOf);
      const missed = acknowledged.filter((each) => !texts.includes(each));
      assert.deepEqual(missed, []);
      const positions = latest.map(({ data }) => Number(data.event_uuid.slice(2)));
      assert.deepEqual(
        positions,
        positions.map((_, index) => positions[0]! + index),
        'the log has no hole, and a stream tells nothing twice',
      );
      // What was sent before the end is in the log, and in the same order.
      const kept = texts.filter((each) => before.includes(each));
      assert.deepEqual(kept, before);
    }
  });
});

/** Each writer makes the profile change, or seem to, call after call, until the process is gone. */
async function writeUntilKilled(
  acknowledged: string[],
  { user, round, moment }: { readonly user: string; readonly round: number; readonly moment: number },
): Promise<void> {
  const client = clientNow();
  let count = 0;
  let killed: Promise<void> | undefined;
  const writer = async (number: number): Promise<void> => {
    for (let own = 0; ; own++) {
      const description = `round ${round} writer ${number} number ${own}.`;
      try {
        if (number < OPERATORS) await happen(user, description);
        else {
          const reply = await client.call('POST', '/1.1/account/update_profile.json', { params: { description } });
          assert.equal(reply.status, 200, reply.text);
        }
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
