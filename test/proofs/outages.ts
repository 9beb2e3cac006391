import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { seededRandom } from '../../src/base/random.ts';
import { ANY_PORTS, barker, flagsOf, MASTER_KEY, started, startServe, toldBy } from '../commands/program.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { type OwnPostgres, type StopKind, startPostgres } from '../rig/postgres.ts';

/**
 * Takes the database away from a server under load, again and again, and holds what callers were told against what is stored:
 * `npm run outages -- --rounds 50`. Every acknowledged write has to be there once, every other at most once, the process has
 * to live, and a second server must never become ready.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    'database-kind': { type: 'string', default: 'fast,immediate,kill,freeze' },
    'freeze-s': { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
});
const rounds = Number(values.rounds);
const kinds = values['database-kind'].split(',') as (StopKind | 'freeze')[];
const random = seededRandom(Number(values.seed), 'outages');
const below = (max: number): number => random.bytes(4).readUInt32BE() % max;

const CALLERS = 8;
/** Longer than a server may take to be ready again after its database is back. */
const PATIENCE_MS = 60_000;
const env = { BARKER_MASTER_KEY: MASTER_KEY };

interface Sent {
  readonly name: string;
  isAcknowledged: boolean;
}

interface Ledger {
  readonly created: Map<string, Sent>;
  /** The last change of a campaign that was acknowledged, and the last that was sent. */
  readonly changed: Map<string, { sent: number; acknowledged: number }>;
  readonly deleted: Map<string, boolean>;
  readonly statuses: Map<string, number>;
  readonly wrong: string[];
}

const ledger: Ledger = {
  created: new Map(),
  changed: new Map(),
  deleted: new Map(),
  statuses: new Map(),
  wrong: [],
};
let count = 0;

type Home = { readonly path: string; readonly instrument: string };
type Answer = {
  readonly status: number;
  readonly headers: Headers;
};

/** Notes an answer; only what is right while a database comes and goes is let through. */
function noted<T extends Answer>(what: string, answer: T): T {
  const { status, headers } = answer;
  const outcome = status === 503 ? `503 ${headers.get('retry-after') ?? 'without retry-after'}` : String(status);
  ledger.statuses.set(outcome, (ledger.statuses.get(outcome) ?? 0) + 1);
  if (!['200', '404', '503 1'].includes(outcome)) ledger.wrong.push(`${what} was answered with ${outcome}`);
  return answer;
}

const callsOf = (client: Client, url: string, { path, instrument }: Home) => {
  const named = (name: string) => ({ name, funding_instrument_id: instrument, entity_status: 'PAUSED' });
  const mine: { id: string; name: string }[] = [];
  const create = async (): Promise<void> => {
    const sent = { name: `c${++count}`, isAcknowledged: false };
    ledger.created.set(sent.name, sent);
    const { status, body } = noted(
      'a create',
      await client.call('POST', `${path}/campaigns`, { params: named(sent.name) }),
    );
    sent.isAcknowledged = status === 200;
    if (status === 200) mine.push({ id: body.data.id, name: sent.name });
  };
  const batch = async (): Promise<void> => {
    const all = [1, 2, 3].map(() => ({ name: `b${++count}`, isAcknowledged: false }));
    for (const sent of all) ledger.created.set(sent.name, sent);
    const json = all.map(({ name }) => ({ operation_type: 'Create', params: named(name) }));
    const { status } = noted('a batch', await client.call('POST', `/12/batch${path.slice(3)}/campaigns`, { json }));
    for (const sent of all) sent.isAcknowledged = status === 200;
  };
  const change = async (): Promise<void> => {
    const one = mine[below(Math.max(1, mine.length))];
    if (!one) return;
    const progress = ledger.changed.get(one.name) ?? { sent: 0, acknowledged: 0 };
    ledger.changed.set(one.name, progress);
    const next = ++progress.sent;
    const params = { purchase_order_number: String(next) };
    const { status } = noted('an update', await client.call('PUT', `${path}/campaigns/${one.id}`, { params }));
    if (status === 200) progress.acknowledged = next;
  };
  const remove = async (): Promise<void> => {
    const one = mine.length > 5 ? mine.shift() : undefined;
    if (!one) return;
    ledger.deleted.set(one.name, false);
    const { status } = noted('a delete', await client.call('DELETE', `${path}/campaigns/${one.id}`));
    if (status === 200) ledger.deleted.set(one.name, true);
  };
  return [
    create,
    async () => void noted('a list', await client.call('GET', `${path}/campaigns`)),
    batch,
    change,
    async () => void noted('a user', await client.call('GET', '/2/users/me')),
    remove,
    async () => void noted('a page', await plain(`${url}/login`)),
    async () => void noted('media', await plain(`${url}/media/1/0123456789abcdef.jpg`)),
  ];
};

async function plain(url: string): Promise<Answer> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response;
}

interface Stored {
  readonly name: string;
  readonly deleted: boolean;
  readonly purchase_order_number: string | null;
}

async function stored(client: Client, path: string): Promise<Stored[]> {
  const found: Stored[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const params = { count: 1000, with_deleted: true, ...(cursor && { cursor }) };
    const page: { body: { data: Stored[]; next_cursor: string | null } } = await client.call(
      'GET',
      `${path}/campaigns`,
      {
        params,
      },
    );
    found.push(...page.body.data);
    cursor = page.body.next_cursor;
  }
  return found;
}

/** What is stored and was not told so, or the other way round. */
function faultsOf(found: readonly Stored[]): string[] {
  const faults: string[] = [];
  const byName = new Map(found.map((each) => [each.name, each]));
  if (byName.size !== found.length) faults.push(`${found.length - byName.size} campaigns are stored twice`);
  for (const { name, isAcknowledged } of ledger.created.values()) {
    if (isAcknowledged && !byName.has(name)) faults.push(`${name} was acknowledged and is not stored`);
  }
  for (const [name, { sent, acknowledged }] of ledger.changed) {
    const number = Number(byName.get(name)?.purchase_order_number ?? 0);
    if (number < acknowledged || number > sent) faults.push(`${name} is at ${number}, not ${acknowledged} to ${sent}`);
  }
  for (const [name, isAcknowledged] of ledger.deleted) {
    if (isAcknowledged && byName.get(name)?.deleted !== true) faults.push(`${name} was deleted and is there`);
  }
  return faults;
}

async function readyAfter(operations: string, status: number): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < PATIENCE_MS) {
    const reply = await fetch(`${operations}/readyz`);
    await reply.arrayBuffer();
    if (reply.status === status) return (performance.now() - startedAt) / 1000;
    await wait(50);
  }
  throw new Error(`/readyz did not turn to ${status}`);
}

async function takeAway(server: OwnPostgres, kind: StopKind | 'freeze'): Promise<() => Promise<void>> {
  if (kind === 'freeze') {
    const thaw = server.freeze();
    return async () => thaw();
  }
  await server.down(kind);
  return () => server.up();
}

async function main(): Promise<number> {
  const server = await startPostgres();
  const place = {
    folder: mkdtempSync(join(tmpdir(), 'barker-outages-')),
    databaseUrl: server.url,
    remove: async () => {},
  };
  const command = (...args: string[]) => barker([...args, ...flagsOf(place)], { env });
  await command('migrate');
  await barker(['user', 'create', 'ada', ...flagsOf(place)], { env, input: 'correct horse battery staple\n' });
  const details = ['--website', 'https://a.test', '--level', 'read-write', '--callback', 'https://a.test/back'];
  const app = toldBy(await command('app', 'create', 'Outages', '--owner', 'ada', ...details));
  const token = toldBy(await command('token', 'create', '--app', app.consumer_key!, '--user', 'ada'));
  const keys = { ...app, ...token } as unknown as Keys;
  const limits = ['--rate-limits', 'off'];
  const first = await startServe(place, { flags: limits, env: { BARKER_ACCESS_LOG: 'off' } });
  const client = clientOf(first.sandboxUrl, keys, systemClock, () => {});
  const account = (await client.call('POST', '/12/accounts')).body.data[0].id as string;
  const path = `/12/accounts/${account}`;
  const params = { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' };
  const instrument = (await client.call('POST', `${path}/funding_instruments`, { params })).body.data.id as string;

  let isOn = true;
  let secondsReady = 0;
  const callers = Array.from({ length: CALLERS }, async () => {
    const calls = callsOf(client, first.url, { path, instrument });
    while (isOn) {
      await calls[below(calls.length)]!();
      // A database that is away is refused within a millisecond.
      await wait(5 + below(20));
    }
  });
  /** A second server on the same database, started again whenever it gives up. */
  const rivals = (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barker-rival-'));
    while (isOn) {
      const args = ['serve', '--data', folder, '--database-url', server.url, ...ANY_PORTS, '--operations-port', '0'];
      const rival = started([...args, '--allow-insecure-loopback', 'true'], { env });
      const outcome = await rival.ended.then((ended) => ended.stdout);
      if (outcome.includes('"message":"ready"')) secondsReady += 1;
    }
    rmSync(folder, { recursive: true, force: true });
  })();

  const times: number[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      const kind = kinds[below(kinds.length)]!;
      await wait(500 + below(1500));
      const back = await takeAway(server, kind);
      const away_s = kind === 'freeze' ? 1 + below(Number(values['freeze-s'])) : below(4);
      await wait(away_s * 1000);
      await back();
      const ready_s = await readyAfter(first.operationsUrl, 200);
      await client.call('GET', path);
      times.push(ready_s);
      process.stdout.write(
        `round ${round}: ${kind} for ${away_s} s, ready ${ready_s.toFixed(1)} s after it was back\n`,
      );
      if (first.child.exitCode !== null) throw new Error(`the server ended with ${first.child.exitCode}`);
    }
  } finally {
    isOn = false;
    await Promise.all(callers).catch((error) => void ledger.wrong.push(String(error)));
    await rivals;
  }
  await readyAfter(first.operationsUrl, 200);
  const found = await stored(client, path);
  const faults = [...faultsOf(found), ...new Set(ledger.wrong)];
  if (secondsReady > 0) faults.push(`a second server was ready ${secondsReady} times`);
  const lines = first.output().stdout.split('\n');
  const saying = (message: string) => lines.filter((line) => line.includes(`"message":"${message}`)).length;
  first.child.kill('SIGTERM');
  const { code } = await first.ended;
  if (code !== 0) faults.push(`the server ended with ${code}`);
  await server.stop();
  rmSync(place.folder, { recursive: true, force: true });
  const replies = [...ledger.statuses].map(([status, times]) => `${times} x ${status}`).join(', ');
  const acknowledged = [...ledger.created.values()].filter((sent) => sent.isAcknowledged).length;
  process.stdout.write(`${times.length} outages; ready again after ${(times.reduce((a, b) => a + b, 0) / times.length).toFixed(1)} s, at most ${Math.max(...times).toFixed(1)} s
replies: ${replies}
creates: ${ledger.created.size} sent, ${acknowledged} acknowledged, ${found.length} stored
log: ${saying('database unavailable')} lines of outages, ${saying('database available again')} of returns, ${lines.length} in all
${faults.length === 0 ? 'nothing was wrong' : `WRONG:\n  ${faults.slice(0, 40).join('\n  ')}`}\n`);
  return faults.length === 0 ? 0 : 1;
}

process.exit(await main());
