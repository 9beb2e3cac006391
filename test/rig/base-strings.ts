import { decode, encode } from '../../src/base/percent.ts';
import { splitTarget } from '../../src/features/auth/oauth1/full-parser.ts';
import type { ParsedRequest } from '../../src/features/auth/oauth1/signature.ts';

/** The base URI of a request: origin and path, no query, no fragment. */
export function baseUri(requestOrigin: string, target: string): string {
  return requestOrigin + splitTarget(target).path;
}

/** The base strings that `verify` tries, in its order. */
export function baseStrings(claim: ParsedRequest, origins: readonly string[]): string[] {
  const tails = [claim.baseStringTail, claim.baseStringTailWithRepeats].filter((tail) => tail !== undefined);
  return origins.flatMap((candidate) => tails.map((tail) => `${claim.method}&${encode(candidate)}${tail}`));
}

/** The normalised parameters of a request, with one copy of each protocol parameter. */
export function normalizedParameters(claim: ParsedRequest): string {
  // No `&` is left in an encoded path.
  return decode(claim.baseStringTail.slice(claim.baseStringTail.indexOf('&') + 1), false) ?? '';
}
