import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevFile } from '../../src/cli/dev.ts';

/** A server in a process of its own. */
export interface Target {
  readonly file: DevFile;
  readonly folder: string;
  /** Resident memory in bytes. */
  memory(): number;
  close(): Promise<void>;
}

/** Starts development mode with limits off, on a new folder or a given one. `seams` name what is measured without. */
export async function startBarker(
  options: { readonly databaseUrl?: string; readonly folder?: string; readonly profile?: boolean } & TargetSeams = {},
): Promise<Target> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'barker-bench-'));
  const plan = JSON.stringify({ ...options, folder });
  const child = fork(new URL('./target-process.ts', import.meta.url), [plan], {
    execArgv: options.profile ? ['--cpu-prof', '--cpu-prof-dir', folder] : [],
  });
  const [file] = (await once(child, 'message')) as [DevFile];
  return {
    file,
    folder,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) * 1024,
    async close() {
      child.send('stop');
      await once(child, 'exit');
      if (!options.folder && !options.profile) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What only measurements switch off. */
export interface TargetSeams {
  readonly synchronous?: 'full' | 'off';
  readonly groupCommit?: boolean;
}

/** A bare web server that answers every GET of a campaign with these bytes. */
export async function startBare(body: string): Promise<{ origin: string; close(): Promise<void> }> {
  const child = fork(new URL('./bare-process.ts', import.meta.url), [body]);
  const [origin] = (await once(child, 'message')) as [string];
  return {
    origin,
    async close() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}
