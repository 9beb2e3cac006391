import type { IncomingMessage } from 'node:http';
import { type FirstRequests, firstRequests } from './first-requests.ts';
import { type RequestMemory, type RequestMemoryLimits, requestMemory } from './request-memory.ts';
import { type StrangerBodies, strangerBodies } from './stranger-bodies.ts';
import { callerOf } from './unread.ts';

/** The settings of what requests may cost while they arrive. */
export interface ArrivingLimits extends Omit<RequestMemoryLimits, 'bytes_max' | 'share'> {
  readonly unauthenticated_body_bytes_max: number;
  readonly unauthenticated_bytes_max: number;
  readonly authenticated_bytes_max: number;
}

/** What holds requests until they are complete. */
export interface Arriving {
  readonly strangerMemory: RequestMemory;
  readonly callerMemory: RequestMemory;
  readonly firstRequests: FirstRequests;
  readonly strangers: StrangerBodies;
  close(): void;
}

/** One address holds at most this part of the memory of strangers. */
const ADDRESS_SHARE = 1 / 16;
/** One user or application holds at most this part of the memory of callers, who may send much more at a time. */
const CALLER_SHARE = 1 / 2;

/** Opens the memories of requests that are arriving, for all listeners. */
export function arrivingRequests(
  limits: ArrivingLimits,
  address: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string,
): Arriving {
  const { unauthenticated_body_bytes_max: form_bytes_max } = limits;
  const strangerMemory = requestMemory({
    ...limits,
    bytes_max: limits.unauthenticated_bytes_max,
    share: ADDRESS_SHARE,
  });
  const callerMemory = requestMemory({ ...limits, bytes_max: limits.authenticated_bytes_max, share: CALLER_SHARE });
  const first = firstRequests(strangerMemory, form_bytes_max, (socket, head) => callerOf({ address }, socket, head));
  return {
    strangerMemory,
    callerMemory,
    firstRequests: first,
    strangers: strangerBodies(form_bytes_max, strangerMemory, first),
    close() {
      strangerMemory.close();
      callerMemory.close();
    },
  };
}
