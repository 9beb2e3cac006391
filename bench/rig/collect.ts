import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, RECORD } from './record.ts';

/** One run of a benchmark. */
export interface Collected {
  readonly name: string;
  /** 0 when it came to its end. */
  readonly code: number | null;
  readonly figures: readonly Figure[];
  /** What it printed. */
  readonly output: string;
  readonly seconds: number;
  /** The largest of its processes, in MB; undefined where `/usr/bin/time` is not there. */
  readonly peak_mb?: number;
}

const TIME = '/usr/bin/time';

/** Runs a benchmark in a process of its own, in a folder with the program that it measures. */
export async function collect(name: string, folder: string): Promise<Collected> {
  const notes = mkdtempSync(join(tmpdir(), 'barker-figures-'));
  const [file, usage] = [join(notes, 'figures'), join(notes, 'usage')];
  const command = [process.execPath, join(folder, 'bench/run.ts'), name];
  const timed = existsSync(TIME) ? [TIME, '-v', '-o', usage, ...command] : command;
  const startedAt = performance.now();
  const child = spawn(timed[0]!, timed.slice(1), {
    cwd: folder,
    env: { ...process.env, [RECORD]: file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const peak = existsSync(usage)
    ? /Maximum resident set size \(kbytes\): (\d+)/.exec(readFileSync(usage, 'utf8'))
    : null;
  rmSync(notes, { recursive: true, force: true });
  return {
    ...{ name, code, output, seconds: Math.round((performance.now() - startedAt) / 1000) },
    figures: lines.filter((line) => line !== '').map((line) => JSON.parse(line)),
    ...(peak && { peak_mb: Math.round((Number(peak[1]) * 1024) / 1e6) }),
  };
}
