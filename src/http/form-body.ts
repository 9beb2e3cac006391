import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { SignedParts } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { problem } from '../contract/problems/problems.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';

/** Whether the content type of a request is a form. */
export function hasFormBody(request: IncomingMessage): boolean {
  const type = request.headers['content-type'];
  return type !== undefined && /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
}

/**
 * Reads a form before the signature is checked, because the signature covers it; other bodies are read later. The caller is
 * still unauthenticated, so the form may be large only if the request names an existing key and token.
 * @source decision 65, 473, 624
 */
export async function readFormBody(deps: PipelineDependencies, exchange: Exchange): Promise<string> {
  const { request } = exchange;
  const { unauthenticatedBodies, userAuthenticator, body_bytes_max } = deps;
  const announced = request.headers['content-length'];
  const usual = Math.min(unauthenticatedBodies.bytes_max, body_bytes_max);
  const { operation } = exchange;
  const isTooLarge = Number(announced ?? 0) > body_bytes_max;
  const mayBeLarge = (announced === undefined || Number(announced) > usual) && !isTooLarge;
  const isKnown =
    mayBeLarge && isSignedByUser(operation) && (await userAuthenticator.isTokenInUse(signedPartsOf(request)));
  try {
    const address = deps.addressOf(request);
    const bytes = await unauthenticatedBodies.read(request, {
      address,
      // A body beyond the general limit is refused with that limit.
      max: isKnown || isTooLarge ? body_bytes_max : usual,
      isKnown,
    });
    // Lenient decoding would map different bytes to the same text, and the signature covers the bytes.
    if (!isUtf8(bytes)) throw problem('CREDENTIAL_UNUSABLE', {}, 'the form is not UTF-8');
    return bytes.toString();
  } catch (error) {
    // The rest of the body is not read.
    exchange.closesConnection = !request.complete;
    throw error;
  }
}

/** Whether requests of an operation may carry an access token in their signature. */
function isSignedByUser({ credential = 'user' }: Operation): boolean {
  return credential === 'user' || credential === 'user-or-bearer' || credential === 'owner-or-basic';
}

/** The parts of a request that its signature covers. */
export function signedPartsOf(request: IncomingMessage, form?: string): SignedParts {
  return { method: request.method!, target: request.url!, authorization: request.headers.authorization, form };
}
