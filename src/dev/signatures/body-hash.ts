import { createHash } from 'node:crypto';
import type { Parameter } from '../../features/auth/oauth1/parsed-request.ts';
import type { NamedMistake } from './mistakes.ts';
import { isForm, type SentRequest } from './sent-request.ts';

/**
 * What is wrong with `oauth_body_hash`: the base64 of the SHA-1 of a body that is not a form.
 * @source authentication gaps 2.7
 */
export function bodyHashMistakes(sent: SentRequest, parameters: readonly Parameter[]): readonly NamedMistake[] {
  const hash = parameters.find(({ name }) => name === 'oauth_body_hash')?.value;
  if (hash === undefined) return [];
  if (isForm(sent)) return [HASH_OF_FORM];
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

const HASH_OF_FORM: NamedMistake = {
  name: 'body-hash-with-form',
  text: 'oauth_body_hash was sent with a form, whose fields are signed anyway.',
  remedy: 'Leave oauth_body_hash out when the body is of type application/x-www-form-urlencoded.',
};
