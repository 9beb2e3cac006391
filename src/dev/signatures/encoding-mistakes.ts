import { encode } from '../../base/percent.ts';
import type { Mistake } from './mistakes.ts';
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
  {
    name: 'double-encoding',
    group: 'encoding',
    text: 'Values were percent-encoded twice before they were signed.',
    remedy: 'Decode the parameters of the query and the form, then encode each name and value once.',
    apply: (signing) => [
      {
        ...signing,
        parameters: signing.parameters.map((parameter) =>
          parameter.source === 'header' ? parameter : { ...parameter, ...parameter.raw },
        ),
      },
      { ...signing, encodeParameter: twice },
      { ...signing, encodeString: twice },
    ],
  },
  {
    name: 'plus-for-space',
    group: 'encoding',
    text: 'Spaces were signed as + instead of %20.',
    remedy: 'Encode by RFC 3986: a space is %20.',
    apply(signing) {
      const hasSpace = signing.parameters.some(({ name, value }) => `${name}${value}`.includes(' '));
      return hasSpace ? [plus, form, legacyForm].flatMap((encoder) => everywhere(signing, encoder)) : [];
    },
  },
  {
    name: 'reserved-characters-not-encoded',
    group: 'encoding',
    text: "The characters ! * ' ( ) were signed without being encoded.",
    remedy: "Encode everything but letters, digits and - . _ ~; encodeURIComponent leaves ! * ' ( ) as they are.",
    apply: (signing) => everywhere(signing, component),
  },
  {
    name: 'delimiters-not-encoded',
    group: 'encoding',
    text: 'The characters / : or , were signed without being encoded.',
    remedy: 'Encode everything but letters, digits and - . _ ~.',
    apply: (signing) => [slash, colon].flatMap((encoder) => everywhere(signing, encoder)),
  },
  {
    name: 'tilde-encoded',
    group: 'encoding',
    text: 'The character ~ was encoded.',
    remedy: 'Leave ~ as it is.',
    apply: (signing) => anywhere(signing, tilde),
  },
  {
    name: 'escapes-in-lower-case',
    group: 'encoding',
    text: 'Escapes were signed in lower case, such as %2f.',
    remedy: 'Write the hex digits of escapes in upper case.',
    apply: (signing) => anywhere(signing, lowerCase),
  },
  {
    name: 'not-utf-8',
    group: 'encoding',
    text: 'Characters outside of ASCII were encoded as Latin-1.',
    remedy: 'Encode text as UTF-8 before percent-encoding it.',
    apply: (signing) => everywhere(signing, latin1),
  },
  {
    name: 'parameters-not-encoded',
    group: 'encoding',
    text: 'Names and values were signed without being percent-encoded.',
    remedy: 'Percent-encode each name and value, then the whole parameter string once more.',
    apply: (signing) => [{ ...signing, encodeParameter: unchanged }],
  },
  {
    name: 'base-string-not-encoded',
    group: 'base string',
    text: 'The base string was assembled without encoding the base URI or the parameter string.',
    remedy: 'Percent-encode the base URI and the parameter string before joining them with &.',
    apply: (signing) => [
      { ...signing, encodeString: unchanged },
      { ...signing, encodeUri: unchanged },
      { ...signing, encodeUri: unchanged, encodeString: unchanged },
    ],
  },
];
