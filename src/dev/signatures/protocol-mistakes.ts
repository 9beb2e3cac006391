import { createHash } from 'node:crypto';
import type { Parameter } from '../../features/auth/oauth1/parsed-request.ts';
import type { NamedMistake } from './mistakes.ts';
import { mistakeNamed } from './named-mistakes.ts';
import { isForm, type SentRequest } from './sent-request.ts';

/** By what timestamps are judged, in Unix seconds and seconds. */
export interface TimeRules {
  readonly now_s: number;
  /** The same by the wall clock, which timestamps may be of too; `now_s` if omitted. */
  readonly wallNow_s?: number;
  readonly window_s: number;
  /** Unix seconds: requests signed earlier are refused, because the service was restored then. 0 when it never was. */
  readonly notBefore_s?: number;
}

/** The mistakes in the protocol parameters of a request, whatever its signature. @source authentication 1.3 */
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
    mistakes.push(mistakeNamed('signed-before-restore'));
  }
  return mistakes;
}

/**
 * The mistakes in `oauth_body_hash`: the base64 of the SHA-1 of a body that is not a form.
 * @source authentication 2.7
 */
export function bodyHashMistakes(sent: SentRequest, parameters: readonly Parameter[]): readonly NamedMistake[] {
  const hash = parameters.find(({ name }) => name === 'oauth_body_hash')?.value;
  if (hash === undefined) return [];
  if (isForm(sent)) return [mistakeNamed('body-hash-with-form')];
  const { body = '' } = sent;
  // Bytes that are no text were replaced when the body was read.
  if (sent.isBodyCut || body.includes('\ufffd')) return [];
  const digest = (algorithm: string, text = body): Buffer => createHash(algorithm).update(text).digest();
  const right = digest('sha1');
  if (hash === right.toString('base64')) return [];
  const others: readonly (readonly [value: string, text: string])[] = [
    [digest('sha1', '').toString('base64'), 'oauth_body_hash is that of an empty body.'],
    [right.toString('hex'), 'oauth_body_hash is written as hex.'],
    [right.toString('base64url'), 'oauth_body_hash is written as base64url.'],
    [Buffer.from(right.toString('hex')).toString('base64'), 'oauth_body_hash is the base64 of hex.'],
    [digest('sha256').toString('base64'), 'oauth_body_hash was made by SHA-256.'],
    [digest('sha1', `${body}\n`).toString('base64'), 'oauth_body_hash is that of the body and a line break.'],
    [
      digest('sha1', body.trim()).toString('base64'),
      'oauth_body_hash is that of the body without the space around it.',
    ],
  ];
  const text =
    others.find(([value]) => value === hash)?.[1] ?? 'oauth_body_hash is not that of the body that was sent.';
  return [{ name: 'body-hash-wrong', text, remedy: REMEDY }];
}

const REMEDY = 'Send the base64 of the SHA-1 of exactly the bytes that are sent, or leave oauth_body_hash out.';
