import type { ChangeSetRule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { createdCriteria, lineItemIds, liveCriteriaByLineItem, ofTypes } from './created-criteria.ts';
import type { Criterion } from './criteria-rows.ts';

const TYPES = ['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'] as const;

/**
 * Rule: newly targeted audiences belong to the account or are shared with it, and are targetable. Existing
 * criteria are not checked.
 * @source campaigns 10.3; creatives 18.2 and 22; decision 254, 255 and 261
 */
export const audiencesAreTargetable: ChangeSetRule<Criterion> = async (whole) => {
  const created = ofTypes(createdCriteria(whole), ...TYPES);
  if (created.length === 0) return [];
  const ids = [...new Set(created.map(({ row }) => String(row.targeting_value)))];
  const usable = await whole.tx.audiences.listUsable(whole.account.id, ids);
  const targetable = new Map(usable.map((each) => [each.id, each.is_targetable === 1 && each.is_withdrawn === 0]));
  return created.flatMap(({ index, row }) => {
    const value = String(row.targeting_value);
    const isTargetable = targetable.get(value);
    if (isTargetable === undefined) return [{ index, error: absent(value) }];
    return isTargetable ? [] : [{ index, error: invalid(`Custom audience ${value} is not targetable`) }];
  });
};

/** Rule: a line item does not target an audience together with its lookalikes. @source creatives 18.2; decision 257 */
export const noAudienceWithItsLookalike: ChangeSetRule<Criterion> = async (whole) => {
  const created = ofTypes(createdCriteria(whole), ...TYPES).filter(({ row }) => row.operator_type === 'EQ');
  if (created.length === 0) return [];
  const live = await liveCriteriaByLineItem(whole.tx, whole.account.id, lineItemIds(created), TYPES);
  return created.flatMap(({ index, row }) => {
    const beside = (live.get(String(row.line_item_id)) ?? []).some(
      (other) => other.targeting_value === row.targeting_value && other.targeting_type !== row.targeting_type,
    );
    const value = String(row.targeting_value);
    return beside
      ? [{ index, error: invalid(`A line item cannot target custom audience ${value} and people like it together`) }]
      : [];
  });
};

function absent(value: string): ErrorDetail {
  const words = { kind: 'Custom audience' };
  return { problem: 'TAILORED_AUDIENCE_NOT_FOUND', parameter: 'targeting_value', value, words };
}

function invalid(message: string): ErrorDetail {
  return { problem: 'INVALID', attribute: 'targeting_value', words: { message } };
}
