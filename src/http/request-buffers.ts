import type { IncomingMessage } from 'node:http';
import { addressBlock } from '../base/address-block.ts';
import { type FirstRequestBuffer, firstRequestBuffer } from './first-request-buffer.ts';
import { readBody } from './read-body.ts';
import { BODY_OVERHEAD_BYTES, RequestMemory, type RequestMemoryLimits, readWithinMemory } from './request-memory.ts';
import { addressFromBytes } from './unparsed-requests.ts';

/** Settings that limit the cost of incomplete requests. */
interface RequestBufferLimits extends Omit<RequestMemoryLimits, 'bytes_max' | 'owner_share'> {
  readonly unauthenticated_body_bytes_max: number;
  readonly unauthenticated_bytes_max: number;
  readonly authenticated_bytes_max: number;
}

/** The memory and buffers that hold requests until they are complete. */
export interface RequestBuffers {
  readonly unauthenticatedMemory: RequestMemory;
  readonly authenticatedMemory: RequestMemory;
  readonly firstRequestBuffer: FirstRequestBuffer;
  readonly unauthenticatedBodies: UnauthenticatedBodies;
  close(): void;
}

/** The share of the memory for unauthenticated requests that one address may hold. @source decision 474 */
const ADDRESS_SHARE = 1 / 16;
/**
 * The share of the memory for authenticated callers that one user or application may use; their requests are larger.
 * @source decision 623
 */
const CALLER_SHARE = 1 / 2;

/** Creates the memories and buffers for incomplete requests, shared by all listeners. */
export function requestBuffers(
  limits: RequestBufferLimits,
  addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string,
): RequestBuffers {
  const { unauthenticated_body_bytes_max: form_bytes_max } = limits;
  const unauthenticatedMemory = new RequestMemory({
    ...limits,
    bytes_max: limits.unauthenticated_bytes_max,
    owner_share: ADDRESS_SHARE,
  });
  const authenticatedMemory = new RequestMemory({
    ...limits,
    bytes_max: limits.authenticated_bytes_max,
    owner_share: CALLER_SHARE,
  });
  const first = firstRequestBuffer(unauthenticatedMemory, form_bytes_max, (socket, head) =>
    addressFromBytes({ addressOf }, socket, head),
  );
  return {
    unauthenticatedMemory,
    authenticatedMemory,
    firstRequestBuffer: first,
    unauthenticatedBodies: unauthenticatedBodies(form_bytes_max, unauthenticatedMemory, first),
    close() {
      unauthenticatedMemory.close();
      authenticatedMemory.close();
    },
  };
}

/** Reads bodies of unauthenticated callers: forms, because the signature covers them. */
export interface UnauthenticatedBodies {
  /**
   * Reads a body of at most `max` bytes. Rejects with BODY_TOO_LARGE; with REQUEST_TOO_SLOW if it arrives too slowly; with
   * RATE_LIMITED if its address exceeds its share of the memory; with UNAVAILABLE if others need the memory.
   * @param isKnown the request names an existing key and token, so that others are evicted first.
   */
  read(request: IncomingMessage, of: { address: string; max: number; isKnown: boolean }): Promise<Buffer>;
  /** The maximum size of a body whose sender is entirely unknown. @source decision 473 */
  readonly bytes_max: number;
}

/** Reads bodies within the memory for unauthenticated requests. */
function unauthenticatedBodies(
  bytes_max: number,
  memory: RequestMemory,
  { failureOf }: Pick<FirstRequestBuffer, 'failureOf'>,
): UnauthenticatedBodies {
  return {
    bytes_max,
    async read(request, { address, max, isKnown }) {
      const failure = failureOf(request.socket);
      if (failure) throw failure;
      const holding = {
        priority: isKnown ? 'known' : 'later',
        owner: addressBlock(address),
        overhead_bytes: BODY_OVERHEAD_BYTES,
      } as const;
      return readWithinMemory(memory, holding, (watch) => readBody(request, max, watch));
    },
  };
}
