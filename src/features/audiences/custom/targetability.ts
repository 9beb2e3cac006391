import Type from 'typebox';
import { type Field, field } from '../../../contract/declare/fields.ts';

/** Why an audience cannot be targeted. @source advertising: Custom audience; creatives 18.3 */
const REASONS = ['PROCESSING', 'TOO_SMALL'] as const;

/** A computed list of words, given as the text of a JSON array. */
export function wordList(words: readonly string[]): Field<string> {
  return field<string>({
    name: 'words',
    column: 'none',
    schema: Type.Array(Type.Union(words.map((word) => Type.Literal(word)))),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  })
    .readOnly()
    .required();
}

/** The computed field that holds them. */
export function reasonsNotTargetable(): Field<string> {
  return wordList(REASONS).describe('Why it cannot be targeted; none when it can.');
}

/** Where a row stands, as it is stored. */
interface Standing {
  readonly is_processing: number | null;
  readonly is_targetable: number | null;
  readonly deleted: 0 | 1;
}

/** Whether it can be targeted: what was deleted cannot. */
export function isTargetable({ is_targetable, deleted }: Standing): 0 | 1 {
  return is_targetable === 1 && deleted === 0 ? 1 : 0;
}

/** Why it cannot, as JSON text; while a change of one that can is processed, it still can. */
export function reasonsOf(row: Standing): string {
  if (isTargetable(row)) return '[]';
  return row.is_processing === 1 && row.deleted === 0 ? '["PROCESSING","TOO_SMALL"]' : '["TOO_SMALL"]';
}
