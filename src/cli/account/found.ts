import type { Command } from 'commander';
import type { Input } from '../../contract/declare/operation.ts';
import type { Environment, Row } from '../../contract/declare/resource.ts';
import type { User } from '../../contract/store/credentials.ts';
import type { Reading } from '../../contract/store/store.ts';
import { accounts } from '../../features/ads/accounts.ts';
import type { Registrar } from '../../features/platform/register.ts';
import { CommandFailed } from '../failure.ts';
import { looking, type RecordedRegistrar, registering } from '../registering.ts';
import type { Read } from './fields.ts';

/** An account as commands meet it. */
export interface Found {
  readonly row: Row;
  readonly environment: Environment;
  /** Limits of its own, by setting name. */
  readonly limits: Readonly<Record<string, number>>;
}

/** Does something to an account that exists, in one unit of work; running servers take notice. */
export async function onAccount<T>(
  command: Command,
  id: string,
  work: (registrar: RecordedRegistrar, account: Found) => Promise<T>,
): Promise<T> {
  return registering(command, async (registrar) => {
    const { tx, touched } = registrar;
    const found = await accountOf(tx, id, { lock: true });
    tx.touch(`account:${id}`);
    touched('account', id);
    return work(registrar, found);
  });
}

/** Looks at an account that exists. */
export async function lookAtAccount<T>(
  command: Command,
  id: string,
  work: (tx: Reading, account: Found) => Promise<T>,
): Promise<T> {
  return looking(command, async ({ tx }) => work(tx, await accountOf(tx, id, { lock: false })));
}

async function accountOf(tx: Reading, id: string, { lock }: { readonly lock: boolean }): Promise<Found> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden', lock });
  const beside = await tx.accountMembers.findLimits(id);
  if (!row || !beside) throw new CommandFailed(`there is no account ${id}; see: barker account list`);
  const environment = beside.environment as Environment;
  return { row: row as unknown as Row, environment, limits: JSON.parse(beside.limits) };
}

/** Changes columns of an account. */
export async function changeAccount(
  { tx, now }: Registrar,
  id: string,
  changes: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  await tx.records.update(accounts, { account: undefined, id }, { ...changes, updated_at: now });
}

/** The user of a name. */
export async function userNamed(tx: Reading, name: string): Promise<User> {
  const user = await tx.credentials.findUserByName(name);
  if (!user) throw new CommandFailed(`there is no user ${name}; make one with: barker user create`);
  return user;
}

/** What was read, or the failure that says what is wrong with it. */
export function good({ input, wrong }: Read): Input {
  if (wrong.length > 0) throw new CommandFailed(wrong.join('; '), 2);
  return input;
}
