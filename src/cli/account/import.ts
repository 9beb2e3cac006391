import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import type { Writing } from '../../contract/store/store.ts';
import { CommandFailed } from '../failure.ts';
import { registering, tell } from '../registering.ts';
import type { AccountPlan } from './plan.ts';
import { type Outcome, putAccount } from './put-account.ts';
import { readFile } from './read-file.ts';

/** It is held as a whole, because all accounts are made or none. */
const FILE_BYTES_MAX = 67_108_864;

/** Makes accounts what a file says, all of them or none; doing it again changes nothing. @source campaigns 5.7 */
export async function importAccounts(command: Command, file: string): Promise<void> {
  if (statSync(file).size > FILE_BYTES_MAX) {
    throw new CommandFailed(`${file}: larger than ${FILE_BYTES_MAX} bytes; split it`, 2);
  }
  const { plans, wrong } = readFile(readFileSync(file, 'utf8'));
  if (wrong.length > 0) throw new CommandFailed(`${file}: ${wrong.join('; ')}`, 2);
  const outcomes = await registering(command, async (registrar) => {
    const strangers = await strangersIn(registrar.tx, plans);
    if (strangers.length > 0) throw new CommandFailed(`${file}: ${strangers.join('; ')}`, 2);
    const told: Record<string, Outcome> = {};
    for (const plan of plans) {
      const outcome = await putAccount(registrar, plan);
      told[plan.id] = outcome;
      if (outcome !== 'unchanged') registrar.touched('account', plan.id);
    }
    return told;
  });
  tell(outcomes);
}

/** The places where users stand that are not registered. */
async function strangersIn(tx: Writing, plans: readonly AccountPlan[]): Promise<string[]> {
  const named = plans.flatMap(({ users, promotable }, index) => [
    ...users.map(({ user }, at) => ({ user, place: `accounts[${index}].users[${at}]` })),
    ...promotable
      .map(({ user }, at) => ({ user, place: `accounts[${index}].promotable_users[${at}]` }))
      .filter(({ user }) => !users.some((each) => each.user === user)),
  ]);
  const known = await tx.credentials.findScreenNames([...new Set(named.map(({ user }) => user))]);
  return named
    .filter(({ user }) => !known.has(user))
    .map(({ user, place }) => `${place}.user_id: there is no user ${user}; make one with: barker user create`);
}
