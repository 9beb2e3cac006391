import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { SignedParts } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { problem } from '../contract/problems/problems.ts';
import type { Exchange, PipelineDependencies } from './exchange.ts';

/** Whether a request says that its body is a form. */
export function hasFormBody(request: IncomingMessage): boolean {
  const type = request.headers['content-type'];
  return type !== undefined && /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
}

/**
 * A form body is part of what is signed, so it is read before the signature is checked. Others wait. Until then nobody
 * knows who sends it: it may be large only where a key and a token are named that exist.
 */
export async function readFormBody(deps: PipelineDependencies, exchange: Exchange): Promise<string> {
  const { request } = exchange;
  const { unauthenticatedBodies, authenticator, body_bytes_max } = deps;
  const announced = request.headers['content-length'];
  const usual = Math.min(unauthenticatedBodies.bytes_max, body_bytes_max);
  const { operation } = exchange;
  const mayBeLarge = (announced === undefined || Number(announced) > usual) && Number(announced ?? 0) <= body_bytes_max;
  const isKnown = mayBeLarge && isSignedByUser(operation) && (await authenticator.isTokenInUse(signedPartsOf(request)));
  try {
    const address = deps.addressOf(request);
    const bytes = await unauthenticatedBodies.read(request, {
      address,
      max: isKnown ? body_bytes_max : usual,
      isKnown,
    });
    // Decoding that repairs would make one text of different bytes, and all of them were signed.
    if (!isUtf8(bytes)) throw problem('CREDENTIAL_UNUSABLE', {}, 'the form is not UTF-8');
    return bytes.toString();
  } catch (error) {
    // Nobody waits for the rest of it.
    exchange.closesConnection = !request.complete;
    throw error;
  }
}

/** Whether requests of an operation may name an access token in a signature. */
function isSignedByUser({ credential = 'user' }: Operation): boolean {
  return credential === 'user' || credential === 'user-or-bearer' || credential === 'owner-or-basic';
}

/** What of a request enters the signature. */
export function signedPartsOf(request: IncomingMessage, form?: string): SignedParts {
  return { method: request.method!, target: request.url!, authorization: request.headers.authorization, form };
}
