import type { ErrorDetail } from '../../contract/problems/problems.ts';
import type { ForeignWords } from './alias-file.ts';
import type { Naming } from './naming.ts';
import { isProtocolName } from './own-words.ts';

/** Translates errors to foreign names. */
export interface ErrorWords {
  /** Translates an error, so that it names the caller's input as the caller did. */
  detail(error: ErrorDetail): ErrorDetail;
  /** Translates a message template: names with an underscore, values in capitals, and headers. */
  template(text: string): string;
}

/** Words of a message that name parameters. */
const NAMES: ReadonlySet<string> = new Set(['parameter', 'a', 'b', 'other', 'path', 'known']);
/** Words of a message that repeat a value of the caller. */
const VALUES: ReadonlySet<string> = new Set(['raw', 'value', 'type']);

/**
 * Builds the translation of the errors of an operation.
 * @param received returns a parameter value as it was received.
 */
export function errorWordsOf(
  naming: Naming,
  headerName: (own: string) => string,
  received: (parameter: string, value: string) => string,
): ErrorWords {
  const name = (own: string): string => {
    if (isProtocolName(own)) return own;
    const parameter = naming.parameter(own);
    return parameter === own ? naming.member(own) : parameter;
  };
  /** A name, several of them, or a path of names. */
  const named = (text: string): string => {
    const whole = name(text);
    return whole === text ? text.replace(/[A-Za-z][A-Za-z0-9_]*/g, name) : whole;
  };
  const inTexts = (token: string): string =>
    token.startsWith('x-') ? headerName(token) : (naming.anyValue(token) ?? name(token));
  const template = (text: string): string =>
    // Other words are as likely to be English.
    text.replace(/\{\w+\}|\bx(?:-[a-z]+)+\b|\b[A-Z][A-Z0-9_]+\b|\b[a-z0-9]+(?:_[a-z0-9]+)+\b/g, (token) =>
      token.startsWith('{') ? token : inTexts(token),
    );
  const listed = (list: string, values: ForeignWords | undefined): string =>
    list
      .split(', ')
      .map((item) => {
        const [, own = item, end = ''] = /^(.*)(-asc|-desc)$/.exec(item) ?? [];
        if (end !== '') return naming.member(own) + end;
        return values?.get(item)?.[0] ?? naming.anyValue(item) ?? name(item);
      })
      .join(', ');

  return {
    template,
    detail(error) {
      const { parameter, attribute, value, details, words } = error;
      const subject = parameter ?? attribute ?? '';
      const word = (key: string, text: string | number): string | number => {
        if (typeof text === 'number') return text;
        if (NAMES.has(key)) return named(text);
        if (key === 'list') return listed(text, naming.values(subject));
        if (VALUES.has(key)) return received(key === 'type' ? 'event_type' : subject, text);
        return template(text);
      };
      return {
        ...error,
        ...(parameter !== undefined && { parameter: named(parameter) }),
        ...(attribute !== undefined && { attribute: named(attribute) }),
        ...(value !== undefined && { value: received(subject, value) }),
        ...(details !== undefined && { details: template(details) }),
        ...(words && { words: Object.fromEntries(Object.entries(words).map(([key, text]) => [key, word(key, text)])) }),
      };
    },
  };
}
