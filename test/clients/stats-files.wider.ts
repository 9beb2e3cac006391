// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { type StatsPlace, statsCalls } from '../resources/stats-calls.ts';
import { clientOf } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import { needPackages } from './debian.ts';

let world: World;
let place: StatsPlace;
let params: Record<string, string>;
before(async () => {
  // Clients in other languages sign by the clock of the machine.
  const opened = await openWorld({ flags: { rate_limits: 'off' }, seams: { clock: systemClock } });
  world = { ...opened, sandbox: clientOf(opened.service.sandboxUrl, opened.keys, systemClock) };
  place = await openPlace();
  await deliver(place, { line: 0, day: '2026-03-01', numbers: { impressions: { 1: 30, 2: 5 } } });
  params = { ...asking([place.lines[0]!.id]), granularity: 'HOUR', start_time: '2026-03-01', end_time: '2026-03-02' };
});
after(() => world.close());
const { openPlace, deliver, asking, get } = statsCalls(() => world);

interface Read {
  readonly url: string;
  readonly document: string;
}

/** Runs a client; the server is in this process, so that it must not be waited for idly. */
async function run(interpreter: string, script: string, told: object, ...packages: readonly string[]): Promise<Read> {
  needPackages(...packages);
  const child = spawn(interpreter, [join(import.meta.dirname, script)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(told));
  const [said, [status]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.equal(status, 0);
  return JSON.parse(said);
}

describe('files with statistics are read', () => {
  const told = () => ({ keys: world.keys, origin: world.service.sandboxUrl, account: place.account, params });
  let expected: string;
  let url: string;
  before(async () => {
    expected = (await get(place, params)).text;
  });

  test('by requests-oauthlib, with signed downloads', async () => {
    const read = await run('/usr/bin/python3', 'stats_client.py', told(), 'python3-requests-oauthlib');
    assert.equal(read.document, expected);
    url = read.url;
  });

  test('by open-uri and GzipReader', async () => {
    const { document } = await run('/usr/bin/ruby', 'stats_client.rb', told(), 'ruby-oauth');
    assert.equal(document, expected);
  });

  test('by gzfile', async () => {
    const { document } = await run('/usr/bin/php', 'stats_client.php', { url }, 'php-cli');
    assert.equal(document, expected);
  });
});
