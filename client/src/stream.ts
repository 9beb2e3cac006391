import { BarkerError } from './errors.ts';
import type { ActivityStreamReply } from './generated/types.ts';
import { type Call, type CallOptions, type Params, pause, type Transport } from './transport.ts';

/** An event of the stream. */
export type ActivityEvent = Extract<ActivityStreamReply, { readonly data: unknown }>['data'];
type Disconnect = Extract<ActivityStreamReply, { readonly errors: unknown }>['errors'][number];

/** The server closed a stream for good: a request did so, the token was revoked, or the application is suspended. */
export class StreamClosed extends Error {
  override readonly name = 'StreamClosed';
  readonly disconnectType: Disconnect['disconnect_type'];

  constructor({ disconnect_type, title, detail }: Disconnect) {
    super(`${title}: ${detail}`);
    this.disconnectType = disconnect_type;
  }
}

const FINAL: ReadonlySet<Disconnect['disconnect_type']> = new Set([
  'ForceDisconnect',
  'ClientApplicationStateDegraded',
]);
const BACKFILL_MAX_S = 240;
/** Nothing arrived for so long, not even an empty line: the connection is dead. */
const SILENCE_MAX_S = 20;
/** So many events are remembered to recognize those that are sent again after a reconnection. */
const REMEMBERED = 5000;

/**
 * The events of the stream, without end: it reconnects as the server advises, asks for what it missed, and leaves out events
 * that it has returned already. With `end_time`, it ends with the events before that.
 * @throws StreamClosed when the server closes the stream for good; BarkerError if it is refused
 */
export async function* follow(
  transport: Transport,
  call: Call,
  params: Params,
  { signal }: CallOptions,
): AsyncGenerator<ActivityEvent, void, undefined> {
  const seen = new Set<string>();
  let heard_s = now_s();
  let [hasBegun, breaks, refusals] = [false, 0, 0];
  while (!signal?.aborted) {
    try {
      const missed = hasBegun && params.end_time === undefined ? sinceThen(heard_s) : params;
      for await (const line of linesOf(transport, call, missed, signal)) {
        heard_s = now_s();
        [hasBegun, breaks, refusals] = [true, 0, 0];
        const event = line === '' ? undefined : eventIn(line);
        const key = event && `${event.event_uuid} ${event.subscription_id ?? JSON.stringify(event.filter)}`;
        if (key === undefined || seen.has(key)) continue;
        seen.add(key);
        if (seen.size > REMEMBERED) seen.delete(seen.values().next().value!);
        yield event!;
      }
      if (params.end_time !== undefined) return;
    } catch (error) {
      if (signal?.aborted || error instanceof StreamClosed) throw error;
      if (error instanceof BarkerError) {
        if (error.status < 500 && error.status !== 429) throw error;
        refusals += 1;
      } else if (!hasBegun && breaks >= 2) throw error;
    }
    breaks += 1;
    await pause(refusals > 0 ? Math.min(320, 5 * 2 ** (refusals - 1)) : Math.min(16, 0.25 * breaks), signal);
  }
  signal.throwIfAborted();
}

function now_s(): number {
  return Date.now() / 1000;
}

function sinceThen(heard_s: number): Params {
  if (now_s() - heard_s < BACKFILL_MAX_S) return { backfill_minutes: 5 };
  return { start_time: new Date((heard_s - 60) * 1000) };
}

function eventIn(line: string): ActivityEvent | undefined {
  const said = JSON.parse(line) as ActivityStreamReply;
  if ('data' in said) return said.data;
  const last = said.errors.find(({ disconnect_type }) => FINAL.has(disconnect_type));
  if (last) throw new StreamClosed(last);
  return undefined;
}

/** The lines of one connection. */
async function* linesOf(
  transport: Transport,
  call: Call,
  params: Params,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const silence = new AbortController();
  const die = (): void => silence.abort(new Error('The stream was silent'));
  const response = await transport.open(
    call,
    params,
    signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
  );
  let timer = setTimeout(die, SILENCE_MAX_S * 1000);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      const lines = (rest + value).split('\r\n');
      rest = lines.pop()!;
      yield* lines;
      timer = setTimeout(die, SILENCE_MAX_S * 1000);
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
