import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/http/log.ts';
import { clientOf } from '../rig/client.ts';
import { createTemplates } from '../rig/databases.ts';
import { collectLog } from '../rig/logs.ts';
import { until } from '../rig/patience.ts';
import { type OwnPostgres, type StopKind, startPostgres } from '../rig/postgres.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

/** How long calls go on while the database is away. */
const AWAY_MS = 700;
const CALLERS = 6;

let server: OwnPostgres;
let folder: string;
let world: World;
let home: { path: string; instrument: string };
let logged = '';
const outside = process.env.TEST_POSTGRES_URL;

before(async () => {
  server = await startPostgres({ isHasty: true });
  folder = mkdtempSync(join(tmpdir(), 'barker-pattern-'));
  process.env.TEST_POSTGRES_URL = server.url;
  await createTemplates(folder, server.url);
  const write = (line: string): void => {
    logged += line;
    collectLog(line);
  };
  world = await openWorld({
    seams: { clock: systemClock, log: openLog('info', { write }) },
    flags: { access_log: 'failures', rate_limits: 'off', postgres_silence_timeout_s: 2, postgres_connect_timeout_s: 2 },
  });
  home = await openAccount(client());
});
after(async () => {
  await world.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  process.env.TEST_POSTGRES_URL = outside;
});

const client = () => clientOf(world.service.sandboxUrl, world.keys, systemClock);

/** Campaigns that were sent, so that no two have the same name. */
let count = 0;

/** What calls were answered with, as a status and whether a 503 said when to try again. */
type Outcomes = Map<string, number>;

/** Calls of every kind until they are told to end; names of campaigns that were acknowledged are added. */
function callAll(acknowledged: Set<string>): { end(): Promise<Outcomes> } {
  const outcomes: Outcomes = new Map();
  let isOn = true;
  const note = ({ status, headers }: { status: number; headers: Headers | Record<string, unknown> }): number => {
    const said = headers instanceof Headers ? headers.get('retry-after') : headers['retry-after'];
    const outcome = status === 503 ? `503 ${said ?? 'without retry-after'}` : String(status);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    return status;
  };
  const calls: (() => Promise<void>)[] = [
    async () => void note(await client().call('GET', `${home.path}/campaigns`)),
    async () => {
      const name = `campaign ${++count}`;
      const params = { name, funding_instrument_id: home.instrument, entity_status: 'PAUSED' };
      if (note(await client().call('POST', `${home.path}/campaigns`, { params })) === 200) acknowledged.add(name);
    },
    async () => void note(await client().call('GET', '/1.1/account/verify_credentials.json')),
    async () => void note(await client().call('GET', '/2/users/me')),
    async () => void note(await fetch(`${world.service.url}/login`)),
    async () => void note(await fetch(`${world.service.url}/media/1/0123456789abcdef.jpg`)),
  ];
  const callers = Array.from({ length: CALLERS }, async (_, index) => {
    for (let turn = index; isOn; turn++) await calls[turn % calls.length]!();
  });
  return {
    async end() {
      isOn = false;
      await Promise.all(callers);
      return outcomes;
    },
  };
}

async function readiness(): Promise<{ status: number; database: string }> {
  const reply = await fetch(`${world.service.operationsUrl}/readyz`);
  const { checks } = (await reply.json()) as { checks: Record<string, string> };
  return { status: reply.status, database: checks.database! };
}

/** Waits until `/readyz` answers so. */
const untilReady = (status: number): Promise<void> =>
  until(`/readyz turns to ${status}`, async () => (await readiness()).status === status);

async function campaigns(): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const params = { count: 1000, ...(cursor && { cursor }) };
    const page: { body: { data: { name: string }[]; next_cursor: string | null } } = await client().call(
      'GET',
      `${home.path}/campaigns`,
      { params },
    );
    found.push(...page.body.data.map(({ name }) => name));
    cursor = page.body.next_cursor;
  }
  return found;
}

const linesSaying = (message: string): number => logged.split(`"message":"${message}"`).length - 1;

describe('a database server that goes down under load', () => {
  const ways: [how: StopKind | 'freeze', away: () => Promise<() => Promise<void>>][] = [
    ...(['fast', 'immediate', 'kill'] as const).map(
      (kind) =>
        [
          kind,
          async () => {
            await server.down(kind);
            return () => server.up();
          },
        ] as [StopKind, () => Promise<() => Promise<void>>],
    ),
    [
      'freeze',
      async () => {
        const thaw = server.freeze();
        return async () => thaw();
      },
    ],
  ];
  const acknowledged = new Set<string>();
  for (const [how, away] of ways) {
    test(`(${how}) gives every caller 503, and nothing is lost once it is back`, async () => {
      logged = '';
      const calling = callAll(acknowledged);
      await wait(AWAY_MS / 2);
      const back = await away();
      let outcomes: Outcomes = new Map();
      try {
        await untilReady(503);
        assert.deepEqual(await readiness(), { status: 503, database: 'failed' });
        await wait(AWAY_MS);
      } finally {
        await back();
        await untilReady(200).catch(() => {});
        await wait(AWAY_MS / 2);
        outcomes = await calling.end();
      }
      await untilReady(200);
      // The address of a media file that does not exist.
      const wanted = new Set(['200', '404', '503 1']);
      assert.deepEqual(
        [...outcomes.keys()].filter((outcome) => !wanted.has(outcome)),
        [],
      );
      assert.ok((outcomes.get('503 1') ?? 0) > 0, 'somebody called while it was away');
      const names = await campaigns();
      assert.equal(new Set(names).size, names.length, 'nothing is there twice');
      assert.deepEqual(
        [...acknowledged].filter((name) => !names.includes(name)),
        [],
      );
      assert.equal(linesSaying('database unavailable; answering 503 until it is back'), 1);
      assert.equal(linesSaying('database available again'), 1);
      assert.equal(logged.split('"level":"error"').length - 1, 1, logged);
      assert.ok(logged.split('\n').length < 40, 'an outage is not told once a request');
    });
  }
});
