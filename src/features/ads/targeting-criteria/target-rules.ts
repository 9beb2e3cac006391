import { type ChangeSetRule, invalid } from '../../../contract/declare/rules.ts';
import type { ErrorDetail, ProblemName } from '../../../contract/problems/problems.ts';
import { campaigns } from '../campaigns.ts';
import { findAdvertiserUserId } from '../promotable-users.ts';
import { createdCriteria, filterByType, lineItemIds, readLiveCriteria } from './created-criteria.ts';
import type { Criterion } from './criteria-rows.ts';
import { targetingType } from './targeting-types.ts';

/** Rule: some types can only be created in batches. @source campaigns 10.3 */
export const batchOnlyTypes: ChangeSetRule<Criterion> = async (whole) => {
  if (whole.isBatch) return [];
  return createdCriteria(whole)
    .filter(({ type }) => targetingType(type).batchOnly)
    .map(({ index, type: name }) => ({
      index,
      error: {
        problem: 'INVALID_TARGETING_TYPE',
        parameter: 'targeting_type',
        words: { name, how: 'by the batch endpoint' },
      },
    }));
};

/** Rule: campaigns belong to the account, and advertiser users are the one whom it advertises. @source decision 136 */
export const targetsExist: ChangeSetRule<Criterion> = async (whole) => {
  const { tx, account } = whole;
  const created = createdCriteria(whole).map((each) => ({ ...each, is: targetingType(each.type).value.is }));
  const named = new Set(created.filter(({ is }) => is === 'campaign').map(({ value }) => value));
  const live = await tx.records.getMany(campaigns, account.id, [...named], { deleted: 'hidden' });
  const found = new Set(live.map(({ id }) => id));
  const advertiser = created.some(({ is }) => is === 'advertiser')
    ? await findAdvertiserUserId(tx, account.id)
    : undefined;
  return created.flatMap(({ index, is, value }) => {
    if (is === 'campaign' && !found.has(value)) {
      return [{ index, error: notFound('CAMPAIGN_NOT_FOUND', 'Campaign', value) }];
    }
    if (is !== 'advertiser' || value === advertiser) return [];
    return [{ index, error: notFound('PROMOTABLE_USER_NOT_FOUND', 'Promotable user', value) }];
  });
};

const AUDIENCE_TYPES = ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'];

/**
 * Rule: newly targeted audiences belong to the account or are shared with it, and are targetable. Existing
 * criteria are not checked.
 * @source campaigns 10.3; creatives 18.2 and 22; decision 254, 255 and 261
 */
export const audiencesAreTargetable: ChangeSetRule<Criterion> = async (whole) => {
  const created = filterByType(createdCriteria(whole), ...AUDIENCE_TYPES);
  if (created.length === 0) return [];
  const ids = new Set(created.map(({ value }) => value));
  const usable = await whole.tx.audiences.listUsable(whole.account.id, [...ids]);
  const targetable = new Map(usable.map((each) => [each.id, each.is_targetable === 1 && each.is_withdrawn === 0]));
  return created.flatMap(({ index, value }) => {
    const isTargetable = targetable.get(value);
    if (isTargetable) return [];
    const error =
      isTargetable === undefined
        ? notFound('TAILORED_AUDIENCE_NOT_FOUND', 'Custom audience', value)
        : invalid('targeting_value', `Custom audience ${value} is not targetable`, 'TOO_SMALL');
    return [{ index, error }];
  });
};

/** Rule: a line item does not target an audience together with its lookalikes. @source creatives 18.2; decision 257 */
export const noAudienceWithItsLookalike: ChangeSetRule<Criterion> = async (whole) => {
  const created = filterByType(createdCriteria(whole), ...AUDIENCE_TYPES).filter(({ operator }) => operator === 'EQ');
  if (created.length === 0) return [];
  const live = await readLiveCriteria(whole, lineItemIds(created), ...AUDIENCE_TYPES);
  return created.flatMap(({ index, line, type, value }) => {
    if (!live.get(line)?.some((other) => other.value === value && other.type !== type)) return [];
    const message = `A line item cannot target custom audience ${value} and people like it together`;
    return [{ index, error: invalid('targeting_value', message) }];
  });
};

function notFound(problem: ProblemName, kind: string, value: string): ErrorDetail {
  return { problem, parameter: 'targeting_value', value, words: { kind } };
}
