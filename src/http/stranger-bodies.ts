import type { IncomingMessage } from 'node:http';
import { addressBlock } from '../base/address-block.ts';
import { readBody } from './body.ts';
import type { FirstRequests } from './first-requests.ts';
import { BODY_OVERHEAD_BYTES, type RequestMemory, readHeld } from './request-memory.ts';

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
}

/** Reads bodies within the memory for unauthenticated requests. */
export function strangerBodies(
  bytes_max: number,
  memory: RequestMemory,
  { failureOf }: Pick<FirstRequests, 'failureOf'>,
): StrangerBodies {
  return {
    bytes_max,
    async read(request, { address, max, isKnown }) {
      const failure = failureOf(request.socket);
      if (failure) throw failure;
      const holding = {
        from: isKnown ? 'known' : 'later',
        by: addressBlock(address),
        overhead_bytes: BODY_OVERHEAD_BYTES,
      } as const;
      return readHeld(memory, holding, (watch) => readBody(request, max, watch));
    },
  };
}
