import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { interleaved, printRates } from './rig/report.ts';
import { residentBytes } from './rig/target.ts';

const ROUNDS = 5;
/** How long a server is idle before its memory is looked at. A new one has processed its demo audiences after a minute. */
const IDLE_MS = { settled: 3000, processed: 60_000 };

/**
 * How long `barker dev` takes until it says where it is, in a new folder and in one that it has made before, and the memory of
 * the idle server. The program is started as `npm start` does, with its modules compiled by an earlier start.
 */
export async function run(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'barker-starts-'));
  let count = 0;
  const memory: Record<string, number[]> = { 'first, 3 s': [], 'later, 3 s': [], 'first, 60 s': [] };
  const measured = (kind: 'first' | 'later') => async () => {
    if (kind === 'first') count += 1;
    const server = await started(join(parent, String(count)));
    await setTimeout(IDLE_MS.settled);
    memory[`${kind}, 3 s`]!.push(server.memory());
    await server.stop();
    return server.ready_ms;
  };
  const ready = await interleaved(ROUNDS, { first: measured('first'), later: measured('later') });
  printRates('barker dev is ready after', ready, ' ms');
  for (let round = 0; round < ROUNDS; round++) {
    const server = await started(join(parent, `long ${round}`));
    await setTimeout(IDLE_MS.processed);
    memory['first, 60 s']!.push(server.memory());
    await server.stop();
  }
  printRates('memory of the idle server', memory, ' MB');
  rmSync(parent, { recursive: true, force: true });
}

async function started(folder: string) {
  const args = ['bin/barker.js', 'dev', '--data', folder, '--port', '0', '--sandbox-port', '0'];
  const from = performance.now();
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(server.stdout, 'data');
  const ready_ms = performance.now() - from;
  const memory = (): number => residentBytes(server.pid!, 'VmRSS') / 1e6;
  const stop = async (): Promise<void> => {
    server.kill();
    await once(server, 'exit');
  };
  return { ready_ms, memory, stop };
}
