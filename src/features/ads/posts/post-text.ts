import { addressesIn } from '../../../base/entities.ts';
import { Type } from '../../../base/json-schema.ts';
import { isLegalText, jsonText, lengthOf } from '../../../base/text.ts';
import { type Field, field } from '../../../contract/declare/fields.ts';

/** Maximum length of a post in characters. */
const TEXT_MAX = 280;
/** The length that every URL counts for. */
const ADDRESS_LENGTH = 23;

/** The length of a text in code points, with URLs counted as 23. @source creatives 10 */
export function countedLength(text: string): number {
  return addressesIn(text).reduce((sum, address) => sum + ADDRESS_LENGTH - lengthOf(address), lengthOf(text));
}

/** The text of a post: up to 280 characters by `countedLength`, line breaks allowed. @source decision 231 */
export function postText(): Field<string> {
  return field<string>({
    name: 'post text',
    column: 'text',
    schema: Type.String({ minLength: 1 }),
    problems: ['NOT_TEXT', 'TEXT_TOO_LONG', 'ILLEGAL_CHARACTERS'],
    toJson: jsonText,
    read(raw, parameter) {
      if (typeof raw !== 'string') return { problem: 'NOT_TEXT', parameter };
      const value = raw.replaceAll('\r\n', '\n');
      const length = countedLength(value);
      if (length > TEXT_MAX) return { problem: 'TEXT_TOO_LONG', parameter, words: { max: TEXT_MAX, length } };
      return isLegalText(value.replaceAll('\n', ' ')) ? value : { problem: 'ILLEGAL_CHARACTERS', parameter };
    },
  });
}
