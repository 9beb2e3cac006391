import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { campaigns } from '../campaigns.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import { createdCriteria } from './created-criteria.ts';
import type { Criterion } from './criteria-rows.ts';
import { targetingType } from './targeting-types.ts';

/** Rule: some types can only be created in batches. @source campaigns 10.3 */
export const batchOnlyTypes: ChangeSetRule<Criterion> = async (whole) => {
  if (whole.isBatch) return [];
  return createdCriteria(whole)
    .filter(({ row }) => targetingType(String(row.targeting_type)).batchOnly)
    .map(({ index, row }) => ({
      index,
      error: {
        problem: 'INVALID_TARGETING_TYPE',
        parameter: 'targeting_type',
        words: { name: String(row.targeting_type), how: 'by the batch endpoint' },
      },
    }));
};

/** Rule: campaigns belong to the account, and advertiser users are the one whom it advertises. @source decision 136 */
export const targetsExist: ChangeSetRule<Criterion> = async (whole) => {
  const { tx, account } = whole;
  const created = createdCriteria(whole).map((each) => ({
    ...each,
    is: targetingType(String(each.row.targeting_type)).value.is,
    value: String(each.row.targeting_value),
  }));
  const named = [...new Set(created.filter(({ is }) => is === 'campaign').map(({ value }) => value))];
  const found = new Set(
    (await tx.records.getMany(campaigns, account.id, named, { deleted: 'hidden' })).map(({ id }) => id),
  );
  const advertiser = created.some(({ is }) => is === 'advertiser')
    ? await findAdvertiserUserId(tx, account.id)
    : undefined;
  return created.flatMap(({ index, is, value }) => {
    if (is === 'campaign' && !found.has(value))
      return [{ index, error: absent('CAMPAIGN_NOT_FOUND', 'Campaign', value) }];
    if (is !== 'advertiser' || value === advertiser) return [];
    return [{ index, error: absent('PROMOTABLE_USER_NOT_FOUND', 'Promotable user', value) }];
  });
};

function absent(problem: 'CAMPAIGN_NOT_FOUND' | 'PROMOTABLE_USER_NOT_FOUND', kind: string, value: string): ErrorDetail {
  return { problem, parameter: 'targeting_value', value, words: { kind } };
}
