import { InputError } from '../../../base/input-error.ts';
import type { AnyResource, Row } from '../../../contract/declare/resource.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { reserveId, takeId } from '../../platform/ids.ts';
import type { Registrar } from '../../platform/registration.ts';
import { accounts } from '../accounts.ts';
import { fundingInstruments } from '../funding-instruments.ts';
import { newPromotableUser, promotableUsers } from '../promotable-users.ts';
import { accountIdSequence } from './account-ids.ts';
import { inputError } from './account-input.ts';
import {
  type AccountPlan,
  accountChanges,
  accountRow,
  changedValues,
  instrumentRow,
  type PlannedInstrument,
} from './account-plan.ts';

/** The outcome of applying a plan to an account. */
type PlanOutcome = 'created' | 'changed' | 'unchanged';

/** Thrown when a plan contradicts the existing account; the message explains the conflict. */
export class AccountConflict extends Error {
  override readonly name = 'AccountConflict';
}

/**
 * Creates an account or updates it to a plan. Users, features and instruments outside the plan are kept; applying a
 * plan is idempotent.
 * @throws AccountConflict, or InputError for an invalid funding instrument
 * @source decision 169
 */
export async function applyAccountPlan(registrar: Registrar, plan: AccountPlan): Promise<PlanOutcome> {
  const { tx, now } = registrar;
  const key = { account: undefined, id: plan.id };
  const before = (await tx.records.get(accounts, key, { deleted: 'shown', lock: true })) as Row | undefined;
  const stored = before && (await tx.accountMembers.findLimits(plan.id));
  if (before?.deleted) throw new AccountConflict(`account ${plan.id} was deleted`);
  if (stored && stored.environment !== plan.environment) {
    throw new AccountConflict(`account ${plan.id} belongs to ${stored.environment}`);
  }
  const changes = before ? accountChanges(plan, before) : {};
  const limits = JSON.stringify({ ...JSON.parse(stored?.limits ?? '{}'), ...plan.limits });
  const changed = [
    Object.keys(changes).length > 0 || (before !== undefined && limits !== stored!.limits),
    before === undefined,
  ];
  if (!before) {
    await tx.records.insert(accounts, { ...accountRow(plan, now), limits } as Row);
    await reserveId(tx, plan.id, accountIdSequence(plan.environment));
  } else if (changed[0]) {
    await tx.records.update(accounts, key, { ...changes, limits, updated_at: now });
  }
  changed.push(await putUsers(tx, plan));
  changed.push(await putFeatures(tx, plan));
  changed.push(await putInstruments(tx, plan.id, plan.instruments, now));
  changed.push(await putPromotable(registrar, plan));
  tx.invalidate(`account:${plan.id}`);
  return before ? (changed.includes(true) ? 'changed' : 'unchanged') : 'created';
}

async function putUsers(tx: WriteTransaction, { id, users }: AccountPlan): Promise<boolean> {
  const current = await tx.accountMembers.listMembers(id);
  const missing = users
    .map(({ user, role, composer }) => {
      return { account_id: id, user_id: user, role, post_composer: composer ? (1 as const) : (0 as const) };
    })
    .filter((wanted) => {
      const found = current.find(({ user_id }) => user_id === wanted.user_id);
      return found?.role !== wanted.role || found.post_composer !== wanted.post_composer;
    });
  for (const membership of missing) await tx.accountMembers.put(membership);
  return missing.length > 0;
}

/** Adds the planned features; an account has only features added by operators. @source decision 170 */
async function putFeatures(tx: WriteTransaction, { id, features }: AccountPlan): Promise<boolean> {
  const current = await tx.accountMembers.listFeatures(id);
  const missing = features.filter((key) => !current.includes(key));
  await tx.accountMembers.addFeatures(id, missing);
  return missing.length > 0;
}

/** Creates and updates the planned instruments of an account; returns whether anything changed. */
export async function putInstruments(
  tx: WriteTransaction,
  account: string,
  instruments: readonly PlannedInstrument[],
  now: string,
): Promise<boolean> {
  let changed = false;
  for (const planned of instruments) {
    const { id, values } = planned;
    const found = await tx.records.get(fundingInstruments, { account, id }, { deleted: 'hidden', lock: true });
    const before = found as Row | undefined;
    const after = before ? ({ ...before, ...values } as Row) : instrumentRow(account, id, values, now);
    await checkInstrument(tx, planned, after, now);
    const changes = before ? changedValues(values, before) : {};
    if (!before) {
      await tx.records.insert(fundingInstruments, after);
      await reserveId(tx, id, { kind: fundingInstruments.name, start: fundingInstruments.ids.from });
    } else if (Object.keys(changes).length > 0) {
      await tx.records.update(fundingInstruments, { account, id }, { ...changes, updated_at: now });
    }
    changed ||= !before || Object.keys(changes).length > 0;
  }
  return changed;
}

/** Checks an instrument with the rules of the API. @throws InputError */
async function checkInstrument(
  tx: WriteTransaction,
  { path }: PlannedInstrument,
  after: Row,
  now: string,
): Promise<void> {
  const author = { user: '', canCompose: false };
  // Their rules do not read the account.
  const account = undefined as never;
  const context = { before: undefined, referenced: new Map(), account, media: undefined, tx, author, now };
  for (const rule of fundingInstruments.rules ?? []) {
    const found = await rule({ resource: fundingInstruments, verb: 'create', after: after as never, ...context });
    const [error] = found ? [found].flat() : [];
    if (error) throw new InputError(inputError(path, error));
  }
}

/** Sets the user of the FULL promotable user, and adds missing promotable users of other types. */
async function putPromotable({ tx, random, now }: Registrar, plan: AccountPlan): Promise<boolean> {
  const current = await readLiveRows(tx, promotableUsers, plan.id);
  let changed = false;
  for (const { user, type } of plan.promotable) {
    const same = current.filter((row) => row.promotable_user_type === type);
    if (same.some((row) => row.user_id === user)) continue;
    changed = true;
    const key = { account: plan.id, id: same[0]?.id ?? '' };
    if (type === 'FULL' && same[0]) {
      await tx.records.update(promotableUsers, key, { user_id: user, updated_at: now });
      continue;
    }
    const id = await takeId(tx, random, { kind: promotableUsers.name, start: promotableUsers.ids.from });
    await tx.records.insert(promotableUsers, newPromotableUser({ id, account: plan.id, user, type, now }));
  }
  return changed;
}

/** Reads every live row of a resource in an account, sorted by id. */
export function readLiveRows(tx: ReadTransaction, resource: AnyResource, account: string | undefined): Promise<Row[]> {
  const sort = [{ column: 'id', direction: 'asc', nullable: false }] as const;
  return tx.records.page(resource, { account, deleted: 'hidden', within: {}, sort, limit: 100_000 });
}

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

/** Returns an error for each reference to an unknown user. */
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
