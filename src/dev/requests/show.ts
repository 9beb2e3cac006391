import { formatMillisecond } from '../../base/instants.ts';
import type { Entry, Written } from './entry.ts';
import type { Redactor } from './redact.ts';

/** A request in a list. Times are UTC texts with milliseconds, by the clock of the machine. */
export function summaryOf(entry: Entry, redactor: Redactor) {
  return {
    id: String(entry.id),
    at: formatMillisecond(entry.at_ms),
    direction: entry.direction,
    kind: entry.kind,
    environment: entry.environment,
    method: entry.method,
    target: redactor.target(entry.target),
    operation: entry.operation,
    event_type: eventTypeOf(entry),
    account: entry.account,
    application: entry.caller?.application,
    user: entry.caller?.user,
    // Null as long as there is none.
    status: entry.status ?? null,
    failure: entry.failure,
    duration_ms: entry.duration_ms === undefined ? null : rounded(entry.duration_ms),
    faults: entry.faults.length === 0 ? undefined : entry.faults,
    transaction_id: entry.transactionId,
  };
}

/** Everything about a request. */
export function detailOf(entry: Entry, redactor: Redactor) {
  const { caller, windows, transactionId, status } = entry;
  const hasTrace = entry.replyHeaders.includes('x-barker-trace');
  return {
    ...summaryOf(entry, redactor),
    request: {
      line: entry.httpVersion && `${entry.method} ${redactor.target(entry.target)} HTTP/${entry.httpVersion}`,
      headers: redactor.headers(entry.headers),
      ...bodyOf(redactor, entry.body, entry.bodyBytes, typeOf(entry.headers)),
    },
    parameters: jsonOf(redactor.body(Buffer.from(entry.parameters), 'application/json')),
    ignored_parameters: entry.ignored === '' ? [] : entry.ignored.split(', '),
    caller: caller && {
      kind: caller.kind,
      user: caller.user,
      application: caller.application,
      level: caller.level,
    },
    role: entry.role,
    rate_windows: windows && {
      caller: windows.user,
      account: windows.account,
      address: windows.address,
      is_refused: windows.isRefused,
    },
    statements: {
      count: entry.statements.count,
      duration_ms: rounded(entry.statements.duration_ms),
      first: entry.statements.list.map(({ statement, duration_ms }) => ({
        statement,
        duration_ms: rounded(duration_ms),
      })),
    },
    wrote: entry.statements.list.flatMap(({ wrote }) =>
      wrote ? (jsonOf(redactor.body(Buffer.from(JSON.stringify(wrote)), 'application/json')) as Written) : [],
    ),
    reply: status === undefined ? null : replyOf(entry, redactor),
    trace: hasTrace ? `/_dev/auth/traces/${transactionId}` : undefined,
  };
}

/** Everything about a request. */
export type Detail = ReturnType<typeof detailOf>;

function replyOf({ status, replyHeaders, replyBody, replyBytes }: Entry, redactor: Redactor) {
  const bytes = Buffer.concat(replyBody.map((part) => Buffer.from(part as string)));
  return {
    status,
    headers: redactor.headers(replyHeaders),
    ...bodyOf(redactor, bytes, replyBytes, typeOf(replyHeaders)),
  };
}

/** The type of the event in a message to a webhook. */
export function eventTypeOf({ kind, body }: Entry): string | undefined {
  if (kind !== 'webhook') return undefined;
  return /"event_type":"([^"]+)"/.exec(Buffer.from(body).toString())?.[1];
}

function bodyOf(redactor: Redactor, bytes: Uint8Array, size: number, type: string) {
  return {
    // Null for binary bodies and HTML.
    body: redactor.body(bytes, type) ?? null,
    body_bytes: size,
    is_cut: size > bytes.length,
  };
}

/** The content type among headers; empty without one. */
export function typeOf(headers: readonly string[]): string {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]!.toLowerCase() === 'content-type') return headers[at + 1]!;
  }
  return '';
}

/** A text as JSON; the text itself where it is none. */
export function jsonOf(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** JSON with indents; as it was sent where a number has more digits than a program keeps. */
export function indentedJson(text: string): string {
  const value = jsonOf(text);
  const isLong = /\d{16}/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ''));
  return typeof value === 'string' || isLong ? text : JSON.stringify(value, null, 2);
}

function rounded(duration_ms: number): number {
  return Math.round(duration_ms * 100) / 100;
}
