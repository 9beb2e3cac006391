import type { Command } from 'commander';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Input } from '../../contract/declare/operation.ts';
import type { Row } from '../../contract/declare/resource.ts';
import { accounts } from '../../features/ads/accounts.ts';
import type { InputResult } from '../../features/ads/administration/account-input.ts';
import type { Registrar } from '../../features/platform/registration.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { CommandFailed } from '../failure.ts';
import { type RecordedRegistrar, runRead, runWrite } from '../units-of-work.ts';

/** An account that a command works on. */
export interface FoundAccount {
  readonly row: Row;
  readonly environment: Environment;
  /** Limits that override the settings, by setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * Changes an existing account in one unit of work, and invalidates it in the caches of the running server.
 * @source decision 106
 */
export async function updateAccount<T>(
  command: Command,
  id: string,
  work: (registrar: RecordedRegistrar, account: FoundAccount) => Promise<T>,
): Promise<T> {
  return runWrite(command, async (registrar) => {
    const { tx, addTarget } = registrar;
    const found = await accountOf(tx, id, { lock: true });
    tx.invalidate(`account:${id}`);
    addTarget('account', id);
    return work(registrar, found);
  });
}

/** Reads an existing account. */
export async function readAccount<T>(
  command: Command,
  id: string,
  work: (tx: ReadTransaction, account: FoundAccount) => Promise<T>,
): Promise<T> {
  return runRead(command, async ({ tx }) => work(tx, await accountOf(tx, id, { lock: false })));
}

async function accountOf(tx: ReadTransaction, id: string, { lock }: { readonly lock: boolean }): Promise<FoundAccount> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden', lock });
  const membership = await tx.accountMembers.findLimits(id);
  if (!row || !membership) throw new CommandFailed(`there is no account ${id}; see: barker account list`);
  const environment = membership.environment as Environment;
  return { row, environment, limits: JSON.parse(membership.limits) };
}

/** Changes columns of an account. */
export async function updateColumns(
  { tx, now }: Registrar,
  id: string,
  changes: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await tx.records.update(accounts, { account: undefined, id }, { ...changes, updated_at: now });
}

/** The values of valid input. @throws CommandFailed with every error of invalid input */
export function validValues({ values, errors }: InputResult): Input {
  if (errors.length > 0) throw new CommandFailed(errors.join('; '), 2);
  return values;
}
