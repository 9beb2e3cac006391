import { encode } from '../../base/percent.ts';
import type { SentParameter } from './signing.ts';

/** Shorter texts are not secrets. */
const SECRET_CHARACTERS = 8;
/** Fields of forms whose values are secrets. */
const SECRET_FIELDS = /secret|password|^(?:access|bearer)_token$/i;

/** The same value with `[secret]` in place of each secret in it, also where one is percent-encoded. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  let text = JSON.stringify(value);
  for (const secret of new Set(secrets)) {
    if (secret.length < SECRET_CHARACTERS) continue;
    for (const form of new Set([secret, encode(secret), encode(encode(secret))])) {
      text = text.replaceAll(JSON.stringify(form).slice(1, -1), '[secret]');
    }
  }
  return JSON.parse(text) as T;
}

/** The values of a request that are secrets by their names, and a signature that is made of secrets. */
export function secretValuesOf(
  parameters: readonly SentParameter[],
  ownNames: (name: string) => readonly string[] = () => [],
): string[] {
  const isDigest = parameters.some(
    ({ name, value }) => name === 'oauth_signature_method' && /^(?:HMAC|RSA)-/.test(value),
  );
  return parameters
    .filter(
      ({ name }) =>
        [name, ...ownNames(name)].some((each) => SECRET_FIELDS.test(each)) || (name === 'oauth_signature' && !isDigest),
    )
    .map(({ value }) => value);
}

/** The Authorization header with its secret part left out. The parameters of OAuth are shown: its secrets are not sent. */
export function redactedHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined || /^\s*oauth(?:\s|$)/i.test(authorization)) return authorization;
  const [, scheme] = /^\s*(bearer|basic|digest|negotiate|hmac|token)\s/i.exec(authorization) ?? [];
  if (scheme !== undefined) return `${scheme} [secret]`;
  return /\boauth_\w+\s*=/.test(authorization) ? authorization : '[secret]';
}
