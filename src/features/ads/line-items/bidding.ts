import type { Change, DeriveContext } from '../../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import type { LineItem } from '../line-items.ts';
import { findObjective, type Goal, type PayBy, paymentOptions } from './objectives.ts';

/**
 * Derives the bidding fields: defaults follow from objective and bid amount; automatic bids have no amount; a new goal
 * resets `pay_by`, unless the caller sends a value that the goal allows.
 * @source campaigns 9.3; decision 121, 122, 123 and 1091
 */
export function deriveBidding(row: LineItem, { input, before }: DeriveContext<LineItem>): Partial<LineItem> {
  const { objective } = row;
  const goal = (row.goal ?? Object.keys(findObjective(objective).goals)[0]) as Goal;
  const strategy =
    row.bid_strategy ?? (row.bid_amount_local_micro === null ? 'AUTO' : findObjective(objective).strategyWithBid);
  const options = paymentOptions(objective, goal, strategy);
  const isChosen = input.pay_by != null && input.pay_by !== before?.pay_by;
  const isKept = (input.pay_by != null || before?.goal === goal) && options.includes(row.pay_by as PayBy);
  return {
    bid_strategy: strategy,
    bid_amount_local_micro: strategy === 'AUTO' ? null : row.bid_amount_local_micro,
    goal,
    pay_by: (isChosen || isKept) && row.pay_by !== null ? row.pay_by : (options[0] ?? row.pay_by),
  };
}

/** Rule: the objective allows the bid strategy, goal and billable event. @source decision 120 */
export function biddingIsAllowed({ after }: Change<LineItem>): readonly ErrorDetail[] {
  const { objective, bid_strategy: strategy, goal, pay_by: payBy } = after;
  const { strategies, goals } = findObjective(objective);
  const allowedGoals = Object.keys(goals);
  const errors = [notAmong(strategies, 'bid_strategy', strategy), notAmong(allowedGoals, 'goal', goal)];
  if (allowedGoals.includes(String(goal)))
    errors.push(notAmong(paymentOptions(objective, goal, strategy), 'pay_by', payBy));
  return errors.filter((error) => error !== undefined);
}

function notAmong(allowed: readonly string[], parameter: string, raw: string | null): ErrorDetail | undefined {
  if (allowed.includes(String(raw))) return undefined;
  return { problem: 'NOT_IN_ENUM', parameter, words: { list: [...allowed].sort().join(', '), raw: String(raw) } };
}

/** Rule: manual bids have an amount. */
export function bidHasAmount({ after }: Change<LineItem>): ErrorDetail | undefined {
  const lacks = after.bid_strategy !== 'AUTO' && after.bid_amount_local_micro === null;
  return lacks ? { problem: 'MISSING_PARAMETER', parameter: 'bid_amount_local_micro' } : undefined;
}
