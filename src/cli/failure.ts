/** What a command ends with when it cannot do what it was asked to; the message is one plain sentence. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  /** 1: it was tried and failed. 2: it was asked in a way that makes no sense. */
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
  /** The flag of the setting that named what could not be had. */
  readonly flag?: string;
}

/** An error in words for a person: what happened, and where one can do something about it, what. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'something failed that gave no reason';
  const { code, port, address, path, flag } = error as SystemError;
  if (code === 'EADDRINUSE')
    return `port ${port} is in use; choose another with ${flag ?? 'its flag'}, 0 for any free one`;
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${address}; choose another with --host`;
  if (code === 'EACCES' && port !== undefined)
    return `port ${port} may not be used by this user; choose one above 1023`;
  if (code === 'EACCES' || code === 'EPERM') return `no permission for ${path}`;
  if (code === 'ENOENT' && path !== undefined) return `${path} does not exist`;
  if (code === 'ECONNREFUSED') return `nothing answers at ${address}:${port}`;
  const message = error.message || (error.cause instanceof Error && error.cause.message) || error.name;
  return message.split('\n', 1)[0]!;
}
