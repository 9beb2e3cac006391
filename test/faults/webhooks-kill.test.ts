import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { basic } from '../rig/application.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { type Answering, type Arrived, openReceiver, type Receiver, status } from '../rig/receiver.ts';

let place: Place;
let receiver: Receiver;
let running: Running;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
after(async () => {
  await running.kill();
  await receiver.close();
  await place.remove();
});

/** What fails is tried again soon, and often enough for every round. */
const FLAGS = { flags: ['--rate-limits', 'off', '--webhook-retry-schedule', Array(20).fill('1').join()] };
const LANES = 4;
/** How many calls are acknowledged in a round before the process is killed: more than are sent at a time. */
const KILLED_AT = 40;

/** The texts that the receiver took, and under which ids they came. */
const taken = new Set<string>();
const idsOf = new Map<string, Set<string>>();
const textOf = ({ body }: Arrived): string => JSON.parse(body).data.payload.after;

const take: Answering = (arrived, response) => {
  response.on('finish', () => void taken.add(textOf(arrived)));
  status(200)(arrived, response);
};
/** How messages are answered until the process is killed. */
const ROUNDS: readonly (readonly [what: string, answer: Answering])[] = [
  ['held', () => {}],
  ['refused', status(500)],
  ['taken', take],
  [
    'taken by half',
    (arrived, response) => (receiver.messages.length % 2 ? take(arrived, response) : void response.destroy()),
  ],
];

describe('a service that is killed again and again', () => {
  test('delivers every event that it acknowledged', { timeout: 300_000 }, async () => {
    running = await startBarker(place, FLAGS);
    const { file } = running;
    receiver = await openReceiver(file.consumer_secret);
    await subscribe(file);
    const acknowledged = new Set<string>();
    for (const [round, [what, answer]] of ROUNDS.entries()) {
      receiver.answer = noting(answer);
      if (round > 0) running = await startBarker(place, FLAGS);
      const before = new Set(acknowledged);
      await produceUntilKilled(`round ${round}`, acknowledged);
      const own = [...acknowledged].filter((each) => !before.has(each));
      assert.ok(own.length >= KILLED_AT, `${own.length} were acknowledged`);
      // What was sent to nobody, or taken by nobody, is what the next process must know of.
      if (what === 'held' || what === 'refused') assert.ok(own.every((each) => !taken.has(each)));
    }
    receiver.answer = noting(take);
    running = await startBarker(place, FLAGS);
    while ([...acknowledged].some((each) => !taken.has(each))) await wait(20);
    for (const [text, ids] of idsOf) assert.equal(ids.size, 1, `${text} came under one id: ${[...ids]}`);
  });
});

function noting(answer: Answering): Answering {
  return (arrived, response) => {
    const text = textOf(arrived);
    idsOf.set(text, (idsOf.get(text) ?? new Set()).add(String(arrived.headers['webhook-id'])));
    answer(arrived, response);
  };
}

/** Registers the receiver for what the owner of the keys says of themselves. */
async function subscribe(file: Running['file']): Promise<void> {
  const token = await fetch(`${file.base_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basic(file), 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const { access_token } = (await token.json()) as { access_token: string };
  const post = async (path: string, body: object): Promise<{ data: Record<string, never> }> => {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const reply = await fetch(file.base_url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.equal(reply.status, 200, await reply.clone().text());
    return (await reply.json()) as { data: Record<string, never> };
  };
  const webhook_id = (await post('/2/webhooks', { url: receiver.url })).data.id;
  const filter = { user_id: file.user_id };
  await post('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter, webhook_id });
}

/** Changes the profile in several lanes until the process is gone: it is killed in the middle of them. */
async function produceUntilKilled(what: string, acknowledged: Set<string>): Promise<void> {
  const doomed = running;
  const client = clientOf(`${doomed.file.base_url}`, doomed.file, systemClock);
  let count = 0;
  let killed: Promise<void> | undefined;
  const produce = async (lane: number): Promise<void> => {
    for (let index = lane; ; index += LANES) {
      const description = `${what} event ${index}`;
      try {
        const reply = await client.call('POST', '/1.1/account/update_profile.json', { params: { description } });
        assert.equal(reply.status, 200, reply.text);
      } catch (error) {
        if (killed) return;
        throw error;
      }
      acknowledged.add(description);
      count += 1;
      if (count === KILLED_AT) killed = doomed.kill();
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, lane) => produce(lane)));
  await killed;
}
