import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import { InputError } from '../../base/input-error.ts';
import { readAccountFile } from '../../features/ads/administration/account-file.ts';
import { AccountConflict } from '../../features/ads/administration/apply-plan.ts';
import { importAccounts } from '../../features/ads/administration/import-accounts.ts';
import { CommandFailed } from '../failure.ts';
import { printFields } from '../output.ts';
import { runWrite } from '../units-of-work.ts';

/** The whole file is held in memory, because all accounts are imported or none. */
const FILE_BYTES_MAX = 67_108_864;

/** Creates and updates the accounts of a file, all of them or none. @source decision 169 */
export async function importAccountFile(command: Command, file: string): Promise<void> {
  if (statSync(file).size > FILE_BYTES_MAX) {
    throw new CommandFailed(`${file}: larger than ${FILE_BYTES_MAX} bytes; split it`, 2);
  }
  const { plans, errors } = readAccountFile(readFileSync(file, 'utf8'), accountInput);
  if (errors.length > 0) throw new CommandFailed(`${file}: ${errors.join('; ')}`, 2);
  const outcomes = await runWrite(command, async (registrar) => {
    const imported = await importAccounts(registrar, plans).catch((error: unknown) => {
      if (error instanceof InputError) throw new CommandFailed(`${file}: ${error.message}`, 2);
      throw error instanceof AccountConflict ? new CommandFailed(error.message) : error;
    });
    for (const [id, outcome] of Object.entries(imported)) {
      if (outcome !== 'unchanged') registrar.addTarget('account', id);
    }
    return imported;
  });
  printFields(outcomes);
}
