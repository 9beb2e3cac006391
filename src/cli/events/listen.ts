import { hash } from 'node:crypto';
import type { Command } from 'commander';
import { parseInstant } from '../../base/instants.ts';
import { after } from '../../base/timers.ts';
import { addProfileOptions, type ConnectionProfile, profileFrom } from '../connection-profile.ts';
import { CommandFailed, UsageError } from '../failure.ts';
import { print, printError } from '../output.ts';
import { fetchBearerToken } from '../send.ts';
import {
  type ConnectAttempt,
  connect,
  countSubscriptions,
  type ForwardOptions,
  forwardEvent,
  type Past,
  streamLines,
} from './connection.ts';

/** `barker events listen`. @source decision 379 */
export function listenCommand(command: Command): void {
  addProfileOptions(
    command
      .command('listen')
      .description('Print events from the activity stream, one a line, and optionally forward them')
      .option('--forward-to <url>', 'POST each event to this URL, signed like a webhook')
      .option('--webhook-secret <secret>', 'Also sign as Standard Webhooks (or BARKER_CALL_WEBHOOK_SECRET)')
      .option('--backfill <minutes>', 'Start with the events of the last minutes, up to 5')
      .option('--start-time <time>', 'Start with the events from this UTC time on, as far back as the log is kept'),
  )
    .addHelpText(
      'after',
      '\nThe stream has the events that the application subscribes to: POST /2/activity/subscriptions\n' +
        'creates a subscription, GET lists them.' +
        '\n\nExample:\n  barker events listen --forward-to http://localhost:3000/hooks',
    )
    .action((_options, listen: Command) => runListen(listen));
}

const BACKFILL_MAX_MIN = 5;
/** How streams begin after one that broke. */
const BACKFILL: Past = [['backfill_minutes', String(BACKFILL_MAX_MIN)]];
/** Maximum number of concurrent posts. @source activity 19.4 */
const IN_FLIGHT_MAX = 10;
/** Maximum number of lines that are remembered to detect duplicates. */
const KNOWN_MAX = 50_000;

async function runListen(command: Command): Promise<void> {
  const input = command.opts<{ forwardTo?: string; webhookSecret?: string; backfill?: string; startTime?: string }>();
  const past = pastOf(input);
  const caller = profileFrom(command);
  const forwarding = forwardingOf(input, caller);
  const leave = interruption();
  const bearer = await fetchBearerToken(caller);
  const subscriptions = await countSubscriptions(caller, bearer);
  // Not before the stream has begun: what happens after these words is not missed.
  const onListening = (): void =>
    printLine(
      subscriptions === 0
        ? 'listening; no events will come until the application has a subscription'
        : `listening, with ${subscriptions} subscription${subscriptions === 1 ? '' : 's'}`,
    );
  await follow({ caller, bearer, past, forwarding, leave, onListening });
}

function pastOf({ backfill, startTime: start }: { readonly backfill?: string; readonly startTime?: string }): Past {
  if (backfill !== undefined && !/^[0-5]$/.test(backfill))
    throw new UsageError(`--backfill must be a number from 0 to ${BACKFILL_MAX_MIN}`);
  if (start === undefined) return (backfill ?? '0') === '0' ? [] : [['backfill_minutes', backfill!]];
  if (backfill !== undefined) throw new UsageError('use either --backfill or --start-time');
  const instant = parseInstant(start);
  if (instant !== undefined) return [['start_time', instant]];
  throw new UsageError(`--start-time must be a UTC time such as 2026-03-02T09:00:00Z, not "${start}"`);
}

function forwardingOf(
  {
    forwardTo: url,
    webhookSecret = process.env.BARKER_CALL_WEBHOOK_SECRET,
  }: { readonly forwardTo?: string; readonly webhookSecret?: string },
  { keys }: ConnectionProfile,
): ForwardOptions | undefined {
  if (url === undefined) return undefined;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new UsageError('--forward-to must be a URL with http:// or https://');
  }
  if (webhookSecret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}=*$/.test(webhookSecret)) {
    throw new UsageError('--webhook-secret must be whsec_ followed by at least 24 bytes in base64');
  }
  return {
    url,
    consumerSecret: keys.consumer_secret,
    webhookSecret,
  };
}

/** A signal to stop. */
interface Interruption {
  readonly isDue: () => boolean;
  /** Runs an action on the signal, or at once if it has arrived. Returns a function that removes the action. */
  on(action: () => void): () => void;
}

function interruption(): Interruption {
  const actions = new Set<() => void>();
  let isDue = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      isDue = true;
      for (const action of actions) action();
    });
  }
  return {
    isDue: () => isDue,
    on(action) {
      if (isDue) action();
      actions.add(action);
      return () => void actions.delete(action);
    },
  };
}

interface Listening {
  readonly caller: ConnectionProfile;
  readonly bearer: string;
  /** How the first stream begins. */
  readonly past: Past;
  readonly forwarding: ForwardOptions | undefined;
  readonly leave: Interruption;
  /** Called when the first stream has begun. */
  readonly onListening: () => void;
}

/**
 * Reads the stream and reconnects with backfill, or from the start time again, before which the stream may not have come to
 * the present; duplicates are printed once.
 */
async function follow({
  caller,
  bearer: first,
  past: start,
  forwarding,
  leave,
  onListening,
}: Listening): Promise<void> {
  const known = new Set<string>();
  const underWay = new Set<Promise<void>>();
  let bearer = first;
  let past = start;
  let hasListened = false;
  let failures = 0;
  /** The bearer token was fetched because the former one was refused. */
  let isTokenNew = false;
  while (!leave.isDue()) {
    const attempt = await connect(caller, bearer, past).catch((error: Error) => error);
    if (attempt instanceof Error || 'status' in attempt) {
      if (!(attempt instanceof Error) && attempt.status === 401 && !isTokenNew) {
        bearer = await fetchBearerToken(caller);
        isTokenNew = true;
        continue;
      }
      if (!(attempt instanceof Error) && attempt.status === 400) {
        if (!hasListened) throw new CommandFailed(`the stream was refused: ${attempt.body}`);
        // By now the log may begin after the start time.
        if (past !== BACKFILL) {
          past = BACKFILL;
          continue;
        }
      }
      const wait_ms = waitAfter(attempt, failures++);
      printLine(
        `${attempt instanceof Error ? attempt.message : `${attempt.status} ${attempt.body}`}; retrying in ${wait_ms / 1000} s`,
      );
      await pause(wait_ms, leave);
      continue;
    }
    isTokenNew = false;
    if (!hasListened) onListening();
    hasListened = true;
    const takeBack = leave.on(() => attempt.stream.destroy());
    for await (const line of streamLines(attempt.stream)) {
      failures = 0;
      if (isDisconnect(line)) printLine(`the stream ended: ${line}`);
      else if (isNew(line, known)) await take(line, { forwarding, underWay });
    }
    takeBack();
    past = start[0]?.[0] === 'start_time' ? past : BACKFILL;
    if (leave.isDue()) break;
    failures += 1;
    printLine('reconnecting');
    await pause(waitAfter(undefined, failures), leave);
  }
  await Promise.all(underWay);
}

/** Prints and forwards an event; waits while too many are being forwarded. */
async function take(
  line: string,
  { forwarding, underWay }: { readonly forwarding: ForwardOptions | undefined; readonly underWay: Set<Promise<void>> },
): Promise<void> {
  print(`${line}\n`);
  if (!forwarding) return;
  const { event_type, event_uuid } = (JSON.parse(line) as { data: Record<string, string> }).data;
  const posted: Promise<void> = forwardEvent(line, forwarding).then((outcome) => {
    underWay.delete(posted);
    printLine(`${event_type} ${event_uuid}: ${outcome}`);
  });
  underWay.add(posted);
  while (underWay.size >= IN_FLIGHT_MAX) await Promise.race(underWay);
}

function isDisconnect(line: string): boolean {
  return line.startsWith('{"errors":');
}

function isNew(line: string, known: Set<string>): boolean {
  const key = hash('sha1', line, 'base64');
  if (known.has(key)) return false;
  if (known.size >= KNOWN_MAX) known.clear();
  known.add(key);
  return true;
}

/**
 * Milliseconds to wait before reconnecting: short after a broken connection, growing quickly after refusals.
 * @source activity 18
 */
function waitAfter(failed: ConnectAttempt | Error | undefined, failures: number): number {
  if (failed === undefined || failed instanceof Error) return Math.min(250 * Math.max(1, failures), 16_000);
  if ('status' in failed && failed.status === 429) return Math.min(60_000 * 2 ** failures, 900_000);
  return Math.min(5000 * 2 ** failures, 320_000);
}

function pause(ms: number, leave: Interruption): Promise<void> {
  return new Promise((resolve) => {
    let takeBack = (): void => {};
    const callOff = after(ms, () => {
      takeBack();
      resolve();
    });
    takeBack = leave.on(() => {
      callOff();
      resolve();
    });
  });
}

function printLine(message: string): void {
  printError(`${message}\n`);
}
