import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import { itemsOf, type RawValue } from '../../contract/declare/fields.ts';
import type { Input } from '../../contract/declare/operation.ts';
import type { Row } from '../../contract/declare/resource.ts';
import { COMPOSER_ROLES, type Role } from '../../contract/declare/roles.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { ACCOUNT_LIMITS, type InputResult } from '../../features/ads/administration/account-input.ts';
import { grantRole, type RoleConflict, revokeRole } from '../../features/ads/administration/account-roles.ts';
import { putInstruments } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { takeId } from '../../features/platform/ids.ts';
import type { Registrar } from '../../features/platform/registration.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { CommandFailed, failIf, UsageError } from '../failure.ts';
import { printFields } from '../output.ts';
import { type RecordedRegistrar, runWrite } from '../units-of-work.ts';

/** Sets whether an account may advertise, which decides what its campaigns can serve. */
export async function setApproval(command: Command, id: string): Promise<void> {
  const { status } = command.opts<{ status: string }>();
  await updateAccount(command, id, (registrar) => updateColumns(registrar, id, { approval_status: status }));
  printFields({ account_id: id, approval_status: status });
}

/** Grants features to an account and revokes others; prints the resulting features. @source decision 170 */
export async function changeFeatures(command: Command, id: string): Promise<void> {
  const { add = [], remove = [] } = command.opts<{ add?: string[]; remove?: string[] }>();
  if (add.length + remove.length === 0) failIf('give --add or --remove');
  const [granted, revoked] = [keysOf(add), keysOf(remove)];
  const features = await updateAccount(command, id, async ({ tx, addTarget }) => {
    for (const key of [...granted, ...revoked]) addTarget('feature', key);
    await tx.accountMembers.addFeatures(id, granted);
    await tx.accountMembers.removeFeatures(id, revoked);
    return tx.accountMembers.listFeatures(id);
  });
  printFields({ account_id: id, features: features.join(',') });
}

function keysOf(names: readonly RawValue[]): string[] {
  const { features } = validValues(accountInput.read(accountInput.fields.features, { features: names }, 'account'));
  return itemsOf(String(features));
}

/** Adds a funding instrument to an account. */
export async function fundAccount(command: Command, id: string): Promise<void> {
  const options = command.opts();
  const { id: _, ...fields } = accountInput.fields.instrument;
  const instrument = await updateAccount(command, id, async ({ tx, random, now, addTarget }) => {
    const input = withoutUndefined({
      type: options.type,
      currency: options.currency,
      start_time: options.startTime ?? now,
      end_time: options.endTime,
      credit_limit_local_micro: options.creditLimit,
      funded_amount_local_micro: options.fundedAmount,
      description: options.description,
      io_header: options.ioHeader,
    });
    const values = validValues(accountInput.read(fields, input, 'funding_instrument'));
    const { name: kind, ids } = fundingInstruments;
    const own = await takeId(tx, random, { kind, start: ids.from });
    await putInstruments(tx, id, [{ id: own, values, path: 'funding_instrument' }], now);
    addTarget('funding_instrument', own);
    return own;
  });
  printFields({ account_id: id, funding_instrument_id: instrument });
}

/** Overrides limits of an account; `default` restores the limit of the settings. */
export async function setLimits(command: Command, id: string): Promise<void> {
  const options = Object.fromEntries(
    command.options
      .map(
        (option) => [option.long?.slice(2).replaceAll('-', '_') ?? '', command.opts()[option.attributeName()]] as const,
      )
      .filter(([name, value]) => name in ACCOUNT_LIMITS && value !== undefined),
  ) as Record<string, string>;
  if (Object.keys(options).length === 0) failIf('give a limit');
  const numbers = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== 'default'));
  const values = validValues(accountInput.read(accountInput.fields.limits, numbers, 'limits'));
  const limits = await updateAccount(command, id, async (registrar, { limits: before }) => {
    const after: Record<string, number> = { ...before };
    for (const name of Object.keys(options)) {
      const setting = ACCOUNT_LIMITS[name as keyof typeof ACCOUNT_LIMITS];
      if (values[name] === undefined) delete after[setting];
      else after[setting] = Number(values[name]);
    }
    await updateColumns(registrar, id, { limits: JSON.stringify(after) });
    return after;
  });
  const effective = Object.entries(ACCOUNT_LIMITS).map(
    ([name, setting]) => [name, String(limits[setting] ?? 'default')] as const,
  );
  printFields({ account_id: id, ...Object.fromEntries(effective) });
}

/** Gives a user a role on an account, or revokes it. @source decision 171 */
export async function setRole(command: Command, id: string, userName: string): Promise<void> {
  const {
    role,
    postComposer = false,
    none = false,
  } = command.opts<{ role?: Role; postComposer?: true; none?: true }>();
  if (none === (role !== undefined)) failIf('give either --role or --none');
  if (postComposer && !COMPOSER_ROLES.includes(role as Role)) {
    failIf(`POST_COMPOSER applies to ${COMPOSER_ROLES.join(', ')}`);
  }
  const user = await updateAccount(command, id, async ({ tx, targetUser }) => {
    const found = await targetUser(userName);
    const key = { account: id, user: found.id };
    const conflict =
      role === undefined ? await revokeRole(tx, key) : await grantRole(tx, { ...key, role, postComposer });
    if (conflict) throw new CommandFailed(conflictMessage(conflict, userName, id));
    return found;
  });
  printFields({ account_id: id, user_id: user.id, role: role ?? 'none', post_composer: postComposer ? 'yes' : 'no' });
}

function conflictMessage(conflict: RoleConflict, userName: string, account: string): string {
  if (conflict === 'last administrator') return `${userName} is the last administrator of account ${account}`;
  if (conflict === 'promoted user') return `${userName} is the FULL promotable user of account ${account}`;
  return `${userName} has no role on account ${account}`;
}

interface FoundAccount {
  readonly row: Row;
  readonly environment: Environment;
  /** Limits that override the settings, by setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * Changes an existing account in one unit of work, and invalidates it in the caches of the running server.
 * @source decision 106
 */
async function updateAccount<T>(
  command: Command,
  id: string,
  work: (registrar: RecordedRegistrar, account: FoundAccount) => Promise<T>,
): Promise<T> {
  return runWrite(command, async (registrar) => {
    const { tx, addTarget } = registrar;
    const found = await findAccount(tx, id, { lock: true });
    tx.invalidate(`account:${id}`);
    addTarget('account', id);
    return work(registrar, found);
  });
}

/** Reads an existing account. @throws CommandFailed */
export async function findAccount(
  tx: ReadTransaction,
  id: string,
  { lock }: { readonly lock: boolean },
): Promise<FoundAccount> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden', lock });
  const membership = await tx.accountMembers.findLimits(id);
  if (!row || !membership) throw new CommandFailed(`there is no account ${id}; see: barker account list`);
  const environment = membership.environment as Environment;
  return { row, environment, limits: JSON.parse(membership.limits) };
}

async function updateColumns(
  { tx, now }: Registrar,
  id: string,
  changes: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await tx.records.update(accounts, { account: undefined, id }, { ...changes, updated_at: now });
}

/** The values of valid input. @throws CommandFailed with every error of invalid input */
export function validValues({ values, errors }: InputResult): Input {
  if (errors.length > 0) throw new UsageError(errors.join('; '));
  return values;
}

/** The members that are not undefined. */
export function withoutUndefined(members: Readonly<Record<string, RawValue | undefined>>): Record<string, RawValue> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Record<
    string,
    RawValue
  >;
}
