import type { IncomingMessage } from 'node:http';
import { type FirstRequestBuffer, firstRequestBuffer } from './first-request-buffer.ts';
import { RequestMemory, type RequestMemoryLimits } from './request-memory.ts';
import { type UnauthenticatedBodies, unauthenticatedBodies } from './unauthenticated-bodies.ts';
import { addressFromBytes } from './unparsed-requests.ts';

/** The settings that limit the cost of requests while they arrive. */
export interface RequestBufferLimits extends Omit<RequestMemoryLimits, 'bytes_max' | 'owner_share'> {
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
 * The share of the memory for authenticated callers that one user or application may hold; they may send much more at a
 * time.
 * @source decision 623
 */
const CALLER_SHARE = 1 / 2;

/** Opens the memories for arriving requests, shared by all listeners. */
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
