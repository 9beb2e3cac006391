import { resolve } from 'node:path';

/** What programs need to be found, and to know language, time zone and temporary folder. */
const PASSED = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SystemRoot', 'NODE_COMPILE_CACHE'];

/** The environment of child processes and threads: they work on what strangers send, so no setting and no secret is in it. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** What is the same for every child process: a clean environment, and a folder in which nothing can be written by mistake. */
export function childOptions(): { readonly env: Record<string, string>; readonly cwd: string } {
  return { env: childEnvironment(), cwd: resolve('/') };
}

/** What a program may take. */
export interface ProcessLimits {
  readonly memory_bytes: number;
  /** Of processor time. */
  readonly cpu_s: number;
}

/**
 * A command that runs a program within bounds, which the shell sets and the program inherits; it writes no core dump. Where
 * the system knows a bound not, as macOS does not know that of memory, the program runs without it.
 */
export function boundedCommand(
  program: string,
  args: readonly string[],
  { memory_bytes, cpu_s }: ProcessLimits,
): readonly [command: string, args: readonly string[]] {
  // A path is taken from where the service was started, a name from the folders of PATH.
  const named = program.includes('/') ? resolve(program) : program;
  if (process.platform === 'win32') return [named, args];
  const limits = [`-v ${Math.ceil(memory_bytes / 1024)}`, `-t ${cpu_s}`, '-c 0'];
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$@"`;
  return ['/bin/sh', ['-c', script, 'sh', named, ...args]];
}
