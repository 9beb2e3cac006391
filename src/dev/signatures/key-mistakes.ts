import { type Mistake, type MistakeContext, mistakesOf } from './mistakes.ts';
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
  ...mistakesOf('key', {
    'token-secret-left-out': [
      'The key was made without the secret of the token.',
      'Sign with consumer secret, & and token secret.',
      (signing, { secrets }) => withKey(signing, keyOf(secrets.consumerSecret, '')),
    ],
    'ampersand-left-out': [
      'The key was made without the & between the secrets, which also follows a consumer secret alone.',
      'Sign with consumer secret, & and token secret; the & stays when there is no token.',
      (signing, { secrets: { consumerSecret, tokenSecret } }) =>
        withKey(signing, consumerSecret + tokenSecret, consumerSecret, tokenSecret),
    ],
    'secrets-swapped': [
      'The consumer secret and the token secret were swapped.',
      'The key begins with the consumer secret.',
      (signing, { secrets }) => withKey(signing, keyOf(secrets.tokenSecret, secrets.consumerSecret)),
    ],
    'one-secret-twice': [
      'One secret stands in both places of the key.',
      'The key is the consumer secret, & and the token secret.',
      (signing, { secrets: { consumerSecret, tokenSecret } }) =>
        tokenSecret === ''
          ? withKey(signing, keyOf(consumerSecret, consumerSecret))
          : withKey(signing, keyOf(consumerSecret, consumerSecret), keyOf(tokenSecret, tokenSecret)),
    ],
    'key-instead-of-secret': [
      'A consumer key or a token was used as a secret.',
      'Sign with the secrets; the consumer key and the token only identify them.',
      (signing, { secrets: { consumerKey, consumerSecret, token, tokenSecret } }) =>
        withKey(
          signing,
          keyOf(consumerKey, tokenSecret),
          keyOf(consumerSecret, token),
          keyOf(consumerKey, token),
          keyOf(consumerKey, ''),
          keyOf(consumerSecret, consumerKey),
        ),
    ],
    'consumer-secret-left-out': [
      'The key was made without the consumer secret.',
      'Sign with consumer secret, & and token secret.',
      (signing, { secrets }) => withKey(signing, keyOf('', secrets.tokenSecret), '&'),
    ],
    [CONFUSED_SECRET]: [
      'The secret of another application or another token was used.',
      'Use the secrets that belong to the consumer key and the token that are sent.',
      (signing, context) => withKey(signing, ...confused(context)),
    ],
    'space-in-secret': [
      'A secret was used with a space or a line break that does not belong to it.',
      'Trim what is read from files and environment variables.',
      (signing, { secrets: { consumerSecret: one, tokenSecret: two } }) =>
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
    ],
  }),
  ...mistakesOf('digest', {
    'other-hash': [
      'Another algorithm was used than HMAC-SHA1.',
      'Sign with HMAC-SHA1.',
      (signing) => withDigest(signing, 'hmac-sha256', 'hmac-sha512', 'sha1', 'sha256', 'plaintext'),
    ],
    'digest-not-base64': [
      'The digest was not written as base64.',
      'Write the 20 bytes of the digest as base64, with padding.',
      (signing) => (['hex', 'base64url', 'base64 of hex'] as const).map((encoding) => ({ ...signing, encoding })),
    ],
  }),
];
