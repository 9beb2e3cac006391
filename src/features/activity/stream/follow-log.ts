import type { PastRange } from '../../../contract/services/streams.ts';
import type { EventFeed, LoggedEvent, LogRange, MatchedBatch, MatchedEvent } from '../../../contract/store/events.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import type { Lines, StreamBuffer } from './stream-buffer.ts';

/**
 * The phase of a stream: `backfill` reads past events from the log; `cutover` already listens, and reads the gap in
 * between; `live` forwards new events.
 */
type Phase = 'backfill' | 'cutover' | 'live';

/** Dependencies of a stream that follows the log. */
export interface FollowDependencies {
  /** Reads from the store, retrying while it is unavailable. */
  readonly read: <T>(work: (tx: ReadTransaction) => Promise<T>) => Promise<T>;
  readonly feed: Pick<EventFeed, 'follow' | 'settle' | 'deliveriesOf'>;
  readonly application: string;
  readonly past: PastRange | undefined;
  readonly buffer: StreamBuffer;
  /** Called when the client is too slow for live events. */
  readonly onOverflow: () => void;
}

/** A stream that follows the log. */
export interface LogFollower {
  readonly phase: () => Phase;
  /**
   * Resolves with `live`, or with `completed` when the requested range has an end; rejects when the log cannot be read.
   */
  readonly begun: Promise<'live' | 'completed'>;
  /** Stops forwarding. */
  stop(): void;
}

/** Maximum number of events in one read of the log. */
const PAGE = 500;
/** From this many remaining events, the rest is read while new events are buffered in memory. */
const FEW = 50;

/**
 * Follows the log for one stream, without gaps and in log order. Events up to the moment of listening are read from the
 * log, however long that takes; later ones come from the listener.
 * @source decision 362, 363, 366
 */
export function followLog({ read, feed, application, past, buffer, onOverflow }: FollowDependencies): LogFollower {
  let phase: Phase = past ? 'backfill' : 'live';
  let isStopped = false;
  let listening: { stop(): void; readonly after: number } | undefined;
  const waiting: (readonly MatchedEvent[])[] = [];
  /**
   * The last position read from the log. The listener may be behind it, and then repeats events that were sent already.
   */
  let readUpTo = 0;

  const list = (range: LogRange): Promise<LoggedEvent[]> => read((tx) => tx.events.list(range));
  const sendPast = async (events: readonly LoggedEvent[]): Promise<void> => {
    const deliveries = await feed.deliveriesOf(events, { application, includesOlder: true });
    if (!isStopped) await buffer.sendPast(deliveries.map(({ line }) => line));
  };
  const sendLive = (all: readonly MatchedEvent[]): void => {
    const isNew = ({ event }: MatchedEvent): boolean => event.position > readUpTo;
    const deliveries = isNew(all[0]!) ? all : all.filter(isNew);
    if (!isStopped && deliveries.length > 0 && !buffer.sendLive(linesOf(deliveries))) onOverflow();
  };
  const listen = (): number => {
    listening = feed.follow(({ byApplication }: MatchedBatch) => {
      const deliveries = byApplication.get(application);
      if (deliveries === undefined) return;
      if (phase === 'live') sendLive(deliveries);
      else waiting.push(deliveries);
    });
    return listening.after;
  };

  /** Reads the log from a position until at most `few` events are left; returns the position reached. */
  const backfill = async (from: number, until: number | undefined, few: number): Promise<number> => {
    for (let after = from; ; ) {
      const events = await list({ after, until, limit: PAGE });
      if (isStopped) return after;
      await sendPast(events);
      after = events.at(-1)?.position ?? after;
      if (events.length <= few || isStopped) return after;
    }
  };

  const begin = async ({ from, until }: PastRange): Promise<'live' | 'completed'> => {
    // Events without positions would otherwise count as later ones.
    await feed.settle();
    const { after, last } = await read(async (tx) => ({
      after: await tx.events.findBefore(from),
      last: until && (await tx.events.findBefore(until)),
    }));
    if (last !== undefined) {
      await backfill(after, last as number, 0);
      return 'completed';
    }
    const reached = await backfill(after, undefined, FEW);
    if (isStopped) return 'live';
    phase = 'cutover';
    readUpTo = await backfill(reached, listen(), 0);
    phase = 'live';
    for (const deliveries of waiting.splice(0)) sendLive(deliveries);
    return 'live';
  };

  if (past === undefined) listen();
  return {
    phase: () => phase,
    begun: past === undefined ? Promise.resolve('live') : begin(past),
    stop() {
      isStopped = true;
      listening?.stop();
      buffer.close();
    },
  };
}

const linesByBatch = new WeakMap<readonly MatchedEvent[], Lines>();

/** The lines of a batch, built once for all streams of an application. */
function linesOf(deliveries: readonly MatchedEvent[]): Lines {
  let lines = linesByBatch.get(deliveries);
  if (!lines) {
    const each = deliveries.map(({ line }) => line);
    lines = { each, joined: each.length === 1 ? each[0]! : Buffer.concat(each) };
    linesByBatch.set(deliveries, lines);
  }
  return lines;
}
