import { addSeconds } from '../../../base/instants.ts';
import type { WriteContext } from '../../../contract/declare/rules.ts';
import { AUDIENCE_PROCESSING, type Subject } from '../../../contract/store/audiences.ts';

/**
 * Schedules the processing of an audience or list: after the processing delay, or at once when it was deleted.
 * @source decision 262
 */
export async function planProcessing(
  subject: Subject,
  { verb, account, tx, services, now }: Pick<WriteContext<never>, 'verb' | 'account' | 'tx' | 'services' | 'now'>,
): Promise<void> {
  const delay_s = verb === 'remove' ? 0 : services.audiences.rules.processing_delay_s(account.environment);
  const run_at = addSeconds(now, delay_s);
  await tx.jobs.plan({ kind: AUDIENCE_PROCESSING, key: subject, run_at });
}
