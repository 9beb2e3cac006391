import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { accounts } from '../../ads/accounts.ts';

/** The account whose website reports conversions. */
export type Reporter = Pick<AccountState, 'id' | 'environment' | 'timezone'>;

/** Finds a live account. */
export async function findReporter(tx: ReadTransaction, id: string): Promise<Reporter | undefined> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden' });
  const limits = row && (await tx.accountMembers.findLimits(id));
  return limits && { id, environment: limits.environment as Environment, timezone: String(row.timezone) };
}
