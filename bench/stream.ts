import { read } from '../test/rig/client.ts';
import { interleaved, printRates, printRatio, ratio } from './rig/report.ts';
import { openLoad, type StreamLoad, type StreamPlan } from './rig/stream-load.ts';
import { startBareStream, startBarker, type Target } from './rig/target.ts';

const STREAMS = 500;
const EVENTS = 2000;
const CONNECTIONS = 32;
const IDLE = 2000;
const LIVE = 50;

/**
 * Streams that each match every event, against a bare fan-out of the same bytes that keeps no log and asks nobody who he
 * is; what an idle stream costs; and what readers who take nothing cost those who do.
 */
export async function run(): Promise<void> {
  const barker = await startBarker();
  const plan = await planOf(barker);
  // What the first streams bring into memory is there once for all.
  const first = await openLoad({ ...plan, readers: STREAMS });
  const before = barker.memory();
  const idle = await openLoad({ ...plan, readers: IDLE });
  const idle_KiB = (barker.memory() - before) / IDLE / 1024;
  process.stdout.write(`an idle stream, of ${IDLE}: ${idle_KiB.toFixed(1)} KiB\n`);
  first.close();
  idle.close();
  await fanOut(plan);
  await besideStalled(plan);
  await barker.close();
}

async function fanOut(plan: StreamPlan): Promise<void> {
  const bare = await startBareStream();
  const line = `{"data":{"event_uuid":"7300000000000000001","event_type":"profile.update.bio","filter":{"user_id":"900000001"},"payload":${payload()}}}\r\n`;
  const loads: Record<'barker' | 'bare', StreamLoad> = {
    barker: await openLoad({ ...plan, readers: STREAMS }),
    bare: await openLoad({ ...plan, origin: bare.origin, body: line, readers: STREAMS }),
  };
  for (const connections of [1, CONNECTIONS]) {
    const events = connections === 1 ? EVENTS / 10 : EVENTS;
    const measure = async (load: StreamLoad): Promise<number> =>
      (await load.post(events, { connections })).deliveriesPerSecond;
    const results = await interleaved(5, { barker: () => measure(loads.barker), bare: () => measure(loads.bare) });
    const how = connections === 1 ? 'one after the other' : `from ${connections} connections`;
    printRates(`${STREAMS} streams, each matching every event, posted ${how}: deliveries`, results);
    printRatio('barker / bare fan-out', ratio(results.barker, results.bare), 'at least 0.4');
  }
  loads.barker.close();
  loads.bare.close();
  await bare.close();
}

/** At a pace that leaves the machine idle time: what is measured is waiting, not a queue that grows. */
async function besideStalled(plan: StreamPlan): Promise<void> {
  const measure = async (stalled: number): Promise<number> => {
    const load = await openLoad({ ...plan, readers: LIVE, stalled });
    const { p99_ms } = await load.post(1000, { connections: CONNECTIONS, perSecond: 250 });
    load.close();
    return p99_ms;
  };
  const results = await interleaved(3, { 'beside nobody': () => measure(0), 'beside 50': () => measure(50) });
  printRates(`${LIVE} live readers, 250 events a second, beside others who take nothing: p99`, results, ' ms');
}

function payload(): string {
  return JSON.stringify({
    before: 'What the profile said before: some eighty characters, as people write of themselves',
    after: '~',
  });
}

/** Subscribes the demo application to the demo user, whose profile changes in every event. */
async function planOf({ file }: Target): Promise<StreamPlan> {
  const pair = Buffer.from(`${file.consumer_key}:${file.consumer_secret}`).toString('base64');
  const token = await call(file.base_url, '/oauth2/token', {
    headers: { authorization: `Basic ${pair}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  const authorization = `Bearer ${token.access_token}`;
  const user_id = '900000001';
  const json = { 'content-type': 'application/json' };
  await call(file.base_url, '/2/activity/subscriptions', {
    headers: { ...json, authorization },
    body: JSON.stringify({ event_type: 'profile.update.bio', filter: { user_id } }),
  });
  return {
    origin: file.base_url,
    streamPath: '/2/activity/stream',
    postPath: '/internal/activity/events',
    streamHeaders: { authorization },
    postHeaders: { ...json, authorization: `Bearer ${file.operator_token}` },
    body: `{"event_type":"profile.update.bio","user_id":"${user_id}","payload":${payload()}}`,
    readers: 0,
    stalled: 0,
  };
}

async function call(origin: string, path: string, sent: { headers: Record<string, string>; body: string }) {
  const reply = await read(await fetch(origin + path, { method: 'POST', ...sent }));
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`);
  return reply.body;
}
