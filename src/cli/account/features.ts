import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import type { RawValue } from '../../contract/declare/fields.ts';
import { itemsOf } from '../../contract/declare/fields.ts';
import { failIf } from '../failure.ts';
import { printFields } from '../output.ts';
import { updateAccount, validValues } from './on-account.ts';

/** Grants features to an account and revokes others; prints the resulting features. @source decision 170 */
export async function changeFeatures(command: Command, id: string): Promise<void> {
  const { add = [], remove = [] } = command.opts<{ add?: string[]; remove?: string[] }>();
  if (add.length + remove.length === 0) failIf('give --add or --remove');
  const [granted, taken] = [keysOf(add), keysOf(remove)];
  const features = await updateAccount(command, id, async ({ tx, addTarget }) => {
    for (const key of [...granted, ...taken]) addTarget('feature', key);
    await tx.accountMembers.addFeatures(id, granted);
    await tx.accountMembers.removeFeatures(id, taken);
    return tx.accountMembers.listFeatures(id);
  });
  printFields({ account_id: id, features: features.join(',') });
}

function keysOf(names: readonly RawValue[]): string[] {
  const { features } = validValues(accountInput.read(accountInput.fields.features, { features: names }, 'account'));
  return itemsOf(String(features));
}
