import type { Mistake, MistakeContext } from './mistakes.ts';
import { type Digest, keyOf, type Signing } from './signing.ts';

const withKey = (signing: Signing, ...keys: readonly string[]): Signing[] =>
  [...new Set(keys)].filter((key) => key !== signing.key).map((key) => ({ ...signing, key }));

const withDigest = (signing: Signing, ...digests: readonly Digest[]): Signing[] =>
  digests.map((digest) => ({ ...signing, digest }));

/** Keys made with secrets of something else, where that was one of these kinds. */
function confused({ secrets }: MistakeContext): string[] {
  const { consumerSecret, tokenSecret, others } = secrets;
  return others.flatMap(({ kind, secret }) => {
    const own = kind === 'consumer' ? keyOf(secret, tokenSecret) : keyOf(consumerSecret, secret);
    const alone = kind === 'consumer' ? [keyOf(secret, '')] : [];
    const pairs = kind === 'token' ? [] : others.filter((each) => each.kind === 'token');
    return [own, ...alone, ...pairs.map((each) => keyOf(secret, each.secret))];
  });
}

/** The name of the mistake that has taken the secret of something else. */
export const CONFUSED_SECRET = 'secret-of-something-else';

/** Mistakes in the key and the digest. @source RFC 5849 3.4.2 */
export const keyMistakes: readonly Mistake[] = [
  {
    name: 'token-secret-left-out',
    group: 'key',
    text: 'The key was made without the secret of the token.',
    remedy: 'Sign with consumer secret, & and token secret.',
    apply: (signing, { secrets }) => withKey(signing, keyOf(secrets.consumerSecret, '')),
  },
  {
    name: 'ampersand-left-out',
    group: 'key',
    text: 'The key was made without the & between the secrets, which also follows a consumer secret alone.',
    remedy: 'Sign with consumer secret, & and token secret; the & stays when there is no token.',
    apply: (signing, { secrets: { consumerSecret, tokenSecret } }) =>
      withKey(signing, consumerSecret + tokenSecret, consumerSecret, tokenSecret),
  },
  {
    name: 'secrets-swapped',
    group: 'key',
    text: 'The consumer secret and the token secret were swapped.',
    remedy: 'The key begins with the consumer secret.',
    apply: (signing, { secrets }) => withKey(signing, keyOf(secrets.tokenSecret, secrets.consumerSecret)),
  },
  {
    name: 'one-secret-twice',
    group: 'key',
    text: 'One secret stands in both places of the key.',
    remedy: 'The key is the consumer secret, & and the token secret.',
    apply: (signing, { secrets: { consumerSecret, tokenSecret } }) =>
      tokenSecret === ''
        ? withKey(signing, keyOf(consumerSecret, consumerSecret))
        : withKey(signing, keyOf(consumerSecret, consumerSecret), keyOf(tokenSecret, tokenSecret)),
  },
  {
    name: 'key-instead-of-secret',
    group: 'key',
    text: 'A consumer key or a token was used as a secret.',
    remedy: 'Sign with the secrets; the consumer key and the token only identify them.',
    apply: (signing, { secrets: { consumerKey, consumerSecret, token, tokenSecret } }) =>
      withKey(
        signing,
        keyOf(consumerKey, tokenSecret),
        keyOf(consumerSecret, token),
        keyOf(consumerKey, token),
        keyOf(consumerKey, ''),
        keyOf(consumerSecret, consumerKey),
      ),
  },
  {
    name: 'consumer-secret-left-out',
    group: 'key',
    text: 'The key was made without the consumer secret.',
    remedy: 'Sign with consumer secret, & and token secret.',
    apply: (signing, { secrets }) => withKey(signing, keyOf('', secrets.tokenSecret), '&'),
  },
  {
    name: CONFUSED_SECRET,
    group: 'key',
    text: 'The secret of another application or another token was used.',
    remedy: 'Use the secrets that belong to the consumer key and the token that are sent.',
    apply: (signing, context) => withKey(signing, ...confused(context)),
  },
  {
    name: 'space-in-secret',
    group: 'key',
    text: 'A secret was used with a space or a line break that does not belong to it.',
    remedy: 'Trim what is read from files and environment variables.',
    apply: (signing, { secrets: { consumerSecret: one, tokenSecret: two } }) =>
      withKey(
        signing,
        ...['\n', ' ', '\r\n'].flatMap((space) => [
          keyOf(one + space, two),
          keyOf(one, two + space),
          keyOf(one + space, two + space),
          `${one}${space}&${two}`,
          `${one}&${two}${space}`,
          `${one}${space}&${two}${space}`,
        ]),
        keyOf(` ${one}`, two),
        keyOf(one, ` ${two}`),
        keyOf(`"${one}"`, `"${two}"`),
      ),
  },
  {
    name: 'other-hash',
    group: 'digest',
    text: 'Another algorithm was used than HMAC-SHA1.',
    remedy: 'Sign with HMAC-SHA1.',
    apply: (signing) => withDigest(signing, 'hmac-sha256', 'hmac-sha512', 'sha1', 'sha256', 'plaintext'),
  },
  {
    name: 'digest-not-base64',
    group: 'digest',
    text: 'The digest was not written as base64.',
    remedy: 'Write the 20 bytes of the digest as base64, with padding.',
    apply: (signing) => (['hex', 'base64url', 'base64 of hex'] as const).map((encoding) => ({ ...signing, encoding })),
  },
];
