import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';

/** Members that are never written, wherever they stand in the first three levels of a line. */
const HIDDEN = [
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
  'bearer',
  'body',
  'query',
];
const paths = HIDDEN.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

/**
 * The log: one JSON object a line, instants in UTC, levels by name. Secrets are hidden by the names of their members
 * and by their shape in messages of errors; what describes a request never holds one in the first place.
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: undefined,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[hidden]' },
    serializers: { err: describeError },
    hooks: { logMethod: withMessage },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Without a message of its own, a line would take over that of its error, as it is. */
function withMessage(this: Logger, parts: unknown[], write: LogFn): void {
  const [first, ...rest] = parts as [object, ...[]];
  if (parts.length === 1 && typeof first === 'object') write.call(this, first, 'a fault');
  else write.call(this, first, ...rest);
}

/** What is told of an error: never its other members, which may quote rows or requests. */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: 'something that is no error was thrown' };
  const { code } = error as { code?: unknown };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { name: error.name, message: hideInText(error.message), code, stack: hideInText(error.stack ?? ''), cause };
}

/** A text without the values of protocol parameters and without the user part of addresses. */
export function hideInText(text: string): string {
  return text
    .replace(/(oauth_\w+|password|secret|access_token)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,&]+)/gi, '$1$2[hidden]')
    .replace(/\/\/[^\s/@]*@/g, '//[hidden]@');
}
