import { type Field, field, text } from '../../../contract/declare/fields.ts';

/** An absolute http or https URL of at most `max` characters, stored unchanged. */
export function webUrl({ max }: { readonly max: number }): Field<string> {
  const { kind } = text({ max });
  return field<string>({
    ...kind,
    name: 'web url',
    problems: [...kind.problems, 'NOT_WEB'],
    read(raw, parameter) {
      const value = kind.read(raw, parameter);
      if (typeof value !== 'string' || isWeb(value)) return value;
      return { problem: 'NOT_WEB', parameter, words: { raw: value } };
    },
  });
}

function isWeb(value: string): boolean {
  return /^https?:\/\/[^\s/?#]+/i.test(value) && !/\s/.test(value) && URL.canParse(value);
}
