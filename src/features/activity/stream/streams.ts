import type { Clock } from '../../../base/clock.ts';
import { formatMillisecond } from '../../../base/instants.ts';
import { type Random, uuid } from '../../../base/random.ts';
import { elapsed_ms, every, pause } from '../../../base/timers.ts';
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
import type { EventFeed } from '../../../contract/store/events.ts';
import type { ReadTransaction, Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { disconnectLine } from './disconnect-line.ts';
import { endRevokedStreams } from './end-revoked-streams.ts';
import { followLog, type LogFollower } from './follow-log.ts';
import { type BufferLimits, StreamBuffer } from './stream-buffer.ts';
import { tokenBucket } from './token-bucket.ts';

/** Settings of streams. */
interface StreamRules extends BufferLimits {
  /**
   * When the limit is reached, a new connection replaces the oldest one instead of being refused.
   * @source decision 372
   */
  readonly stream_replace_oldest: boolean;
}

/** Dependencies of the streams of a process. */
export interface StreamsDependencies {
  readonly store: Store;
  readonly clock: Clock;
  /** The id of the node that holds the connections. */
  readonly node: string;
  /** Source of connection ids. */
  readonly random: Random;
  readonly feed: EventFeed;
  readonly rules: StreamRules;
  readonly defaultLimits: Readonly<Record<ApplicationLimit, number>>;
  /** Called with unexpected errors. */
  readonly onError: (connection: string, error: unknown) => void;
}

/** An open stream of this process. */
export interface OpenStream {
  readonly id: string;
  readonly request: StreamRequest;
  outlet: ReplyWriter | undefined;
  buffer: StreamBuffer | undefined;
  follower: LogFollower | undefined;
  /** Why it ended; undefined while it is open. */
  endReason: DisconnectReason | undefined;
}

/** Interval at which streams with queued lines are checked. */
const TICK_MS = 50;
/** Delay before a failed read or write is retried. */
const RETRY_MS = 500;
/** Seconds after which a refused connection may be tried again. @source activity 18; decision 372 */
const RETRY_AFTER_S = 60;
/** How long ended connections are listed. @source activity 21.1; decision 377 */
export const CONNECTION_HISTORY_S = 7 * 86_400;

/** Retries while the database is unavailable and the result is still wanted. @source decision 374 */
async function retryWhileUnavailable<T>(work: () => Promise<T>, isWanted: () => boolean): Promise<T> {
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || !isWanted()) throw error;
      await pause(RETRY_MS);
    }
  }
}

/** The streams of a process. Each has a row in the database; ending the row ends the stream. */
export class ProcessStreams implements Streams {
  readonly #parts: StreamsDependencies;
  readonly #open = new Map<string, OpenStream>();
  readonly #storing = new Set<Promise<void>>();
  #stopTicking: (() => void) | undefined;
  #isStopping = false;

  constructor(parts: StreamsDependencies) {
    this.#parts = parts;
    endRevokedStreams({
      store: parts.store,
      open: this.#open,
      end: (stream, reason, { isStored }) => this.#end(stream, reason, isStored),
      retry_ms: RETRY_MS,
    });
  }

  async open(request: StreamRequest): Promise<StreamHandle> {
    if (this.#isStopping) throw new Problem([{ problem: 'UNAVAILABLE' }], { because: 'stopping', retryAfter_s: 1 });
    const { store, clock, random } = this.#parts;
    const id = uuid(random);
    const unbegun = { outlet: undefined, buffer: undefined, follower: undefined, endReason: undefined };
    const stream: OpenStream = { id, request, ...unbegun };
    // Registered before its row is stored, so that ending the row at once finds it.
    this.#open.set(id, stream);
    const per_s = await store
      .write((tx) => registerConnection(tx, this.#parts, id, request, formatMillisecond(clock.now())))
      .catch((error) => {
        this.#open.delete(id);
        throw error;
      });
    if (this.#open.size > 0) this.#stopTicking ??= every(TICK_MS, () => this.#tick());
    if (this.#isStopping) this.#end(stream, 'UpstreamOperationalDisconnect');
    // The end may have been stored before the row existed.
    else if (stream.endReason) this.#storeEnd(id, stream.endReason);
    return {
      begin: (outlet) => this.#begin(stream, outlet, per_s),
      drained: () => stream.buffer?.drained(),
      disconnected: () => this.#end(stream, 'ClientDisconnect'),
    };
  }

  count(): number {
    return this.#open.size;
  }

  isIdle(): boolean {
    return [...this.#open.values()].every(
      ({ buffer, follower }) => !buffer || (buffer.isEmpty() && follower?.phase() === 'live'),
    );
  }

  async endAll(): Promise<void> {
    for (const stream of [...this.#open.values()]) this.#end(stream, 'UpstreamOperationalDisconnect');
    await Promise.all(this.#storing);
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    return this.endAll();
  }

  /** Starts sending, after the response head. */
  #begin(stream: OpenStream, outlet: ReplyWriter, per_s: number): void {
    const { id, request, endReason: ended } = stream;
    if (ended) {
      outlet.finish(disconnectLine(ended, request.baseUrl));
      return;
    }
    const { store, feed, rules, onError } = this.#parts;
    const isOpen = (): boolean => this.#open.has(id);
    const buffer = new StreamBuffer(outlet, tokenBucket(per_s, elapsed_ms), rules, elapsed_ms);
    const follower = followLog({
      read: (work) => retryWhileUnavailable(() => store.read(work), isOpen),
      feed: {
        follow: (listener) => feed.follow(listener),
        settle: () => retryWhileUnavailable(() => feed.settle(), isOpen),
        deliveriesOf: (events, query) => retryWhileUnavailable(() => feed.deliveriesOf(events, query), isOpen),
      },
      application: request.application,
      past: request.backfill,
      buffer,
      onOverflow: () => this.#end(stream, 'SlowReader'),
    });
    stream.outlet = outlet;
    stream.buffer = buffer;
    stream.follower = follower;
    follower.begun
      .then((outcome) => void (outcome === 'completed' && this.#end(stream, 'Completed')))
      .catch((error) => {
        if (!isOpen()) return;
        onError(id, error);
        this.#end(stream, 'InternalError');
      });
  }

  #tick(): void {
    for (const stream of this.#open.values()) if (stream.buffer?.tick() === false) this.#end(stream, 'SlowReader');
  }

  #end(stream: OpenStream, reason: DisconnectReason, isStored = false): void {
    if (!this.#open.delete(stream.id)) return;
    stream.endReason = reason;
    stream.follower?.stop();
    stream.outlet?.finish(disconnectLine(reason, stream.request.baseUrl));
    if (this.#open.size === 0) {
      this.#stopTicking?.();
      this.#stopTicking = undefined;
    }
    if (!isStored) this.#storeEnd(stream.id, reason);
  }

  /** Stores the reason of the end. Until then the row counts against the limit. */
  #storeEnd(id: string, reason: DisconnectReason): void {
    const { store, clock, onError } = this.#parts;
    const at = formatMillisecond(clock.now());
    const stored: Promise<void> = retryWhileUnavailable(
      () => store.write((tx) => tx.streamConnections.end(id, reason, at)),
      () => !this.#isStopping,
    )
      .then(() => {})
      .catch((error) => onError(id, error))
      .finally(() => this.#storing.delete(stored));
    this.#storing.add(stored);
  }
}

/**
 * Stores a connection, within the limit of the application in both environments together; returns how many events a
 * second it may be sent. Units of the same application wait for each other.
 * @source decision 375
 */
async function registerConnection(
  tx: WriteTransaction,
  { rules, defaultLimits, node }: StreamsDependencies,
  id: string,
  { application, bearer, client_ip }: StreamRequest,
  now: string,
): Promise<number> {
  const owner = await tx.credentials.lockApplication(application);
  await checkToken(tx, application, bearer, owner?.suspended === 1);
  const connections = await tx.streamConnections.listOpen(application);
  const max = await limitOf(tx, defaultLimits, application, 'stream_connections');
  const excess = connections.slice(0, Math.max(0, connections.length + 1 - max));
  if (excess.length > 0 && !rules.stream_replace_oldest) throw tooManyConnections(connections, max);
  for (const { id: oldest } of excess) await tx.streamConnections.end(oldest, 'ForceDisconnect', now);
  await tx.streamConnections.add({
    id,
    application_id: application,
    node,
    endpoint_name: 'activity_stream',
    client_ip,
    connected_at: now,
    disconnected_at: null,
    disconnect_reason: null,
  });
  return limitOf(tx, defaultLimits, application, 'stream_events_per_s');
}

/** The token may have been revoked since authentication: a stream that is not registered yet would not notice. */
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

function tooManyConnections(connections: readonly StreamConnection[], max: number): Problem {
  const list = connections.map(({ id, client_ip, connected_at }) => `${id} from ${client_ip} since ${connected_at}`);
  return new Problem([{ problem: 'STREAM_CONNECTIONS_MAX' }], {
    retryAfter_s: RETRY_AFTER_S,
    hint: `${connections.length} of ${max} open: ${list.join(', ')}; DELETE /2/connections closes them`,
  });
}
