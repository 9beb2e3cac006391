import { encode } from '../../base/percent.ts';
import { type Mistake, mistakesOf } from './mistakes.ts';
import type { Signing } from './signing.ts';

type Encode = (text: string) => string;

/** Encodes the parameters so, alone or with the base URI and the parameter string. */
function everywhere(signing: Signing, encoder: Encode): Signing[] {
  return [
    { ...signing, encodeParameter: encoder },
    { ...signing, encodeParameter: encoder, encodeString: encoder, encodeUri: encoder },
    { ...signing, encodeParameter: encoder, encodeString: encoder },
  ];
}

/** The same, and the base URI and the parameter string alone. */
function anywhere(signing: Signing, encoder: Encode): Signing[] {
  return [
    ...everywhere(signing, encoder),
    { ...signing, encodeString: encoder },
    { ...signing, encodeUri: encoder },
    { ...signing, encodeUri: encoder, encodeString: encoder },
  ];
}

const unchanged: Encode = (text) => text;
const twice: Encode = (text) => encode(encode(text));
const plus: Encode = (text) => encode(text).replaceAll('%20', '+');
const component: Encode = (text) => encodeURIComponent(text.toWellFormed());
/** As HTML forms are encoded, with `*` as it is and `~` escaped; and as PHP does, with `*` escaped. */
const form: Encode = (text) => new URLSearchParams([['', text]]).toString().slice(1);
const legacyForm: Encode = (text) => form(text).replaceAll('*', '%2A');
const lowerCase: Encode = (text) => encode(text).replace(/%[\dA-F]{2}/g, (found) => found.toLowerCase());
const tilde: Encode = (text) => encode(text).replaceAll('~', '%7E');
const slash: Encode = (text) => encode(text).replaceAll('%2F', '/');
const colon: Encode = (text) => encode(text).replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%2F', '/');
const latin1: Encode = (text) =>
  [...text].map((letter) => (letter > '\x7f' && letter <= '\xff' ? escapeOf(letter) : encode(letter))).join('');

function escapeOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Mistakes in percent-encoding. @source RFC 5849 3.4.1.3.2, 3.6 */
export const encodingMistakes: readonly Mistake[] = [
  ...mistakesOf('encoding', {
    'double-encoding': [
      'Values were percent-encoded twice before they were signed.',
      'Decode the parameters of the query and the form, then encode each name and value once.',
      (signing) => [
        {
          ...signing,
          parameters: signing.parameters.map((parameter) =>
            parameter.source === 'header' ? parameter : { ...parameter, ...parameter.raw },
          ),
        },
        { ...signing, encodeParameter: twice },
        { ...signing, encodeString: twice },
      ],
    ],
    'plus-for-space': [
      'Spaces were signed as + instead of %20.',
      'Encode by RFC 3986: a space is %20.',
      (signing) => {
        const hasSpace = signing.parameters.some(({ name, value }) => `${name}${value}`.includes(' '));
        return hasSpace ? [plus, form, legacyForm].flatMap((encoder) => everywhere(signing, encoder)) : [];
      },
    ],
    'reserved-characters-not-encoded': [
      "The characters ! * ' ( ) were signed without being encoded.",
      "Encode everything but letters, digits and - . _ ~; encodeURIComponent leaves ! * ' ( ) as they are.",
      (signing) => everywhere(signing, component),
    ],
    'delimiters-not-encoded': [
      'The characters / : or , were signed without being encoded.',
      'Encode everything but letters, digits and - . _ ~.',
      (signing) => [slash, colon].flatMap((encoder) => everywhere(signing, encoder)),
    ],
    'tilde-encoded': ['The character ~ was encoded.', 'Leave ~ as it is.', (signing) => anywhere(signing, tilde)],
    'escapes-in-lower-case': [
      'Escapes were signed in lower case, such as %2f.',
      'Write the hex digits of escapes in upper case.',
      (signing) => anywhere(signing, lowerCase),
    ],
    'not-utf-8': [
      'Characters outside of ASCII were encoded as Latin-1.',
      'Encode text as UTF-8 before percent-encoding it.',
      (signing) => everywhere(signing, latin1),
    ],
    'parameters-not-encoded': [
      'Names and values were signed without being percent-encoded.',
      'Percent-encode each name and value, then the whole parameter string once more.',
      (signing) => [{ ...signing, encodeParameter: unchanged }],
    ],
  }),
  ...mistakesOf('base string', {
    'base-string-not-encoded': [
      'The base string was assembled without encoding the base URI or the parameter string.',
      'Percent-encode the base URI and the parameter string before joining them with &.',
      (signing) => [
        { ...signing, encodeString: unchanged },
        { ...signing, encodeUri: unchanged },
        { ...signing, encodeUri: unchanged, encodeString: unchanged },
      ],
    ],
  }),
];
