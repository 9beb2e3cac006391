import type { Parameter } from '../../features/auth/oauth1/parsed-request.ts';
import type { NamedMistake } from './mistakes.ts';

/** By what timestamps are judged, in Unix seconds and seconds. */
export interface TimeRules {
  readonly now_s: number;
  /** The same by the wall clock, which timestamps may be of too; `now_s` if omitted. */
  readonly wallNow_s?: number;
  readonly window_s: number;
  /** Unix seconds: requests signed earlier are refused, because the service was restored then. 0 when it never was. */
  readonly notBefore_s?: number;
}

/** What is wrong with the protocol parameters of a request, whatever its signature. @source authentication gaps 1.3 */
export function protocolMistakes(
  parameters: readonly Parameter[],
  { now_s, wallNow_s = now_s, window_s, notBefore_s = 0 }: TimeRules,
): NamedMistake[] {
  const value = (name: string): string | undefined => parameters.find((each) => each.name === name)?.value;
  const mistakes: NamedMistake[] = [];
  const add = (name: string, text: string, remedy: string): void => void mistakes.push({ name, text, remedy });
  const method = value('oauth_signature_method');
  if (method !== undefined && method !== 'HMAC-SHA1') {
    add('other-signature-method', `oauth_signature_method is ${method}.`, 'Sign with HMAC-SHA1 and say so.');
  }
  const version = value('oauth_version');
  if (version !== undefined && version !== '1.0') {
    add('other-version', `oauth_version is ${version || 'empty'}.`, 'Send oauth_version=1.0, or leave it out.');
  }
  for (const name of ['oauth_consumer_key', 'oauth_nonce', 'oauth_timestamp', 'oauth_signature_method']) {
    if (value(name) === undefined) add('parameter-missing', `${name} is missing.`, `Send and sign ${name}.`);
  }
  const timestamp = value('oauth_timestamp');
  if (timestamp === undefined) return mistakes;
  const skews_s = [now_s, wallNow_s].map((each) => Number(timestamp) - each);
  const skew_s = Math.abs(skews_s[0]!) <= Math.abs(skews_s[1]!) ? skews_s[0]! : skews_s[1]!;
  if (/^\d{13}$/.test(timestamp)) {
    add('timestamp-in-milliseconds', 'The timestamp is in milliseconds.', 'Send whole seconds since 1970.');
  } else if (!/^[1-9]\d{0,9}$/.test(timestamp)) {
    add('timestamp-not-seconds', 'The timestamp is not a number of whole seconds.', 'Send whole seconds since 1970.');
  } else if (Math.abs(skew_s) > window_s) {
    const by = `${Math.abs(skew_s)} s ${skew_s < 0 ? 'behind' : 'ahead of'} the clock of the server`;
    add(
      'timestamp-out-of-bounds',
      `The timestamp is ${by}.`,
      'Set the clock of the client, and sign each request anew.',
    );
  } else if (Number(timestamp) < notBefore_s) {
    mistakes.push(SIGNED_BEFORE_RESTORE);
  }
  return mistakes;
}

/** The nonces that were used before a restore are not known any more. */
export const SIGNED_BEFORE_RESTORE: NamedMistake = {
  name: 'signed-before-restore',
  text: 'The request was signed before the service was restored from a backup.',
  remedy: 'Sign the request anew, with the present time.',
};
