import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

let running: ChildProcess | undefined;

/** Passes signals on to the program that runs, so that its failure ends the work, and what was begun is undone. */
export function endWithSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => running?.kill(signal));
}

/**
 * Runs a program, and resolves with what it prints. Its errors are shown.
 * @throws Error when it fails
 */
export async function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  running = child;
  let printed = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code ?? signal}`);
  await closed;
  return printed.trim();
}
