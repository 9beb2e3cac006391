import { elapsed_ms, every } from '../base/timers.ts';
import { Problem } from '../contract/problems/problems.ts';
import type { BodyReadObserver } from './read-body.ts';

/** What requests may cost while they arrive. */
export interface RequestMemoryLimits {
  /** How much memory all of them may hold together, with what their connections take. */
  readonly bytes_max: number;
  /** The part of it that one address or caller may hold. */
  readonly owner_share: number;
  /** How long the head of a request may take. */
  readonly request_head_timeout_s: number;
  /** How slowly a body may come, once the time of grace is over. */
  readonly request_bytes_per_s_min: number;
  readonly request_grace_s: number;
}

/** Part of a request that waits in memory for the rest. */
export interface Reservation {
  /** Is told how many bytes have come, and how much memory holds them. */
  update(received: number, held: number): void;
  /** Takes it out of account; may be called again. */
  release(): void;
}

/** What is held, and for whom. */
export interface ReservationRequest {
  readonly part: 'head' | 'body';
  /**
   * Whether it is the first request of its connection, which holds less memory; or names a key and a token that exist, so that
   * others give way first.
   */
  readonly priority: 'first' | 'later' | 'known';
  /** The address block or caller that it is charged to; undefined where other limits count it. */
  readonly owner?: string | undefined;
  /** What connection and objects take beside the bytes of the request. */
  readonly overhead_bytes: number;
  /** Is called at most once, when it has to go: it is out of account then. */
  evict(failure: Problem): void;
}

/** The memory of requests that have not arrived completely. */
export interface RequestMemory {
  reserve(holding: ReservationRequest): Reservation;
  /** Ends the stranger who has been sending for longest; false when there is none. */
  evictOldest(): boolean;
  /** The bodies that are arriving, and the memory counted for them and for unfinished heads. */
  usage(): { readonly bodies: number; readonly bytes: number };
  /** How many were ended, by reason. */
  evictedCounts(): ReadonlyMap<string, number>;
  close(): void;
}

/** Of connections that had a request before, forms hold at most this part: there each takes several times the memory. */
const LATER_SHARE = 1 / 4;
/** What a connection in the middle of a request takes beside the body. @source decision 475 */
export const BODY_OVERHEAD_BYTES = 16_384;
const LOOK_MS = 1000;
const RETRY_S = 1;

interface Queue {
  /** Oldest first. */
  readonly waiting: Set<Waiting>;
  readonly bytes_max: number;
  bytes: number;
}

interface Waiting {
  readonly holding: ReservationRequest;
  readonly queue: Queue;
  readonly since_ms: number;
  /** The memory that is counted for it. */
  held: number;
  received: number;
}

/**
 * A bounded memory. When it is full, the stranger who has been sending for longest gives way to the one who comes:
 * whoever sends at a usual pace is done before that. Whoever names a key and a token that exist gives way only to others
 * who do.
 */
export function requestMemory(limits: RequestMemoryLimits): RequestMemory {
  const { bytes_max, owner_share } = limits;
  const charged = new Map<string, number>();
  const queueOf = (bytes_max: number): Queue => ({ waiting: new Set(), bytes_max, bytes: 0 });
  const queues = { first: queueOf(bytes_max), later: queueOf(bytes_max * LATER_SHARE), known: queueOf(bytes_max) };
  const ended = new Map<string, number>();
  let bytes = 0;
  let bodies = 0;

  const count = (waiting: Waiting, held: number): void => {
    const more = held - waiting.held;
    waiting.held = held;
    waiting.queue.bytes += more;
    bytes += more;
    const { owner } = waiting.holding;
    if (owner === undefined) return;
    const of = (charged.get(owner) ?? 0) + more;
    if (of > 0) charged.set(owner, of);
    else charged.delete(owner);
  };
  const forget = (waiting: Waiting): void => {
    if (!waiting.queue.waiting.delete(waiting)) return;
    if (waiting.holding.part === 'body') bodies -= 1;
    count(waiting, 0);
  };
  const end = (waiting: Waiting, reason: string, failure: Problem): void => {
    forget(waiting);
    ended.set(reason, (ended.get(reason) ?? 0) + 1);
    waiting.holding.evict(failure);
  };
  const oldestStranger = (): Waiting | undefined => {
    const [[first], [later]] = [queues.first.waiting, queues.later.waiting];
    return first && later ? (first.since_ms < later.since_ms ? first : later) : (first ?? later);
  };
  const giveWay = (waiting: Waiting): void =>
    end(waiting, 'memory', refusal('UNAVAILABLE', 'too many incomplete requests'));
  /** Ends what is beyond the bounds. */
  const settle = (waiting: Waiting): void => {
    const { queue, holding } = waiting;
    const isKnown = queue === queues.known;
    // Whoever is known may send one large body, and is counted by other limits.
    const { owner } = holding;
    if (owner !== undefined && !isKnown && charged.get(owner)! > Math.max(bytes_max * owner_share, waiting.held)) {
      end(waiting, 'address', refusal('RATE_LIMITED', 'too many incomplete requests of one sender'));
      return;
    }
    for (const oldest of queue.waiting) {
      if (queue.bytes <= queue.bytes_max) break;
      giveWay(oldest);
    }
    while (bytes > bytes_max) {
      const [oldestKnown] = isKnown ? queues.known.waiting : [];
      const oldest = oldestStranger() ?? oldestKnown;
      if (!oldest) return;
      giveWay(oldest);
    }
  };
  const isSlow = ({ holding, since_ms, received }: Waiting, now_ms: number): boolean => {
    const passed_s = (now_ms - since_ms) / 1000;
    if (holding.part === 'head') return passed_s > limits.request_head_timeout_s;
    const counted_s = passed_s - limits.request_grace_s;
    return counted_s > 0 && received < counted_s * limits.request_bytes_per_s_min;
  };
  const endSlow = (): void => {
    const now_ms = elapsed_ms();
    for (const waiting of Object.values(queues).flatMap((queue) => [...queue.waiting])) {
      if (!isSlow(waiting, now_ms)) continue;
      end(
        waiting,
        'slow',
        new Problem([{ problem: 'REQUEST_TOO_SLOW' }], { because: 'the request arrived too slowly' }),
      );
    }
  };
  const stopLooking = every(LOOK_MS, endSlow);

  return {
    reserve(holding) {
      const { overhead_bytes } = holding;
      const queue = queues[holding.priority];
      const waiting: Waiting = { holding, queue, since_ms: elapsed_ms(), held: 0, received: 0 };
      queue.waiting.add(waiting);
      if (holding.part === 'body') bodies += 1;
      count(waiting, overhead_bytes);
      settle(waiting);
      return {
        update(received, held) {
          if (waiting.held === 0) return;
          waiting.received = received;
          if (overhead_bytes + held === waiting.held) return;
          count(waiting, overhead_bytes + held);
          settle(waiting);
        },
        release: () => forget(waiting),
      };
    },
    evictOldest() {
      const oldest = oldestStranger();
      if (oldest) giveWay(oldest);
      return oldest !== undefined;
    },
    usage: () => ({ bodies, bytes }),
    evictedCounts: () => ended,
    close: stopLooking,
  };
}

function refusal(problem: 'RATE_LIMITED' | 'UNAVAILABLE', because: string): Problem {
  return new Problem([{ problem }], { because, retryAfter_s: RETRY_S });
}

/** Reads a body that is held in a memory until it is whole; rejects with what ends it there. */
export async function readReserved<Body>(
  memory: RequestMemory,
  holding: Omit<ReservationRequest, 'part' | 'evict'>,
  read: (watch: BodyReadObserver) => Promise<Body>,
): Promise<Body> {
  let held: Reservation | undefined;
  try {
    return await read({
      onStart(end) {
        held = memory.reserve({ ...holding, part: 'body', evict: end });
      },
      onProgress: (received, bytes) => held?.update(received, bytes),
    });
  } finally {
    held?.release();
  }
}
