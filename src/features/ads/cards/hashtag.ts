import { Type } from '../../../base/json-schema.ts';
import { lengthOf } from '../../../base/text.ts';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';

const MAX = 20;
const SHAPE = '[\\p{L}\\p{M}\\p{N}_]+';
const HASHTAG = new RegExp(`^#${SHAPE}$`, 'u');

/** A hashtag of at most 20 characters; a missing leading `#` is added. @source creatives 7; decision 225 */
export function hashtag(): Field<string> {
  return field<string>({
    name: 'hashtag',
    column: 'text',
    schema: Type.String({ pattern: `^#?${SHAPE}$`, maxLength: MAX + 1 }),
    problems: ['NOT_A_HASHTAG', 'TEXT_TOO_LONG'],
    toJson: (stored) => JSON.stringify(stored),
    read(raw, parameter): string | ErrorDetail {
      const value = typeof raw === 'string' ? `#${raw.replace(/^#/, '')}` : '';
      const length = lengthOf(value) - 1;
      if (length > MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: MAX, length } };
      return HASHTAG.test(value) ? value : { problem: 'NOT_A_HASHTAG', parameter, words: { raw: quoted(raw) } };
    },
  });
}
