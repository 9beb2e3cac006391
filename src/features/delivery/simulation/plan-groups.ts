import type { Booking } from '../bookings.ts';
import type { LinePlan } from './line-plan.ts';

/** Groups of line items that share something, in the order of their first ones. */
export function byId(plans: readonly LinePlan[], idOf: (booking: Booking) => string): LinePlan[][] {
  const [first] = plans;
  if (!first) return [];
  const id = idOf(first.line.booking);
  // Mostly they all share it.
  if (plans.every((plan) => idOf(plan.line.booking) === id)) return [[...plans]];
  const groups = new Map<string, LinePlan[]>();
  for (const plan of plans) {
    const id = idOf(plan.line.booking);
    const group = groups.get(id);
    if (group) group.push(plan);
    else groups.set(id, [plan]);
  }
  return [...groups.values()];
}
