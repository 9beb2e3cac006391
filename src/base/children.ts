import { resolve } from 'node:path';

/** Environment variables that programs need: for lookup, language, time zone and temporary folder. */
const PASSED = ['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'SystemRoot', 'NODE_COMPILE_CACHE'];

/** Returns the environment of child processes and threads: no settings or secrets, because they process untrusted input. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    PASSED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Returns the options of all child processes: a clean environment, and a working folder for no accidental writes. */
export function childOptions(): { readonly env: Record<string, string>; readonly cwd: string } {
  return { env: childEnvironment(), cwd: resolve('/') };
}

/** Resource limits of a program. */
interface ProcessLimits {
  readonly memory_bytes: number;
  /** Processor time. */
  readonly cpu_s: number;
  /** Maximum size of the file that it may write. */
  readonly file_bytes_max: number;
}

/**
 * Builds a command that runs a program within limits, which the shell sets and the program inherits; it writes no core
 * dump. Limits that the system lacks, such as memory on macOS, are skipped.
 */
export function boundedCommand(
  program: string,
  args: readonly string[],
  { memory_bytes, cpu_s, file_bytes_max }: ProcessLimits,
): readonly [command: string, args: readonly string[]] {
  // A path is relative to the working folder of the service; a plain name is looked up in PATH.
  const named = program.includes('/') ? resolve(program) : program;
  if (process.platform === 'win32') return [named, args];
  // Files are counted in blocks of 512 bytes, memory in kilobytes.
  const limits = [
    `-v ${Math.ceil(memory_bytes / 1024)}`,
    `-t ${cpu_s}`,
    `-f ${Math.ceil(file_bytes_max / 512)}`,
    '-c 0',
  ];
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null; `).join('')}exec "$@"`;
  return ['/bin/sh', ['-c', script, 'sh', named, ...args]];
}
