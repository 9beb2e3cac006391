import { InputError } from '../../../base/input-error.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { Registrar } from '../../platform/registration.ts';
import type { AccountPlan } from './account-plan.ts';
import { applyAccountPlan, type PlanOutcome } from './apply-plan.ts';

/**
 * Applies the plans of a file in one unit of work: all of them or none. Returns the outcome of each account, by id.
 * @throws InputError, AccountConflict
 * @source campaigns 5.7; decision 169
 */
export async function importAccounts(
  registrar: Registrar,
  plans: readonly AccountPlan[],
): Promise<Readonly<Record<string, PlanOutcome>>> {
  const errors = await unknownUsers(registrar.tx, plans);
  if (errors.length > 0) throw new InputError(errors.join('; '));
  const outcomes: Record<string, PlanOutcome> = {};
  for (const plan of plans) outcomes[plan.id] = await applyAccountPlan(registrar, plan);
  return outcomes;
}

/** An error for each reference to an unknown user. */
async function unknownUsers(tx: WriteTransaction, plans: readonly AccountPlan[]): Promise<string[]> {
  const named = plans.flatMap(({ users, promotable }, index) => [
    ...users.map(({ user }, at) => ({ user, path: `accounts[${index}].users[${at}]` })),
    ...promotable
      .map(({ user }, at) => ({ user, path: `accounts[${index}].promotable_users[${at}]` }))
      .filter(({ user }) => !users.some((each) => each.user === user)),
  ]);
  const known = await tx.credentials.findScreenNames([...new Set(named.map(({ user }) => user))]);
  return named
    .filter(({ user }) => !known.has(user))
    .map(({ user, path }) => `${path}.user_id: there is no user ${user}; create one with: barker user create`);
}
