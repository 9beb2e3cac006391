import { type Field, field, text } from '../../../contract/declare/fields.ts';
import type { ProblemName } from '../../../contract/problems/problems.ts';

/** An absolute http or https URL of at most `max` characters, stored unchanged. */
export function webUrl({ max }: { readonly max: number }): Field<string> {
  return urlField('web url', max, /^https?:\/\/[^\s/?#]+/i, 'NOT_WEB');
}

/** An absolute https URL of at most `max` characters, stored unchanged. */
export function httpsUrl({ max }: { readonly max: number }): Field<string> {
  return urlField('https url', max, /^https:\/\/[^\s/?#]+/i, 'NOT_HTTPS');
}

function urlField(name: string, max: number, origin: RegExp, problem: ProblemName): Field<string> {
  const { kind } = text({ max });
  return field<string>({
    ...kind,
    name,
    problems: [...kind.problems, problem],
    read(raw, parameter) {
      const value = kind.read(raw, parameter);
      if (typeof value !== 'string') return value;
      const isUrl = origin.test(value) && !/\s/.test(value) && URL.canParse(value);
      return isUrl ? value : { problem, parameter, words: { raw: value } };
    },
  });
}
