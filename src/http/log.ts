import { write, writeSync } from 'node:fs';
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { every } from '../base/timers.ts';

/** Members whose values are never written, at any of the first three levels of a line. */
const HIDDEN = new Set([
  'authorization',
  'cookie',
  'password',
  'password_hash',
  'secret',
  'consumer_secret',
  'token',
  'token_secret',
  'access_token',
  'access_token_secret',
  'oauth_token',
  'oauth_token_secret',
  'oauth_signature',
  'oauth_verifier',
  'master_key',
  'master_keys_old',
  'database_url',
  'redis_url',
  'bearer',
  'body',
  'query',
]);
const LEVELS = 3;
const CENSOR = '[hidden]';

/**
 * The log: one JSON object per line, timestamps in UTC, levels by name. Secrets are redacted by member name, and by
 * pattern in error messages; descriptions of requests contain none in the first place.
 * @param base Members of every line.
 */
export function openLog(
  level: string,
  destination?: DestinationStream,
  base?: Readonly<Record<string, string>>,
): Logger {
  const options = {
    level,
    base: base ?? null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (line: Record<string, unknown>) => hideIn(line, LEVELS),
    },
    serializers: { err: describeError },
    hooks: { logMethod: withMessage },
  };
  const log = pino(options, destination ?? standardOutput());
  const { child } = log;
  // Members that a child adds to every line are serialized once, when it is created.
  log.child = function (this: Logger, members: object, ...rest: []) {
    return child.call(this, hideIn(members, LEVELS), ...rest);
  } as Logger['child'];
  return log;
}

let shared: ReturnType<typeof logOutput> | undefined;

/** The standard output of the process, however many services write to it. */
function standardOutput(): DestinationStream {
  if (!shared) {
    shared = logOutput(1);
    process.once('exit', shared.flush);
  }
  return shared;
}

/**
 * Copies a line, or an object in it, without the values of hidden members, down to this many levels. Returns the same
 * object if it has none, as most lines do: one is written per request.
 */
function hideIn<T extends object>(line: T, levels: number): T {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(line)) {
    // The serializer selects the logged members of an error.
    if (value === undefined || (name === 'err' && levels === LEVELS)) continue;
    const isObject = typeof value === 'object' && value !== null;
    const safe = HIDDEN.has(name) ? CENSOR : levels > 1 && isObject ? hideIn(value, levels - 1) : value;
    if (safe === value) continue;
    copy ??= (Array.isArray(line) ? [...line] : { ...line }) as Record<string, unknown>;
    copy[name] = safe;
  }
  return (copy ?? line) as T;
}

/** Without this, a line that has no message would take the message of its error, unredacted. */
function withMessage(this: Logger, args: unknown[], write: LogFn): void {
  const [first, ...rest] = args as [object, ...[]];
  if (args.length === 1 && typeof first === 'object') write.call(this, first, 'unexpected error');
  else write.call(this, first, ...rest);
}

/** What the log holds of an error: never its other members, which may quote rows or requests. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'a non-Error value was thrown' };
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { name: error.name, message: redactText(error.message), code, stack: redactText(error.stack ?? ''), cause };
}

/** A text without the values of OAuth parameters and passwords, and without user information in URLs. */
export function redactText(text: string): string {
  return text
    .replace(/(oauth_\w+|password|secret|access_token)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,&]+)/gi, '$1$2[hidden]')
    .replace(/\/\/[^\s/@]*@/g, '//[hidden]@');
}

/** The size of the lines that wait in memory while the log cannot be written; further lines are dropped. */
const WAITING_BYTES_MAX = 1_048_576;
/** The delay before a failed write is retried. */
const AGAIN_MS = 500;

/** Where log lines go. */
interface LogOutput {
  write(line: string): void;
  /** Writes the waiting lines synchronously, as far as possible. */
  flush(): void;
}

/**
 * Writes lines to a file descriptor in the background. The target may be a file on a full disk or a pipe without a
 * reader: the server continues, and waiting lines are written once that works again.
 */
function logOutput(descriptor: number): LogOutput {
  let waiting: string[] = [];
  let waitingBytes = 0;
  let writing: Buffer | undefined;
  let rest = Buffer.alloc(0);

  const take = (): void => {
    if (rest.length > 0 || waiting.length === 0) return;
    rest = Buffer.from(waiting.join(''));
    waiting = [];
    waitingBytes = 0;
  };
  const next = (): void => {
    if (writing) return;
    take();
    if (rest.length === 0) return;
    writing = rest;
    write(descriptor, rest, (error, written) => {
      writing = undefined;
      rest = rest.subarray(written ?? 0);
      if (!error) next();
    });
  };
  every(AGAIN_MS, next);
  return {
    write(line) {
      if (waitingBytes + line.length > WAITING_BYTES_MAX) return;
      waiting.push(line);
      waitingBytes += line.length;
      next();
    },
    flush() {
      // A write in progress has already received these bytes.
      if (writing) rest = Buffer.alloc(0);
      take();
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch {
        // The process is exiting; there is no later retry.
      }
    },
  };
}
