import { Pool } from 'undici';
import { openWorld } from '../test/rig/world.ts';
import { emit, openReceived, PAYLOAD, rate } from './rig/received-events.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';

const MESSAGES = 5000;
/** Rounds until the slowest of them has its speed. */
const WARM_UPS = 4;
/** Requests to one webhook that are under way at a time. */
const CONCURRENCY = 10;

/**
 * Events that are written to the log, matched, sent to a receiver in another process, and stored with what came of it;
 * against as many posts of the same bytes by undici, of which nothing is kept.
 */
export async function run(): Promise<void> {
  const flags = { access_log: 'failures', rate_limits: 'off' };
  const world = await openWorld({ which: 'sqlite', flags, recordsRequests: false });
  const { receiver, url, user_id } = await openReceived(world);
  const pool = new Pool(url, { connections: CONCURRENCY, pipelining: 1 });
  const measures = {
    barker: () => rate(receiver, MESSAGES, () => emit(world, user_id, MESSAGES)),
    'undici, request and body read': () =>
      rate(receiver, MESSAGES, () => post((path, text) => requested(pool, path, text))),
    'undici, bare dispatch': () => rate(receiver, MESSAGES, () => post((path, text) => dispatched(pool, path, text))),
  };
  const results: Record<string, number[]> = await interleaved(5, measures, WARM_UPS);
  printRates(`${MESSAGES} messages to one webhook, ${CONCURRENCY} at a time`, results);
  const [barker, requests, dispatches] = Object.values(results) as [number[], number[], number[]];
  printRatio('barker / undici requests', ratio(barker, requests), 'at least 0.75');
  printRatio('barker / undici bare dispatch', ratio(barker, dispatches));
  await pool.destroy();
  receiver.send('end');
  await world.close();
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
