import type { Call } from '../../contract/declare/operation.ts';
import type { RequestRules } from '../../contract/declare/resource.ts';

/**
 * Before a call: the delivery of its account is settled up to now, so that reads show what was spent, and changes apply
 * to nothing earlier. Undefined if nothing has to be settled.
 */
export function settleDelivery(
  { services, account }: Pick<Call, 'services' | 'account'>,
  isChange: boolean,
): Promise<void> | undefined {
  if (!account) return undefined;
  return isChange ? services.delivery.settleBeforeChange(account) : services.delivery.settle(account);
}

/** For resources on which delivery depends, and that do not show any of it. */
export const SETTLED_BEFORE_CHANGES: Pick<RequestRules, 'beforeCall'> = {
  beforeCall: (call, isChange) => (isChange ? settleDelivery(call, true) : undefined),
};

/** For resources on which delivery depends, and that show it. */
export const SETTLED: Pick<RequestRules, 'beforeCall'> = { beforeCall: settleDelivery };
