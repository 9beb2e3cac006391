import type { Clock } from '../../../base/clock.ts';
import { formatMillisecond } from '../../../base/instants.ts';
import { type Random, uuid } from '../../../base/random.ts';
import { after, elapsed_ms, every } from '../../../base/timers.ts';
import { type ApplicationLimit, limitOf } from '../../../contract/declare/application-limits.ts';
import { Problem, problem } from '../../../contract/problems/problems.ts';
import { StoreUnavailable } from '../../../contract/problems/store-unavailable.ts';
import type {
  DisconnectReason,
  ReplyWriter,
  StreamConnection,
  StreamHandle,
  StreamRequest,
  Streams,
} from '../../../contract/services/streams.ts';
import type { Activity } from '../../../contract/store/events.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../../contract/store/store.ts';
import { disconnectLine } from './disconnect-line.ts';
import { endedOutside } from './end-revoked-streams.ts';
import { type Following, followLog } from './follow-log.ts';
import { type Feed, type FeedBounds, feedOf } from './stream-buffer.ts';
import { paceOf } from './token-bucket.ts';

/** What the settings decide of streams. */
export interface StreamRules extends FeedBounds {
  /** A further connection takes the place of the oldest, instead of being refused. */
  readonly stream_replace_oldest: boolean;
}

/** What the streams of a process work with. */
export interface StreamsParts {
  readonly store: Store;
  readonly clock: Clock;
  /** Makes the ids of connections. */
  readonly random: Random;
  readonly activity: Activity;
  readonly rules: StreamRules;
  readonly defaultLimits: Readonly<Record<ApplicationLimit, number>>;
  /** Is told of what is a fault of ours. */
  readonly failed: (connection: string, error: unknown) => void;
}

/** An open stream of this process. */
export interface OpenStream {
  readonly id: string;
  readonly request: StreamRequest;
  readonly outlet: ReplyWriter | undefined;
  readonly feed: Feed | undefined;
  readonly following: Following | undefined;
  /** Why it ended; undefined while it has not. */
  readonly ended: DisconnectReason | undefined;
}

/** How often streams are looked at that could not send everything at once. */
const TICK_MS = 50;
/** How soon what could not be stored or read is tried again. */
const RETRY_MS = 500;
/** @source activity gaps 18 */
const RETRY_AFTER_S = 60;
/** How long connections that ended are told of. @source activity gaps 21.1 */
export const HISTORY_S = 7 * 86_400;

/** The streams of a process. Their connections are rows of the database: whoever ends a row ends the stream. */
export function openStreams(parts: StreamsParts): Streams {
  const { store, clock, activity, rules } = parts;
  const open = new Map<string, OpenStream>();
  const storing = new Set<Promise<void>>();
  let stopTicking: (() => void) | undefined;
  let isStopping = false;

  /** Tries again for as long as the database is away and nobody has stopped us. */
  const patiently = async <T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T> => {
    while (true) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || !isWanted()) throw error;
        await new Promise<void>((resolve) => void after(RETRY_MS, resolve));
      }
    }
  };

  /** Stores why a stream ended. Until that is done, the row takes up a place. */
  const note = (id: string, reason: DisconnectReason): void => {
    const at = formatMillisecond(clock.now());
    const stored: Promise<void> = patiently(
      () => store.write((tx) => tx.streamConnections.end(id, reason, at)),
      () => !isStopping,
    )
      .then(() => {})
      .catch((error) => parts.failed(id, error))
      .finally(() => storing.delete(stored));
    storing.add(stored);
  };

  const end = (stream: OpenStream, reason: DisconnectReason, { isStored = false } = {}): void => {
    if (!open.delete(stream.id)) return;
    Object.assign(stream, { ended: reason });
    stream.following?.stop();
    stream.outlet?.finish(disconnectLine(reason, stream.request.baseUrl));
    if (open.size === 0) {
      stopTicking?.();
      stopTicking = undefined;
    }
    if (!isStored) note(stream.id, reason);
  };

  const tick = (): void => {
    for (const stream of open.values()) if (stream.feed?.tick() === false) end(stream, 'SlowReader');
  };

  /** Begins to send: the head is on its way. */
  const begin = (stream: OpenStream, outlet: ReplyWriter, per_s: number): void => {
    const { id, request, ended } = stream;
    if (ended) {
      outlet.finish(disconnectLine(ended, request.baseUrl));
      return;
    }
    const feed = feedOf(outlet, paceOf(per_s, elapsed_ms), rules, elapsed_ms);
    const following = followLog({
      read: (work) =>
        patiently(
          () => store.read(work),
          () => open.has(id),
        ),
      activity: {
        ...activity,
        deliveriesOf: (events, query) =>
          patiently(
            () => activity.deliveriesOf(events, query),
            () => open.has(id),
          ),
      },
      application: request.application,
      past: request.backfill,
      feed,
      overflowed: () => end(stream, 'SlowReader'),
    });
    Object.assign(stream, { outlet, feed, following });
    following.begun
      .then((outcome) => void (outcome === 'completed' && end(stream, 'Completed')))
      .catch((error) => {
        if (!open.has(id)) return;
        parts.failed(id, error);
        end(stream, 'InternalError');
      });
  };

  endedOutside({ store, open, end, retry_ms: RETRY_MS });

  return {
    async open(request) {
      if (isStopping) throw new Problem([{ problem: 'UNAVAILABLE' }], { because: 'stopping', retryAfter_s: 1 });
      const id = uuid(parts.random);
      const stream: OpenStream = {
        id,
        request,
        outlet: undefined,
        feed: undefined,
        following: undefined,
        ended: undefined,
      };
      // It is there before its row is: whoever ends the row the moment it is stored finds it.
      open.set(id, stream);
      const per_s = await store
        .write((tx) => takePlace(tx, parts, id, request, formatMillisecond(clock.now())))
        .catch((error) => {
          open.delete(id);
          throw error;
        });
      if (open.size > 0) stopTicking ??= every(TICK_MS, tick);
      const flow: StreamHandle = {
        begin: (outlet) => begin(stream, outlet, per_s),
        drained: () => stream.feed?.drained(),
        disconnected: () => end(stream, 'ClientDisconnect'),
      };
      if (isStopping) end(stream, 'UpstreamOperationalDisconnect');
      // What ended it may have been stored before the row was there.
      else if (stream.ended) note(id, stream.ended);
      return flow;
    },
    count: () => open.size,
    async stop() {
      isStopping = true;
      for (const stream of [...open.values()]) end(stream, 'UpstreamOperationalDisconnect');
      await Promise.all(storing);
    },
  };
}

/** For a server that starts, and that is the only one: whoever held connections before is gone. */
export async function forgetStreams(tx: WriteTransaction, clock: Clock): Promise<void> {
  await tx.streamConnections.endAll('UpstreamUncleanDisconnect', formatMillisecond(clock.now()));
}

/**
 * Takes one of the places that an application has; the answer is how many events a second it may be sent. Units of the same
 * application wait for each other.
 */
async function takePlace(
  tx: WriteTransaction,
  { rules, defaultLimits }: StreamsParts,
  id: string,
  { application, bearer, client_ip }: StreamRequest,
  now: string,
): Promise<number> {
  const owner = await tx.credentials.lockApplication(application);
  await checkToken(tx, application, bearer, owner?.suspended === 1);
  const connections = await tx.streamConnections.listOpen(application);
  const max = await limitOf(tx, defaultLimits, application, 'stream_connections');
  const excess = connections.slice(0, Math.max(0, connections.length + 1 - max));
  if (excess.length > 0 && !rules.stream_replace_oldest) throw tooMany(connections, max);
  for (const { id: oldest } of excess) await tx.streamConnections.end(oldest, 'ForceDisconnect', now);
  await tx.streamConnections.add({
    id,
    application_id: application,
    endpoint_name: 'activity_stream',
    client_ip,
    connected_at: now,
    disconnected_at: null,
    disconnect_reason: null,
  });
  return limitOf(tx, defaultLimits, application, 'stream_events_per_s');
}

/** The token may have been revoked since it was looked at: nobody would notice later. */
async function checkToken(
  tx: ReadTransaction,
  application: string,
  bearer: string,
  isSuspended: boolean,
): Promise<void> {
  if (isSuspended) throw problem('APPLICATION_SUSPENDED', {}, 'suspended just now');
  const outstanding = await tx.bearerTokens.findOutstanding(application);
  if (outstanding?.id !== bearer) throw problem('BEARER_INVALID', {}, 'revoked just now');
}

function tooMany(connections: readonly StreamConnection[], max: number): Problem {
  const told = connections.map(({ id, client_ip, connected_at }) => `${id} from ${client_ip} since ${connected_at}`);
  return new Problem([{ problem: 'STREAM_CONNECTIONS_MAX' }], {
    retryAfter_s: RETRY_AFTER_S,
    hint: `${connections.length} of ${max} open: ${told.join(', ')}; DELETE /2/connections closes them`,
  });
}
