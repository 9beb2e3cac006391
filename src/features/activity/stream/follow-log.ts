import type { PastRange } from '../../../contract/services/streams.ts';
import type { Activity, Delivery, LoggedEvent, LogRange, MatchedBatch } from '../../../contract/store/events.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import type { Feed, Lines } from './stream-buffer.ts';

/**
 * Where a stream is: it reads the past from the log; or it has begun to listen, and reads what lies between the two; or it
 * hands on what happens.
 */
export type Phase = 'backfill' | 'cutover' | 'live';

/** What a stream follows the log with. */
export interface PhaseParts {
  /** Reads what is kept, however long that takes. */
  readonly read: <T>(work: (tx: ReadTransaction) => Promise<T>) => Promise<T>;
  readonly activity: Activity;
  readonly application: string;
  readonly past: PastRange | undefined;
  readonly feed: Feed;
  /** Is told when the reader is too slow for what happens. */
  readonly overflowed: () => void;
}

/** A stream on its way through the phases. */
export interface Following {
  readonly phase: () => Phase;
  /** Resolves when the stream is live, or with `completed` at the end of a past that has one; rejects when the log cannot be read. */
  readonly begun: Promise<'live' | 'completed'>;
  /** Hands on nothing any more. */
  stop(): void;
}

/** Events read from the log at once. */
const PAGE = 500;
/** So few events are left between the past and the present that they may be held in memory for a moment. */
const NEAR = 50;

/**
 * Follows the log for one stream: no event is left out, and none comes before another that the log has first. What is in
 * the log up to the moment of listening is read from there, however long that takes; what comes later was listened to.
 */
export function followLog({ read, activity, application, past, feed, overflowed }: PhaseParts): Following {
  let phase: Phase = past ? 'backfill' : 'live';
  let isStopped = false;
  let listening: { stop(): void; readonly after: number } | undefined;
  const held: (readonly Delivery[])[] = [];
  /** How far the log was read: who follows it may be behind that, and is then handed what was sent already. */
  let readUpTo = 0;

  const list = (range: LogRange): Promise<LoggedEvent[]> => read((tx) => tx.events.list(range));
  const recall = async (events: readonly LoggedEvent[]): Promise<void> => {
    const deliveries = await activity.deliveriesOf(events, { application, includesOlder: true });
    if (!isStopped) await feed.recall(deliveries.map(({ line }) => line));
  };
  const handOn = (all: readonly Delivery[]): void => {
    const isNew = ({ event }: Delivery): boolean => event.position > readUpTo;
    const deliveries = isNew(all[0]!) ? all : all.filter(isNew);
    if (!isStopped && deliveries.length > 0 && !feed.happened(linesOf(deliveries))) overflowed();
  };
  const listen = (): number => {
    listening = activity.follow(({ byApplication }: MatchedBatch) => {
      const deliveries = byApplication.get(application);
      if (deliveries === undefined) return;
      if (phase === 'live') handOn(deliveries);
      else held.push(deliveries);
    });
    return listening.after;
  };

  /** Reads the log from a position until it has nothing more, or little; the answer is how far that was. */
  const backfill = async (from: number, until: number | undefined, few: number): Promise<number> => {
    for (let after = from; ; ) {
      const events = await list({ after, until, limit: PAGE });
      if (isStopped) return after;
      await recall(events);
      after = events.at(-1)?.position ?? after;
      if (events.length <= few || isStopped) return after;
    }
  };

  const begin = async ({ from, until }: PastRange): Promise<'live' | 'completed'> => {
    const { after, last } = await read(async (tx) => ({
      after: await tx.events.findBefore(from),
      last: until && (await tx.events.findBefore(until)),
    }));
    if (last !== undefined) {
      await backfill(after, last as number, 0);
      return 'completed';
    }
    const reached = await backfill(after, undefined, NEAR);
    if (isStopped) return 'live';
    phase = 'cutover';
    readUpTo = await backfill(reached, listen(), 0);
    phase = 'live';
    for (const deliveries of held.splice(0)) handOn(deliveries);
    return 'live';
  };

  if (past === undefined) listen();
  return {
    phase: () => phase,
    begun: past === undefined ? Promise.resolve('live') : begin(past),
    stop() {
      isStopped = true;
      listening?.stop();
      feed.close();
    },
  };
}

const known = new WeakMap<readonly Delivery[], Lines>();

/** The lines of deliveries of one batch, made once for all streams of the application. */
function linesOf(deliveries: readonly Delivery[]): Lines {
  let lines = known.get(deliveries);
  if (!lines) {
    const each = deliveries.map(({ line }) => line);
    lines = { each, joined: each.length === 1 ? each[0]! : Buffer.concat(each) };
    known.set(deliveries, lines);
  }
  return lines;
}
