import { createFifo, type Fifo } from '../base/arrivals.ts';
import { elapsed_ms, every } from '../base/timers.ts';
import { Problem } from '../contract/problems/problems.ts';
import type { BodyReadObserver } from './read-body.ts';

/** Limits on the cost of incomplete requests. */
export interface RequestMemoryLimits {
  /** The total memory of incomplete requests, including that of their connections. */
  readonly bytes_max: number;
  /** The share of it that one address or caller may use. */
  readonly owner_share: number;
  /** How long the head of a request may take. @source decision 476 */
  readonly request_head_timeout_s: number;
  /** The minimum rate of a body after the grace period. @source decision 476 */
  readonly request_bytes_per_s_min: number;
  readonly request_grace_s: number;
}

/** Memory reserved for a request that has not arrived completely. */
export interface Reservation {
  /** Reports the bytes received so far, and the size of the memory that holds them. */
  update(received: number, held_bytes: number): void;
  /** Releases the memory; may be called again. */
  release(): void;
}

/** A request for memory. */
export interface ReservationRequest {
  readonly stage: 'head' | 'body';
  /**
   * Whether it is the first request of its connection, which takes less memory, a later one, or one that names an existing
   * key and token, which is evicted last.
   */
  readonly priority: 'first' | 'later' | 'known';
  /** The address block or caller that is charged; undefined if other limits count it. */
  readonly owner?: string | undefined;
  /** The memory of connection and objects, beside the bytes of the request. */
  readonly overhead_bytes: number;
  /** Called at most once, when the request is evicted; its memory is already released by then. */
  evict(failure: Problem): void;
}

/**
 * The share for forms on reused connections, where each takes several times the memory.
 * @source decision 622
 */
const LATER_SHARE = 1 / 4;
/** The memory of a connection in the middle of a request, beside the body. @source decision 475 */
export const BODY_OVERHEAD_BYTES = 16_384;
const LOOK_MS = 1000;
const RETRY_S = 1;

interface Queue {
  readonly waiting: Fifo<Waiting>;
  readonly bytes_max: number;
  bytes: number;
}

interface Waiting {
  readonly holding: ReservationRequest;
  readonly queue: Queue;
  readonly since_ms: number;
  /** The memory counted for it, in bytes. */
  held_bytes: number;
  received: number;
  /** Whether it was slow at the last look. */
  isLate: boolean;
  /** Takes it out of its queue. */
  leave(): boolean;
}

/**
 * The bounded memory of incomplete requests. When it is full, a new request evicts the oldest one of an unknown sender; at
 * the usual pace a request is complete before that. Senders that name an existing key and token are evicted only for others
 * that do.
 * @source decision 474
 */
export class RequestMemory {
  readonly #limits: RequestMemoryLimits;
  readonly #queues: Readonly<Record<ReservationRequest['priority'], Queue>>;
  /** Bytes by owner. */
  readonly #charged = new Map<string, number>();
  readonly #evicted = new Map<string, number>();
  readonly #stopLooking: () => void;
  #bytes = 0;
  #bodies = 0;

  constructor(limits: RequestMemoryLimits) {
    this.#limits = limits;
    const { bytes_max } = limits;
    const queueOf = (bytes_max: number): Queue => ({ waiting: createFifo(), bytes_max, bytes: 0 });
    this.#queues = { first: queueOf(bytes_max), later: queueOf(bytes_max * LATER_SHARE), known: queueOf(bytes_max) };
    this.#stopLooking = every(LOOK_MS, () => this.#evictSlow());
  }

  reserve(holding: ReservationRequest): Reservation {
    const { overhead_bytes } = holding;
    const queue = this.#queues[holding.priority];
    const since_ms = elapsed_ms();
    const waiting: Waiting = {
      holding,
      queue,
      since_ms,
      held_bytes: 0,
      received: 0,
      isLate: false,
      leave: () => false,
    };
    waiting.leave = queue.waiting.add(waiting);
    if (holding.stage === 'body') this.#bodies += 1;
    this.#count(waiting, overhead_bytes);
    this.#enforceLimits(waiting);
    return {
      update: (received, held_bytes) => {
        if (waiting.held_bytes === 0) return;
        waiting.received = received;
        if (overhead_bytes + held_bytes === waiting.held_bytes) return;
        this.#count(waiting, overhead_bytes + held_bytes);
        this.#enforceLimits(waiting);
      },
      release: () => this.#forget(waiting),
    };
  }

  /** Evicts the oldest request of an unknown sender; false if there is none. */
  evictOldest(): boolean {
    const oldest = this.#oldestUnknown();
    if (oldest) this.#giveWay(oldest);
    return oldest !== undefined;
  }

  /** The number of incomplete bodies, and the memory of incomplete bodies and heads. */
  usage(): { readonly bodies: number; readonly bytes: number } {
    return { bodies: this.#bodies, bytes: this.#bytes };
  }

  /** The number of evicted requests, by reason. */
  evictedCounts(): ReadonlyMap<string, number> {
    return this.#evicted;
  }

  close(): void {
    this.#stopLooking();
  }

  #count(waiting: Waiting, held_bytes: number): void {
    const more = held_bytes - waiting.held_bytes;
    waiting.held_bytes = held_bytes;
    waiting.queue.bytes += more;
    this.#bytes += more;
    const { owner } = waiting.holding;
    if (owner === undefined) return;
    const of = (this.#charged.get(owner) ?? 0) + more;
    if (of > 0) this.#charged.set(owner, of);
    else this.#charged.delete(owner);
  }

  #forget(waiting: Waiting): void {
    if (!waiting.leave()) return;
    if (waiting.holding.stage === 'body') this.#bodies -= 1;
    this.#count(waiting, 0);
  }

  #evict(waiting: Waiting, reason: string, failure: Problem): void {
    this.#forget(waiting);
    this.#evicted.set(reason, (this.#evicted.get(reason) ?? 0) + 1);
    waiting.holding.evict(failure);
  }

  #giveWay(waiting: Waiting): void {
    this.#evict(waiting, 'memory', refusal('UNAVAILABLE', 'too many incomplete requests'));
  }

  #oldestUnknown(): Waiting | undefined {
    const [first, later] = [this.#queues.first.waiting.oldest(), this.#queues.later.waiting.oldest()];
    return first && later ? (first.since_ms < later.since_ms ? first : later) : (first ?? later);
  }

  /** Evicts requests until the limits hold. */
  #enforceLimits(waiting: Waiting): void {
    const { bytes_max, owner_share } = this.#limits;
    const { queue, holding } = waiting;
    const { known } = this.#queues;
    const { owner } = holding;
    // A known sender may send one large body, and is subject to other limits.
    if (
      owner !== undefined &&
      queue !== known &&
      this.#charged.get(owner)! > Math.max(bytes_max * owner_share, waiting.held_bytes)
    ) {
      this.#evict(waiting, 'address', refusal('RATE_LIMITED', 'too many incomplete requests of one sender'));
      return;
    }
    for (const oldest of queue.waiting) {
      if (queue.bytes <= queue.bytes_max) break;
      this.#giveWay(oldest);
    }
    while (this.#bytes > bytes_max) {
      const oldest = this.#oldestUnknown() ?? (queue === known ? known.waiting.oldest() : undefined);
      if (!oldest) return;
      this.#giveWay(oldest);
    }
  }

  #isSlow({ holding, since_ms, received }: Waiting, now_ms: number): boolean {
    const { request_head_timeout_s, request_grace_s, request_bytes_per_s_min } = this.#limits;
    const passed_s = (now_ms - since_ms) / 1000;
    if (holding.stage === 'head') return passed_s > request_head_timeout_s;
    const counted_s = passed_s - request_grace_s;
    return counted_s > 0 && received < counted_s * request_bytes_per_s_min;
  }

  #evictSlow(): void {
    const now_ms = elapsed_ms();
    for (const waiting of Object.values(this.#queues).flatMap((queue) => [...queue.waiting])) {
      const wasLate = waiting.isLate;
      waiting.isLate = this.#isSlow(waiting, now_ms);
      // A process that stood still has not yet read what arrived meanwhile.
      if (!wasLate || !waiting.isLate) continue;
      const failure = new Problem([{ problem: 'REQUEST_TOO_SLOW' }], { because: 'the request arrived too slowly' });
      this.#evict(waiting, 'slow', failure);
    }
  }
}

function refusal(problem: 'RATE_LIMITED' | 'UNAVAILABLE', because: string): Problem {
  return new Problem([{ problem }], { because, retryAfter_s: RETRY_S });
}

/** Reads a body within a memory; rejects with the problem that evicts it. */
export async function readWithinMemory<Body>(
  memory: RequestMemory,
  holding: Omit<ReservationRequest, 'stage' | 'evict'>,
  read: (watch: BodyReadObserver) => Promise<Body>,
): Promise<Body> {
  let reservation: Reservation | undefined;
  try {
    return await read({
      onStart(end) {
        reservation = memory.reserve({ ...holding, stage: 'body', evict: end });
      },
      onProgress: (received, bytes) => reservation?.update(received, bytes),
    });
  } finally {
    reservation?.release();
  }
}
