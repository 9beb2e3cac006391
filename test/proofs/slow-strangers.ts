import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace } from '../rig/databases.ts';
import { startBarker } from '../rig/process.ts';
import { halfSent, type Stranger, stranger } from '../rig/strangers.ts';

/**
 * Holds a service against strangers who send forms without end: so many connections, from many addresses of this machine,
 * each with a form that is half there. Tells the memory before, meanwhile and after, and how long signed reads take.
 * Needs a limit of open files above the number of connections, for this process and the service.
 */
const { values } = parseArgs({ options: { connections: { type: 'string', default: '10000' } } });
const connections = Number(values.connections);
const PER_ADDRESS = 100;
const READS = 200;

const limit = Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
if (limit < connections + 500) {
  process.stderr.write(
    `${connections} connections need more open files than ${limit}: ulimit -n ${connections + 1000}\n`,
  );
  process.exit(2);
}

process.env.TEST_DATABASE ??= 'sqlite';
const place = await openPlace('sqlite');
const barker = await startBarker(place, { flags: ['--connections-max', String(connections + 1000)] });
const { base_url: url, sandbox_url: sandboxUrl } = barker.file as unknown as Record<'base_url' | 'sandbox_url', string>;
const client = clientOf(sandboxUrl, barker.file, systemClock);

const memory_mb = (name = 'VmRSS'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${barker.pid}/status`, 'utf8'))?.[1]) / 1024;
const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
const metric = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );

/** Signed reads one after the other; their times in milliseconds, ascending. */
async function reads(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < READS; count++) {
    const at = performance.now();
    const { status } = await client.call('GET', '/12/accounts');
    if (status !== 200) throw new Error(`a signed read answered ${status}`);
    times.push(performance.now() - at);
  }
  return times.sort((a, b) => a - b);
}
const quantile = (times: readonly number[], part: number): string => times[Math.floor(times.length * part)]!.toFixed(1);

function tell(what: string, times: readonly number[], text: string): void {
  const open = metric(text, 'barker_connections_open');
  const held = metric(text, 'barker_unauthenticated_bytes') / 1_048_576;
  const ended = text
    .split('\n')
    .filter((line) => /^barker_(unauthenticated_bodies_ended|connections_refused)_total\{/.test(line));
  process.stdout.write(
    `${what}: ${memory_mb().toFixed(0)} MB; signed GET p50 ${quantile(times, 0.5)} ms, p99 ${quantile(times, 0.99)} ms; ` +
      `${open} connections, ${held.toFixed(1)} MiB counted; ${ended.join(', ') || 'none ended'}\n`,
  );
}

try {
  await reads();
  const before_mb = memory_mb();
  tell('before', await reads(), await metrics());
  const held: Stranger[] = [];
  for (let at = 0; at < connections; at += 100) {
    const some = Array.from({ length: Math.min(100, connections - at) }, (_, more) => {
      const from = `127.1.${1 + Math.floor((at + more) / PER_ADDRESS)}.1`;
      return stranger(url, halfSent(60_000, 1000), from);
    });
    held.push(...(await Promise.all(some)));
  }
  tell(`${connections} connections with half-sent forms`, await reads(), await metrics());
  const peak_mb = memory_mb('VmHWM');
  process.stdout.write(`they hold at most ${(peak_mb - before_mb).toFixed(0)} MB (peak ${peak_mb.toFixed(0)} MB)\n`);
  for (const { socket } of held) socket.destroy();
  await sleep(3000);
  tell('after', await reads(), await metrics());
} finally {
  await barker.stop();
  await place.remove();
}
