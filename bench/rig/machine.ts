import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of this commit. */
export const ROOT = resolve(import.meta.dirname, '../..');

/** Where and with what figures were measured. */
export interface Machine {
  readonly at: string;
  readonly commit: string;
  /** What is the same while `src/` is. */
  readonly program: string;
  readonly version: string;
  readonly node: string;
  readonly processor: string;
  readonly processors: number;
  readonly memory_gb: number;
  readonly kernel: string;
  /** Of the minute before the first benchmark: what else the machine did. */
  readonly load: number;
}

/** This machine, as it is now. */
export function machineNow(): Machine {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    commit:
      git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', 'src', 'bench') === '' ? '' : ', changed'),
    program:
      git('rev-parse', '--short=12', 'HEAD:src') + (git('status', '--porcelain', 'src') === '' ? '' : ', changed'),
    version,
    node: process.version,
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memory_gb: Math.round(totalmem() / 1e9),
    kernel: release(),
    load: Math.round(loadavg()[0]! * 100) / 100,
  };
}

/** What git prints, without the last line break. */
export function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', cwd: ROOT }).trimEnd();
}
