import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPlace } from '../rig/databases.ts';
import { startBarker } from '../rig/process.ts';
import type { Times } from '../rig/reader-process.ts';
import type { Crowd, Stage } from '../rig/stranger-process.ts';

/**
 * Holds a service against strangers who send requests without end: so many connections, each with a request that is half
 * there. Tells the memory before, meanwhile and after, and how long signed reads take beside them. Strangers and reader are
 * processes of their own. Needs a limit of open files above the number of connections, for this process and the service.
 */
const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    /** 10000 lets all of them come from one address. */
    'per-address': { type: 'string', default: '100' },
    stage: { type: 'string', default: 'form' },
    /** How long the strangers stay once all of them have come. */
    seconds: { type: 'string', default: '10' },
  },
});
const connections = Number(values.connections);
const stages: readonly Stage[] = ['idle', 'head', 'form', 'chunks', 'later'];
const stage = stages.find((each) => each === values.stage);
if (stage === undefined) {
  process.stderr.write(`--stage is one of ${stages.join(', ')}\n`);
  process.exit(2);
}

const limit = Number(/Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0);
if (limit < connections + 500) {
  process.stderr.write(
    `${connections} connections need more open files than ${limit}: ulimit -n ${connections + 1000}\n`,
  );
  process.exit(2);
}

process.env.TEST_DATABASE ??= 'sqlite';
const place = await openPlace('sqlite');
const barker = await startBarker(place, {
  flags: ['--connections-max', String(connections + 1000), '--rate-global-reads-per-15min', '1000000'],
});
const { base_url: url, sandbox_url: sandboxUrl } = barker.file as unknown as Record<'base_url' | 'sandbox_url', string>;

const rig = (name: string, plan: object): ChildProcess =>
  fork(new URL(`../rig/${name}-process.ts`, import.meta.url), [JSON.stringify(plan)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });

/** A figure of a file of the kernel about the service, in MB. */
const kernel_mb = (file: string, name: string): number =>
  (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${barker.pid}/${file}`, 'utf8'))?.[1]) *
    1024) /
  1e6;
const rss_mb = (): number => kernel_mb('status', 'VmRSS');

async function tell(what: string, reader: ChildProcess): Promise<void> {
  reader.send('tell');
  const [times] = (await once(reader, 'message')) as [Times];
  const text = await (await fetch(`${url}/metrics`)).text();
  const metric = (name: string): number => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1] ?? 0);
  const closed = text
    .split('\n')
    .filter((line) => /^barker_(unauthenticated_bodies_ended|connections_(refused|closed))_total\{.* [1-9]/.test(line));
  process.stdout.write(
    `${what}\n  memory: RSS ${rss_mb().toFixed(0)} MB, PSS ${kernel_mb('smaps_rollup', 'Pss').toFixed(0)} MB, ` +
      `heap ${(metric('process_heap_bytes') / 1e6).toFixed(0)} MB; ` +
      `${metric('barker_connections_open')} connections, ${(metric('barker_unauthenticated_bytes') / 1e6).toFixed(1)} MB counted\n` +
      `  signed GET: p50 ${times.p50_ms.toFixed(1)} ms, p99 ${times.p99_ms.toFixed(1)} ms, ` +
      `max ${times.max_ms.toFixed(1)} ms of ${times.reads}; p99 without waiting for a processor ${times.running_p99_ms.toFixed(1)} ms; load average ${loadavg()[0]!.toFixed(1)}\n` +
      closed.map((line) => `  ${line}\n`).join(''),
  );
}

const crowds: ChildProcess[] = [];
const reader = rig('reader', { url: sandboxUrl, pid: barker.pid, keys: barker.file });
try {
  await sleep(10_000);
  await tell('before', reader);
  const before_mb = rss_mb();
  const plan: Crowd = { url, connections, perAddress: Number(values['per-address']), stage };
  const crowd = rig('stranger', plan);
  crowds.push(crowd);
  // On a machine of their own they would not take the processor from the service.
  setPriority(crowd.pid!, 10);
  await once(crowd, 'message');
  await tell(`while ${connections} connections come (${stage})`, reader);
  await sleep(Number(values.seconds) * 1000);
  await tell('while they stay', reader);
  const held_mb = rss_mb() - before_mb;
  crowd.send('stop');
  await once(crowd, 'exit');
  await sleep(3000);
  await tell('after', reader);
  const peak_mb = kernel_mb('status', 'VmHWM') - before_mb;
  process.stdout.write(`they hold ${held_mb.toFixed(0)} MB, at most ${peak_mb.toFixed(0)} MB\n`);
} finally {
  for (const each of crowds) each.kill();
  reader.disconnect();
  await barker.stop();
  await place.remove();
}
