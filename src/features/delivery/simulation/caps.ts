import { leftOf } from '../serving-times.ts';
import { apportion } from './apportion.ts';
import type { Limit, LinePlan } from './line-plan.ts';
import { byId } from './plan-groups.ts';

/**
 * Cuts what line items spend to what is left of their budgets, of those of their campaigns, and of what the funding
 * instruments pay, in this order. A later cut never raises what an earlier one has left.
 * @source decision 935
 */
export function cutToCaps(plans: readonly LinePlan[]): void {
  for (const plan of plans) {
    const left = leftOf(plan.line.booking.budget, plan.spent.line);
    if (plan.spend > left) cut([plan], left, 'line_item_budget');
  }
  for (const group of byId(plans, ({ campaign }) => campaign.id)) {
    const { booking } = group[0]!.line;
    cut(group, leftOf(booking.campaign.budget, group[0]!.spent.campaign), 'campaign_budget');
  }
  for (const group of byId(plans, ({ instrument }) => instrument.id)) {
    const { booking } = group[0]!.line;
    const { limit } = booking.instrument;
    if (limit !== null) cut(group, Math.max(0, limit - group[0]!.spent.instrument), 'funding');
  }
}

/** Divides what is left among line items by what they would spend. */
function cut(plans: readonly LinePlan[], left: number, limit: Limit): void {
  const wanted = plans.reduce((sum, plan) => sum + plan.spend, 0);
  if (wanted <= left) return;
  const parts = apportion(
    left,
    plans.map(({ spend }) => spend),
  );
  for (const [index, plan] of plans.entries()) {
    const spend = Math.min(parts[index]!, plan.spend);
    if (spend < plan.spend) cutOne(plan, spend, limit);
  }
}

/**
 * The last action may cost less than the others, so that a budget is used up to the last unit. What is not paced ends
 * when its budget does.
 */
function cutOne(plan: LinePlan, spend: number, limit: Limit): void {
  const billed = spend === 0 ? 0 : Math.max(1, Math.min(plan.billed, Math.ceil(spend / plan.offer!.price)));
  const part = billed / plan.billed;
  const impressions =
    billed === 0 ? 0 : Math.max(billed, Math.min(plan.impressions, Math.ceil(plan.impressions * part)));
  if (!plan.line.isStandard && billed > 0) {
    const lasts_ms = Math.max(1000, Math.ceil(((plan.until_ms - plan.from_ms) * part) / 1000) * 1000);
    plan.until_ms = Math.min(plan.until_ms, plan.from_ms + lasts_ms);
  }
  Object.assign(plan, { spend, billed, impressions, limit });
}
