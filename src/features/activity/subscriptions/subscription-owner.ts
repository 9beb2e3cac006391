import { applicationOf } from '../../../contract/declare/callers.ts';
import { isLongId } from '../../../contract/declare/long-ids.ts';
import type { Call } from '../../../contract/declare/operation.ts';
import { problem } from '../../../contract/problems/problems.ts';
import type { Subscription } from '../../../storage/tables/subscriptions.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

/** The common part of the operations on subscriptions. */
export const SUBSCRIPTION_CALL = {
  group: 'subscriptions',
  family: 'problem',
  credential: 'user-or-bearer',
  rate: 'subscriptions',
  parameters: {},
  body: 'form',
  shape: 'bare',
} as const;

/**
 * Whose subscriptions a call can see: all of an application, or those that one user made through it.
 * @source activity 17.1
 */
export interface Owner {
  readonly application: string;
  readonly user: string | undefined;
}

/** The owner for the caller of an operation. */
export function ownerOf({ caller }: Pick<Call, 'caller'>): Owner {
  return { application: applicationOf(caller), user: caller.kind === 'user' ? caller.user : undefined };
}

/** Whether a subscription belongs to an owner. */
export function isOwnedBy(subscription: Subscription | undefined, { application, user }: Owner): boolean {
  return subscription?.application_id === application && (user === undefined || subscription.user_id === user);
}

/**
 * The subscription that a path names.
 * @throws SUBSCRIPTION_NOT_FOUND
 */
export async function findOwnSubscription(tx: ReadTransaction, owner: Owner, id: string): Promise<Subscription> {
  const found = isLongId(id) ? await tx.subscriptions.find(id) : undefined;
  if (!isOwnedBy(found, owner)) {
    throw problem('SUBSCRIPTION_NOT_FOUND', {
      parameter: 'subscription_id',
      value: id,
      words: { kind: 'subscription' },
    });
  }
  return found!;
}
