import type { IncomingMessage } from 'node:http';
import { type FirstRequestBuffer, firstRequestBuffer } from './first-request-buffer.ts';
import { type RequestMemory, type RequestMemoryLimits, requestMemory } from './request-memory.ts';
import { type UnauthenticatedBodies, unauthenticatedBodies } from './unauthenticated-bodies.ts';
import { addressFromBytes } from './unparsed-requests.ts';

/** The settings of what requests may cost while they arrive. */
export interface RequestBufferLimits extends Omit<RequestMemoryLimits, 'bytes_max' | 'owner_share'> {
  readonly unauthenticated_body_bytes_max: number;
  readonly unauthenticated_bytes_max: number;
  readonly authenticated_bytes_max: number;
}

/** What holds requests until they are complete. */
export interface RequestBuffers {
  readonly unauthenticatedMemory: RequestMemory;
  readonly authenticatedMemory: RequestMemory;
  readonly firstRequestBuffer: FirstRequestBuffer;
  readonly unauthenticatedBodies: UnauthenticatedBodies;
  close(): void;
}

/** One address holds at most this part of the memory of strangers. */
const ADDRESS_SHARE = 1 / 16;
/** One user or application holds at most this part of the memory of callers, who may send much more at a time. */
const CALLER_SHARE = 1 / 2;

/** Opens the memories of requests that are arriving, for all listeners. */
export function requestBuffers(
  limits: RequestBufferLimits,
  addressOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string,
): RequestBuffers {
  const { unauthenticated_body_bytes_max: form_bytes_max } = limits;
  const unauthenticatedMemory = requestMemory({
    ...limits,
    bytes_max: limits.unauthenticated_bytes_max,
    owner_share: ADDRESS_SHARE,
  });
  const authenticatedMemory = requestMemory({
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
