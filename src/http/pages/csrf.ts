import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Whether a page of this server sent a form in the same browser: the form token is that of the session, and the headers name
 * no other origin.
 */
export function isFromOwnPage(
  request: IncomingMessage,
  origins: readonly string[],
  tokens: { readonly input: string | undefined; readonly own: string; readonly isKept: boolean },
): boolean {
  return isFromOwnOrigin(request, origins) && tokens.isKept && isEqual(tokens.input ?? '', tokens.own);
}

/**
 * Whether the headers of a form name no other origin. Browsers send `Origin: null` from pages without a referrer.
 * @source authentication 15.2; decision 76
 */
export function isFromOwnOrigin({ headers }: IncomingMessage, origins: readonly string[]): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  return (
    (origin === undefined || origin === 'null' || origins.includes(origin)) &&
    (site === undefined || site === 'same-origin' || site === 'none')
  );
}

/** Compares two texts in constant time. */
function isEqual(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
