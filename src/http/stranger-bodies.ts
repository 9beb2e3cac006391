import type { IncomingMessage } from 'node:http';
import { addressBlock } from '../base/address-block.ts';
import { elapsed_ms, every } from '../base/timers.ts';
import { Problem } from '../contract/problems.ts';
import { readBody } from './body.ts';

/** What callers may cost of whom nothing is known yet. */
export interface StrangerLimits {
  /** How large a body may be that is read before its sender is known. */
  readonly unauthenticated_body_bytes_max: number;
  /** How much memory all of them may hold together, with what their connections take. */
  readonly unauthenticated_bytes_max: number;
  /** How slowly a body may come, once the time of grace is over. */
  readonly request_bytes_per_s_min: number;
  readonly request_grace_s: number;
}

/** Reads bodies of callers who are not authenticated: forms, whose signature covers them. */
export interface StrangerBodies {
  /**
   * Reads a body of at most `max` bytes. Rejects with BODY_TOO_LARGE; with REQUEST_TOO_SLOW when it comes too slowly; with
   * RATE_LIMITED when its address holds its share of the memory; with UNAVAILABLE when others need the memory.
   * @param isKnown the request names a key and a token that exist, so that others give way first.
   */
  read(request: IncomingMessage, of: { address: string; max: number; isKnown: boolean }): Promise<Buffer>;
  /** How large a body may be whose sender is not known at all. */
  readonly bytes_max: number;
  /** What is being read at the moment: bodies, and the memory that they count for. */
  load(): { readonly bodies: number; readonly bytes: number };
  /** How many were ended, by reason. */
  ended(): ReadonlyMap<string, number>;
  close(): void;
}

/** What a connection in the middle of a request is reckoned to take beside the body. */
const CONNECTION_BYTES = 16_384;
/** One address holds at most this part of the memory. */
const SHARE = 1 / 16;
const LOOK_MS = 1000;

interface Waiting {
  readonly block: string;
  readonly since_ms: number;
  /** The memory that is counted for it. */
  held: number;
  received: number;
  end(failure: Problem): void;
}

/**
 * Bodies in a bounded memory. When it is full, the stranger who has been sending for longest gives way to the one who
 * comes: whoever sends at a usual pace is done before that. Who names a key and a token that exist gives way to nobody but
 * others who do.
 */
export function strangerBodies(limits: StrangerLimits): StrangerBodies {
  const max_bytes = limits.unauthenticated_bytes_max;
  const byBlock = new Map<string, number>();
  const [strangers, known] = [new Set<Waiting>(), new Set<Waiting>()];
  const ended = new Map<string, number>();
  let bytes = 0;

  const count = (waiting: Waiting, held: number): void => {
    const more = held - waiting.held;
    waiting.held = held;
    bytes += more;
    const of = (byBlock.get(waiting.block) ?? 0) + more;
    if (of > 0) byBlock.set(waiting.block, of);
    else byBlock.delete(waiting.block);
  };
  const forget = (waiting: Waiting): void => {
    strangers.delete(waiting);
    known.delete(waiting);
    count(waiting, 0);
  };
  const end = (waiting: Waiting, reason: string, failure: Problem): void => {
    forget(waiting);
    ended.set(reason, (ended.get(reason) ?? 0) + 1);
    waiting.end(failure);
  };
  /** Ends what is beyond the bounds. */
  const settle = (waiting: Waiting, isKnown: boolean): void => {
    // Who is known may send one large body, and is counted by other limits.
    if (!isKnown && byBlock.get(waiting.block)! > Math.max(max_bytes * SHARE, waiting.held)) {
      end(waiting, 'address', refusal('RATE_LIMITED', 'one address sends too many forms at a time'));
      return;
    }
    while (bytes > max_bytes) {
      const [oldest] = strangers.size > 0 || !isKnown ? strangers : known;
      if (!oldest) return;
      end(oldest, 'memory', refusal('UNAVAILABLE', 'too many forms are under way'));
      if (oldest === waiting) return;
    }
  };
  const endSlow = (): void => {
    const now_ms = elapsed_ms();
    for (const waiting of [...strangers, ...known]) {
      const counted_s = (now_ms - waiting.since_ms) / 1000 - limits.request_grace_s;
      if (counted_s <= 0) continue;
      if (waiting.received < counted_s * limits.request_bytes_per_s_min) {
        end(waiting, 'slow', new Problem([{ problem: 'REQUEST_TOO_SLOW' }], { because: 'the form came too slowly' }));
      }
    }
  };
  const stopLooking = every(LOOK_MS, endSlow);

  return {
    bytes_max: limits.unauthenticated_body_bytes_max,
    async read(request, { address, max, isKnown }) {
      const waiting: Waiting = {
        block: addressBlock(address),
        since_ms: elapsed_ms(),
        held: 0,
        received: 0,
        end: () => {},
      };
      try {
        return await readBody(request, max, {
          begin(fail) {
            waiting.end = fail;
            (isKnown ? known : strangers).add(waiting);
            count(waiting, CONNECTION_BYTES);
            settle(waiting, isKnown);
          },
          grew(received, held) {
            waiting.received = received;
            if (CONNECTION_BYTES + held === waiting.held) return;
            count(waiting, CONNECTION_BYTES + held);
            settle(waiting, isKnown);
          },
        });
      } finally {
        forget(waiting);
      }
    },
    load: () => ({ bodies: strangers.size + known.size, bytes }),
    ended: () => ended,
    close: stopLooking,
  };
}

const RETRY_S = 1;

function refusal(problem: 'RATE_LIMITED' | 'UNAVAILABLE', because: string): Problem {
  return new Problem([{ problem }], { because, retryAfter_s: RETRY_S });
}
