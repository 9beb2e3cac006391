import type { IncomingMessage } from 'node:http';
import { addressBlock } from '../base/address-block.ts';
import type { FirstRequestBuffer } from './first-request-buffer.ts';
import { readBody } from './read-body.ts';
import { BODY_OVERHEAD_BYTES, type RequestMemory, readReserved } from './request-memory.ts';

/** Reads bodies of callers who are not authenticated: forms, because the signature covers them. */
export interface UnauthenticatedBodies {
  /**
   * Reads a body of at most `max` bytes. Rejects with BODY_TOO_LARGE; with REQUEST_TOO_SLOW when it arrives too slowly;
   * with RATE_LIMITED when its address holds its share of the memory; with UNAVAILABLE when others need the memory.
   * @param isKnown the request names an existing key and token, so that others give way first.
   */
  read(request: IncomingMessage, of: { address: string; max: number; isKnown: boolean }): Promise<Buffer>;
  /** The maximum size of a body whose sender is entirely unknown. @source decision 473 */
  readonly bytes_max: number;
}

/** Reads bodies within the memory for unauthenticated requests. */
export function unauthenticatedBodies(
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
      return readReserved(memory, holding, (watch) => readBody(request, max, watch));
    },
  };
}
