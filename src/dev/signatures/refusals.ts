import { identityMistakes } from './identity-mistakes.ts';
import type { NamedMistake } from './mistakes.ts';
import { SIGNED_BEFORE_RESTORE } from './protocol-mistakes.ts';

/** The refusals whose reasons are not in the request itself, by the words of the log. */
const REFUSALS: readonly (readonly [because: RegExp, mistake: NamedMistake])[] = [
  [
    /^nonce used before$/,
    {
      name: 'nonce-used-twice',
      text: 'The nonce of this request was used before: the same request was sent twice.',
      remedy: 'Make a new nonce and a new timestamp for each request, also when one is sent again.',
    },
  ],
  [
    /^the clock was set back/,
    {
      name: 'nonce-forgotten',
      text: 'The clock of the service was set back, and it no longer knows which nonces of this second were used.',
      remedy: 'Sign the request with a later timestamp.',
    },
  ],
  [/^signed before the service was restored/, SIGNED_BEFORE_RESTORE],
  [
    /^more than one Authorization header$/,
    {
      name: 'authorization-repeated',
      text: 'The request has more than one Authorization header.',
      remedy: 'Send one: a default of the HTTP client may have added another.',
    },
  ],
  [
    /^too many wrong secrets$/,
    {
      name: 'too-many-wrong-secrets',
      text: 'Too many wrong secrets were sent for this key, so that even the right one is refused for a while.',
      remedy: 'Wait as long as retry-after says.',
    },
  ],
  [/^revoked token$/, identityMistakes.revokedToken],
  [/^suspended application$/, identityMistakes.suspendedApplication],
  [/^suspended user$/, identityMistakes.suspendedUser],
  [/^locked user$/, identityMistakes.lockedUser],
];

/**
 * The mistake that a refusal names; undefined where the request itself shows it.
 * @param because why the service refused the request, in the words of its log.
 */
export function refusalMistake(because: string): NamedMistake | undefined {
  return REFUSALS.find(([pattern]) => pattern.test(because))?.[1];
}
