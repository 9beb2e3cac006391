import { instantMs, parseInstant } from '../base/instants.ts';

/** A command failed for an expected reason; the message is one sentence for the user. */
export class CommandFailed extends Error {
  override readonly name: string = 'CommandFailed';
  readonly exitCode: number = 1;
}

/** A command was called with wrong arguments or options. */
export class UsageError extends CommandFailed {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** Ends a command with a usage error if a validation found a problem. */
export function failIf(problem: string | undefined): void {
  if (problem !== undefined) throw new UsageError(problem);
}

/** Parses the value of `--count`. @throws UsageError unless it is a number from 1 to `max` */
export function parseCount(text: string, max: number): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= max) return count;
  throw new UsageError(`--count must be a number from 1 to ${max}`);
}

/** Parses the UTC time of an option, to Unix milliseconds. @throws UsageError */
export function parseTimeOption(flag: string, text: string): number {
  const instant = parseInstant(text);
  if (instant !== undefined) return instantMs(instant);
  throw new UsageError(`${flag} takes a time such as 2026-03-02T17:04:55Z`);
}

interface SystemError {
  readonly code?: string;
  readonly port?: number;
  readonly address?: string;
  readonly path?: string;
  /** The flag of the setting that caused the error. */
  readonly flag?: string;
}

/** An error as one sentence for the user, with advice where there is any. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, port, address, path, flag } = error as SystemError;
  if (code === 'EADDRINUSE')
    return `port ${port} is in use; choose another with ${flag ?? 'its flag'}, or 0 for any free port`;
  if (code === 'EADDRNOTAVAIL') return `${address} is not an address of this machine; choose another with --host`;
  if (code === 'EACCES' && port !== undefined) return `no permission to use port ${port}; choose one above 1023`;
  if (code === 'EACCES' || code === 'EPERM') return `permission denied: ${path}`;
  if (code === 'EEXIST' || code === 'ENOTDIR') return `a file is in the way of ${path}`;
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`;
  if (code === 'ECONNREFUSED') return `nothing answers at ${address}:${port}`;
  const message = error.message || (error.cause instanceof Error && error.cause.message) || error.name;
  return message.split('\n', 1)[0]!;
}
