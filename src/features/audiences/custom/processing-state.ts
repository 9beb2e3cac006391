import { addSeconds } from '../../../base/instants.ts';
import { Type } from '../../../base/json-schema.ts';
import { boolean, type Field, field, integer } from '../../../contract/declare/fields.ts';
import type { Fields } from '../../../contract/declare/resource.ts';
import type { WriteContext } from '../../../contract/declare/rules.ts';
import { AUDIENCE_PROCESSING, type Subject } from '../../../contract/store/audiences.ts';

/** The processing state of an audience or list: stored by its job, and returned as computed fields. */
export const processingFields = {
  is_processing: boolean().readOnly().defaults(1).hidden(),
  is_targetable: boolean().readOnly().defaults(0).hidden(),
  size: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).readOnly().hidden(),
} satisfies Fields;

/** Reasons why an audience cannot be targeted. @source advertising 17; creatives 18.3 */
const REASONS = ['PROCESSING', 'TOO_SMALL', 'PERMISSION_REVOKED'] as const;

/** Declares a computed list of enum values, stored as JSON text. */
export function computedList(values: readonly string[]): Field<string> {
  return field<string>({
    name: 'words',
    column: 'none',
    schema: Type.Array(Type.Literals(values)),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  })
    .readOnly()
    .required();
}

/** Declares the computed field `reasons_not_targetable`. */
export function reasonsNotTargetableField(): Field<string> {
  return computedList(REASONS).describe('Why it cannot be targeted; empty when it can.');
}

/** The stored processing state of a row. */
interface ProcessingState {
  readonly is_processing: number | null;
  readonly is_targetable: number | null;
  readonly deleted: 0 | 1;
}

/** Whether an audience can be targeted. */
export function isTargetable({ is_targetable, deleted }: ProcessingState): 0 | 1 {
  return is_targetable === 1 && deleted === 0 ? 1 : 0;
}

/** Returns the reasons why an audience cannot be targeted, as JSON text. It stays targetable while a change is processed. */
export function reasonsNotTargetable(row: ProcessingState): string {
  if (isTargetable(row)) return '[]';
  return row.is_processing === 1 && row.deleted === 0 ? '["PROCESSING","TOO_SMALL"]' : '["TOO_SMALL"]';
}

/** Schedules the processing of an audience or list: after the processing delay, or at once if it was deleted. @source decision 262 */
export async function planProcessing(
  subject: Subject,
  { verb, account, tx, services, now }: Pick<WriteContext<never>, 'verb' | 'account' | 'tx' | 'services' | 'now'>,
): Promise<void> {
  const delay_s = verb === 'remove' ? 0 : services.audiences.rules.processing_delay_s(account.environment);
  const run_at = addSeconds(now, delay_s);
  await tx.jobs.plan({ kind: AUDIENCE_PROCESSING, key: subject, run_at });
}
