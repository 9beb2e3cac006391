import { encode } from '../../base/percent.ts';
import { type Change, type Mistake, type MistakeContext, mistakesOf } from './mistakes.ts';
import { keyOf } from './signing.ts';

type Encode = (text: string) => string;

/** Returns the changes that use an encoder for the parameters, alone or also for other parts of the base string. */
function inParameters(encoder: Encode): Change[] {
  return [
    { encodeParameter: encoder },
    { encodeParameter: encoder, encodeString: encoder, encodeUri: encoder },
    { encodeParameter: encoder, encodeString: encoder },
  ];
}

/** Returns the changes that use an encoder for any part: parameters, parameter string or base URI. */
function inAnyPart(encoder: Encode): Change[] {
  return [
    ...inParameters(encoder),
    { encodeString: encoder },
    { encodeUri: encoder },
    { encodeUri: encoder, encodeString: encoder },
  ];
}

const unchanged: Encode = (text) => text;
const twice: Encode = (text) => encode(encode(text));
const plus: Encode = (text) => encode(text).replaceAll('%20', '+');
const component: Encode = (text) => encodeURIComponent(text.toWellFormed());
/** The encoding of HTML forms, which leaves `*` and escapes `~`; that of PHP, below, escapes `*` too. */
const form: Encode = (text) => new URLSearchParams([['', text]]).toString().slice(1);
const legacyForm: Encode = (text) => form(text).replaceAll('*', '%2A');
const lowerCase: Encode = (text) => encode(text).replace(/%[\dA-F]{2}/g, (found) => found.toLowerCase());
const tilde: Encode = (text) => encode(text).replaceAll('~', '%7E');
const slash: Encode = (text) => encode(text).replaceAll('%2F', '/');
const colon: Encode = (text) => encode(text).replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/');
const latin1: Encode = (text) =>
  text.replace(/[^\x80-\xff]+|[\x80-\xff]/g, (piece) =>
    /^[\x80-\xff]/.test(piece) ? `%${piece.charCodeAt(0).toString(16).toUpperCase()}` : encode(piece),
  );

/** Mistakes in percent-encoding. @source RFC 5849 3.4.1.3.2, 3.6 */
export const encodingMistakes: readonly Mistake[] = [
  ...mistakesOf('encoding', {
    'double-encoding': [
      'Values were percent-encoded twice before they were signed.',
      'Decode the parameters of the query and the form, then encode each name and value once.',
      (signing) => [
        {
          parameters: signing.parameters.map((parameter) =>
            parameter.source === 'header' ? parameter : { ...parameter, ...parameter.raw },
          ),
        },
        { encodeParameter: twice },
        { encodeString: twice },
      ],
    ],
    'plus-for-space': [
      'Spaces were signed as + instead of %20.',
      'Encode by RFC 3986: a space is %20.',
      (signing) => {
        const hasSpace = signing.parameters.some(({ name, value }) => `${name}${value}`.includes(' '));
        return hasSpace ? [plus, form, legacyForm].flatMap(inParameters) : [];
      },
    ],
    'reserved-characters-not-encoded': [
      "The characters ! * ' ( ) were signed without being encoded.",
      "Encode everything but letters, digits and - . _ ~; encodeURIComponent leaves ! * ' ( ) as they are.",
      () => inParameters(component),
    ],
    'delimiters-not-encoded': [
      'The characters / : or , were signed without being encoded.',
      'Encode everything but letters, digits and - . _ ~.',
      () => [slash, colon].flatMap(inParameters),
    ],
    'tilde-encoded': ['The character ~ was encoded.', 'Leave ~ as it is.', () => inAnyPart(tilde)],
    'escapes-in-lower-case': [
      'Escapes were signed in lower case, such as %2f.',
      'Write the hex digits of escapes in upper case.',
      () => inAnyPart(lowerCase),
    ],
    'not-utf-8': [
      'Characters outside of ASCII were encoded as Latin-1.',
      'Encode text as UTF-8 before percent-encoding it.',
      () => inParameters(latin1),
    ],
    'parameters-not-encoded': [
      'Names and values were signed without being percent-encoded.',
      'Percent-encode each name and value, then the whole parameter string once more.',
      () => [{ encodeParameter: unchanged }],
    ],
  }),
  ...mistakesOf('base string', {
    'base-string-not-encoded': [
      'The base string was assembled without encoding the base URI or the parameter string.',
      'Percent-encode the base URI and the parameter string before joining them with &.',
      () => [{ encodeString: unchanged }, { encodeUri: unchanged }, { encodeUri: unchanged, encodeString: unchanged }],
    ],
  }),
];

const withKey = (...keys: readonly string[]): Change[] => keys.map((key) => ({ key }));

/** Keys built with the secrets of other applications and tokens. */
function keysOfOthers({ secrets }: MistakeContext): string[] {
  const { consumerSecret, tokenSecret, others } = secrets;
  return others.flatMap(({ kind, secret }) => {
    const own = kind === 'consumer' ? keyOf(secret, tokenSecret) : keyOf(consumerSecret, secret);
    const alone = kind === 'consumer' ? [keyOf(secret, '')] : [];
    const pairs = kind === 'token' ? [] : others.filter((each) => each.kind === 'token');
    return [own, ...alone, ...pairs.map((each) => keyOf(secret, each.secret))];
  });
}

/** The mistake of signing with the secret of another application or token. */
export const CONFUSED_SECRET = 'secret-of-something-else';

/** Mistakes in the key and the digest. @source RFC 5849 3.4.2 */
export const keyMistakes: readonly Mistake[] = [
  ...mistakesOf('key', {
    'token-secret-left-out': [
      'The key was built without the secret of the token.',
      'Sign with consumer secret, & and token secret.',
      (_, { secrets }) => withKey(keyOf(secrets.consumerSecret, '')),
    ],
    'ampersand-left-out': [
      'The key was built without the & between the secrets, which also follows a consumer secret alone.',
      'Sign with consumer secret, & and token secret; the & stays when there is no token.',
      (_, { secrets: { consumerSecret, tokenSecret } }) =>
        withKey(consumerSecret + tokenSecret, consumerSecret, tokenSecret),
    ],
    'secrets-swapped': [
      'The consumer secret and the token secret were swapped.',
      'The key begins with the consumer secret.',
      (_, { secrets }) => withKey(keyOf(secrets.tokenSecret, secrets.consumerSecret)),
    ],
    'one-secret-twice': [
      'One secret was used as both parts of the key.',
      'The key is the consumer secret, & and the token secret.',
      (_, { secrets: { consumerSecret, tokenSecret } }) =>
        tokenSecret === ''
          ? withKey(keyOf(consumerSecret, consumerSecret))
          : withKey(keyOf(consumerSecret, consumerSecret), keyOf(tokenSecret, tokenSecret)),
    ],
    'key-instead-of-secret': [
      'A consumer key or a token was used as a secret.',
      'Sign with the secrets; the consumer key and the token only identify them.',
      (_, { secrets: { consumerKey, consumerSecret, token, tokenSecret } }) =>
        withKey(
          keyOf(consumerKey, tokenSecret),
          keyOf(consumerSecret, token),
          keyOf(consumerKey, token),
          keyOf(consumerKey, ''),
          keyOf(consumerSecret, consumerKey),
        ),
    ],
    'consumer-secret-left-out': [
      'The key was built without the consumer secret.',
      'Sign with consumer secret, & and token secret.',
      (_, { secrets }) => withKey(keyOf('', secrets.tokenSecret), '&'),
    ],
    [CONFUSED_SECRET]: [
      'The secret of another application or another token was used.',
      'Use the secrets that belong to the consumer key and the token that are sent.',
      (_, context) => withKey(...keysOfOthers(context)),
    ],
    'space-in-secret': [
      'A secret was used with an extra space, line break or quotation marks.',
      'Trim values that are read from files and environment variables, and remove the quotation marks.',
      (_, { secrets: { consumerSecret: one, tokenSecret: two } }) =>
        withKey(
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
      'An algorithm other than HMAC-SHA1 was used.',
      'Sign with HMAC-SHA1.',
      () => (['hmac-sha256', 'hmac-sha512', 'sha1', 'sha256', 'plaintext'] as const).map((digest) => ({ digest })),
    ],
    'digest-not-base64': [
      'The digest was not encoded as base64.',
      'Encode the 20 bytes of the digest as base64, with padding.',
      () => (['hex', 'base64url', 'base64 of hex'] as const).map((encoding) => ({ encoding })),
    ],
  }),
];
