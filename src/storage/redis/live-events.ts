import { Redis } from 'ioredis';
import { after, pause, withTimeout } from '../../base/timers.ts';
import type { LiveEvents, LiveEventsListener } from '../../contract/services/live-events.ts';
import type { LoggedEvent } from '../../contract/store/events.ts';
import { KEY_PREFIX, REDIS_OPTIONS } from './connection.ts';

/** Number of batches kept in Redis for servers that lag. */
const BATCHES_MAX = 100;
/** Of larger batches, only the last event is published, to bound memory; servers read the others from the log. */
const BATCH_BYTES_MAX = 262_144;
/** Maximum number of batches in a reply. */
const READ_MAX = 10;
/** Maximum time that `xread` blocks. */
const BLOCK_MS = 5000;
/** Timeout of a reply, after which the connection is replaced. */
const LATE_MS = 2 * BLOCK_MS;
/** The delay before another attempt to read. */
const RETRY_MS = 250;
/** Maximum number of pending commands; while Redis is too slow for more, events are not published. */
const PENDING_MAX = 20;

/** The reply of `xread`: by stream, entries of an id and a list of names and values. */
type Reply = readonly (readonly [key: string, entries: readonly (readonly [id: string, fields: string[]])[]])[] | null;

/**
 * Publishes live events in two streams of Redis: `events:<database>` has batches; an entry in `outbox:<database>` tells that
 * a server has appended events. Uses two connections of its own, so that neither large batches nor blocking reads
 * delay requests; without a listener, one.
 *
 * Entries older than the first connection are skipped: a failover of the database may have lost their events. Missed
 * events are read from the log.
 * @source decision 763
 */
export function openLiveEvents(url: string, database: string, listener?: LiveEventsListener): LiveEvents {
  const streams = { events: `${KEY_PREFIX}events:${database}`, notices: `${KEY_PREFIX}outbox:${database}` };
  const writer = connect(url);
  const reader = listener && readLiveEvents(url, streams, listener);
  let failures = 0;
  let pending = 0;
  let isNoting = false;
  let isAppendedMeanwhile = false;

  /** Resolves when the command has been answered or has failed. */
  const send = async (command: (redis: Redis) => Promise<unknown>): Promise<void> => {
    if (pending >= PENDING_MAX) {
      failures += 1;
      return;
    }
    pending += 1;
    const callOff = after(LATE_MS, () => writer.disconnect(true));
    try {
      await command(writer);
    } catch {
      failures += 1;
    } finally {
      callOff();
      pending -= 1;
    }
  };
  const noteAll = async (): Promise<void> => {
    isNoting = true;
    do {
      isAppendedMeanwhile = false;
      await send((redis) => redis.xadd(streams.notices, 'MAXLEN', 1, '*', 'by', 'a server'));
    } while (isAppendedMeanwhile);
    isNoting = false;
  };

  return {
    publish(batch) {
      const whole = JSON.stringify(batch);
      const text = whole.length <= BATCH_BYTES_MAX ? whole : JSON.stringify(batch.slice(-1));
      if (text.length > BATCH_BYTES_MAX) return;
      const { position } = batch.at(-1)!;
      void send((redis) => redis.xadd(streams.events, 'MAXLEN', BATCHES_MAX, '*', 'last', position, 'events', text));
    },
    noteAppended() {
      // One more entry covers all units of work that end meanwhile.
      isAppendedMeanwhile = true;
      if (!isNoting) void noteAll();
    },
    failures: () => failures,
    async close() {
      writer.disconnect();
      await reader?.close();
    },
  };
}

/** Opens a connection that reconnects by itself. Its errors are ignored: the connection for requests reports outages. */
function connect(url: string): Redis {
  const redis = new Redis(url, REDIS_OPTIONS);
  redis.on('error', () => {});
  redis.connect().catch(() => {});
  return redis;
}

/** Follows both streams until it is closed. */
function readLiveEvents(
  url: string,
  { events, notices }: { readonly events: string; readonly notices: string },
  listener: LiveEventsListener,
): { close(): Promise<void> } {
  const reader = connect(url);
  let isClosed = false;
  /** The last ids read; undefined before the first connection. */
  const last: { events?: string; notices?: string } = {};
  let isNewConnection = true;
  reader.on('ready', () => {
    isNewConnection = true;
  });

  /** The id after which to continue: from the start if Redis has lost the stream, and ids of the new one are smaller. */
  const idAfter = async (stream: string, read: string | undefined): Promise<string> => {
    const [newest] = await reader.xrevrange(stream, '+', '-', 'COUNT', 1);
    const id = newest?.[0] ?? '0-0';
    if (read === undefined) return id;
    return isLater(read, id) ? '0-0' : read;
  };
  const readOnce = async (): Promise<void> => {
    if (isNewConnection) {
      isNewConnection = false;
      const ids = await withTimeout(
        LATE_MS,
        Promise.all([idAfter(events, last.events), idAfter(notices, last.notices)]),
      );
      [last.events, last.notices] = ids;
    }
    const reading = reader.xread(
      ...(['COUNT', READ_MAX, 'BLOCK', BLOCK_MS] as const),
      ...(['STREAMS', events, notices, last.events!, last.notices!] as const),
    );
    const reply = (await withTimeout(LATE_MS, reading)) as Reply;
    for (const [key, entries] of reply ?? []) {
      const { length } = entries;
      const id = entries[length - 1]![0];
      if (key === notices) {
        last.notices = id;
        listener.onAppended();
        continue;
      }
      last.events = id;
      for (const [, [, position, , batch]] of entries) {
        if (Number(position) > listener.position()) listener.onEvents(JSON.parse(batch!) as LoggedEvent[]);
      }
    }
  };
  const readAll = async (): Promise<void> => {
    while (!isClosed) {
      try {
        await readOnce();
      } catch {
        if (isClosed) return;
        // Meanwhile, servers poll the log.
        isNewConnection = true;
        if (reader.status === 'ready') reader.disconnect(true);
        await pause(RETRY_MS);
      }
    }
  };
  const reading = readAll();

  return {
    async close() {
      isClosed = true;
      reader.disconnect();
      await reading;
    },
  };
}

/** Whether a stream id, `<milliseconds>-<sequence number>`, is later than another. */
function isLater(id: string, than: string): boolean {
  const [time, number] = id.split('-').map(Number) as [number, number];
  const [otherTime, otherNumber] = than.split('-').map(Number) as [number, number];
  return time > otherTime || (time === otherTime && number > otherNumber);
}
