/** A command failed for an expected reason; the message is one sentence for the user. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  /** 1: failure; 2: usage error. */
  readonly exitCode: 1 | 2;
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Ends a command with a usage error if a validation found a problem. */
export function failIf(problem: string | undefined): void {
  if (problem !== undefined) throw new CommandFailed(problem, 2);
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
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`;
  if (code === 'ECONNREFUSED') return `nothing answers at ${address}:${port}`;
  const message = error.message || (error.cause instanceof Error && error.cause.message) || error.name;
  return message.split('\n', 1)[0]!;
}
