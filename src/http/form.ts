import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { SignedParts } from '../contract/declare/callers.ts';
import type { Operation } from '../contract/declare/operation.ts';
import { problem } from '../contract/problems/problems.ts';
import type { Exchange, PipelineParts } from './exchange.ts';

/** Whether a request says that its body is a form. */
export function isForm(request: IncomingMessage): boolean {
  const type = request.headers['content-type'];
  return type !== undefined && /^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
}

/**
 * A form body is part of what is signed, so it is read before the signature is checked. Others wait. Until then nobody
 * knows who sends it: it may be large only where a key and a token are named that exist.
 */
export async function formBody(parts: PipelineParts, exchange: Exchange): Promise<string> {
  const { request } = exchange;
  const { strangers, authenticator, body_bytes_max } = parts;
  const announced = request.headers['content-length'];
  const usual = Math.min(strangers.bytes_max, body_bytes_max);
  const { operation } = exchange;
  const mayBeLarge = (announced === undefined || Number(announced) > usual) && Number(announced ?? 0) <= body_bytes_max;
  const isKnown = mayBeLarge && isSignedByUser(operation) && (await authenticator.knows(signedPartsOf(request)));
  try {
    const address = parts.address(request);
    const bytes = await strangers.read(request, { address, max: isKnown ? body_bytes_max : usual, isKnown });
    // Decoding that repairs would make one text of different bytes, and all of them were signed.
    if (!isUtf8(bytes)) throw problem('CREDENTIAL_UNUSABLE', {}, 'the form is not UTF-8');
    return bytes.toString();
  } catch (error) {
    // Nobody waits for the rest of it.
    exchange.isCut = !request.complete;
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
