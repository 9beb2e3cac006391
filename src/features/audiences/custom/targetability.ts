import { Type } from '../../../base/json-schema.ts';
import { type Field, field } from '../../../contract/declare/fields.ts';

/** Why an audience cannot be targeted. @source advertising 17; creatives 18.3 */
const REASONS = ['PROCESSING', 'TOO_SMALL', 'PERMISSION_REVOKED'] as const;

/** A computed list of enum values, as the text of a JSON array. */
export function computedList(words: readonly string[]): Field<string> {
  return field<string>({
    name: 'words',
    column: 'none',
    schema: Type.Array(Type.Literals(words)),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  })
    .readOnly()
    .required();
}

/** The computed field `reasons_not_targetable`. */
export function reasonsNotTargetableField(): Field<string> {
  return computedList(REASONS).describe('Why it cannot be targeted; empty when it can.');
}

/** The stored processing state of a row. */
interface ProcessingState {
  readonly is_processing: number | null;
  readonly is_targetable: number | null;
  readonly deleted: 0 | 1;
}

/** Whether it can be targeted; deleted rows cannot. */
export function isTargetable({ is_targetable, deleted }: ProcessingState): 0 | 1 {
  return is_targetable === 1 && deleted === 0 ? 1 : 0;
}

/** Why it cannot be targeted, as JSON text. It stays targetable while a change is processed. */
export function reasonsNotTargetable(row: ProcessingState): string {
  if (isTargetable(row)) return '[]';
  return row.is_processing === 1 && row.deleted === 0 ? '["PROCESSING","TOO_SMALL"]' : '["TOO_SMALL"]';
}
