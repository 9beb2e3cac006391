import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'undici';
import { formatInstant } from '../src/base/instants.ts';
import type { NewEvent } from '../src/contract/store/events.ts';
import { bearerClient } from '../test/rig/events.ts';
import { openWorld, type World } from '../test/rig/world.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';

const MESSAGES = 5000;
/** Requests to one webhook that are under way at a time. */
const CONCURRENCY = 10;
const TOGETHER = 500;

/**
 * Events that are written to the log, matched, sent to a receiver in another process, and stored with what came of it;
 * against as many posts of the same bytes by undici, of which nothing is kept.
 */
export async function run(): Promise<void> {
  const world = await openWorld({ which: 'sqlite', flags: { access_log: 'failures', rate_limits: 'off' } });
  const receiver = fork(join(import.meta.dirname, 'rig/counting-receiver-process.ts'), [world.keys.consumer_secret]);
  const [url] = (await once(receiver, 'message')) as [string];
  const client = await bearerClient(world, world.keys);
  const { body } = await client.call('POST', '/2/webhooks', { url: `${url}/in` });
  const user_id = world.keys.user_id!;
  const filter = { user_id };
  const webhook_id = body.data.id as string;
  await client.call('POST', '/2/activity/subscriptions', { event_type: 'profile.update.bio', filter, webhook_id });

  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const results: Record<string, number[]> = await interleaved(5, {
    barker: () => rate(receiver, () => emit(world, user_id)),
    'undici, request and body read': () => rate(receiver, () => post((path, text) => requested(pool, path, text))),
    'undici, bare dispatch': () => rate(receiver, () => post((path, text) => dispatched(pool, path, text))),
  });
  printRates(`${MESSAGES} messages to one webhook, ${CONCURRENCY} at a time`, results);
  const [barker, requests, dispatches] = Object.values(results) as [number[], number[], number[]];
  printRatio('barker / undici requests', ratio(barker, requests), 'at least 0.5');
  printRatio('barker / undici bare dispatch', ratio(barker, dispatches));
  await pool.destroy();
  receiver.send('end');
  await world.close();
}

/** How many messages came a second. */
async function rate(receiver: ChildProcess, begin: () => Promise<unknown>): Promise<number> {
  const come = once(receiver, 'message');
  receiver.send(MESSAGES);
  const startedAt_ms = performance.now();
  await Promise.all([begin(), come]);
  return (MESSAGES / (performance.now() - startedAt_ms)) * 1000;
}

const PAYLOAD = JSON.stringify({
  before: 'A bio of some length, as people have them',
  after: 'Another one, a little longer than that',
});

async function emit({ service, clock }: World, user_id: string): Promise<void> {
  const event: NewEvent = { event_type: 'profile.update.bio', user_id, direction: null, text: 'x', payload: PAYLOAD };
  for (let done = 0; done < MESSAGES; done += TOGETHER) {
    const events = Array<NewEvent>(TOGETHER).fill(event);
    await service.store.write((tx) => tx.events.append(events, formatInstant(clock.now())));
  }
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'barker-webhooks/1',
  'x-transaction-id': '0123456789abcdef',
  'x-ext-webhooks-signature': 'sha256=MZqDTLqqENkcV2+dDV+C12BgKw0h14lH/2wVc0xoAC0=',
  'webhook-id': 'msg_7301234567890123456_1900000000000000001',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

async function post(send: (path: string, text: Buffer) => Promise<void>): Promise<void> {
  const text = Buffer.from(
    `{"data":{"event_uuid":"7301234567890123456","event_type":"profile.update.bio","filter":{"user_id":"900000001"},"payload":${PAYLOAD}}}`,
  );
  let left = MESSAGES;
  const sender = async (): Promise<void> => {
    while (left-- > 0) await send('/in', text);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
}

async function requested(pool: Pool, path: string, body: Buffer): Promise<void> {
  const answer = await pool.request({ method: 'POST', path, headers: HEADERS, body });
  await answer.body.dump();
}

function dispatched(pool: Pool, path: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { method: 'POST', path, headers: HEADERS, body, blocking: false },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData() {},
        onResponseEnd: () => resolve(),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
