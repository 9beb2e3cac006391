import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** How many batches each way is given: those that take too long, or hold no more, fewer. */
const BATCHES = { runs: 100, table: 8, map: 16 };

/**
 * Ways to keep who is in an audience: sorted runs that are compacted now and then (what the service does, uniting and windows
 * included), a table with the identifier as key, a map in memory. Batches of 1,087,500 new identifiers, as they come at
 * the documented rate in little more than half a second; each way in a process of its own.
 */
export async function run(): Promise<void> {
  const child = fileURLToPath(new URL('./rig/merging.ts', import.meta.url));
  for (const [name, batches] of Object.entries(BATCHES)) {
    const merging = spawn(process.execPath, [child, name, String(batches)], { stdio: 'inherit' });
    await once(merging, 'exit');
  }
}
