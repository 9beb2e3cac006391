import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import { InputError } from '../../base/input-error.ts';
import { isZone } from '../../base/zones.ts';
import { readAccountFile } from '../../features/ads/administration/account-file.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import { AccountConflict, applyAccountPlan } from '../../features/ads/administration/apply-plan.ts';
import { importAccounts } from '../../features/ads/administration/import-accounts.ts';
import { takeId } from '../../features/platform/ids.ts';
import { CommandFailed, failIf } from '../failure.ts';
import { printFields } from '../output.ts';
import { requireUser } from '../required-rows.ts';
import { runWrite } from '../units-of-work.ts';
import { validValues } from './on-account.ts';

/** Creates an account with its administrator, who also becomes its FULL promotable user. @source decision 170 */
export async function createAccount(command: Command, name: string): Promise<void> {
  const { admin, timezone, businessName, businessId, industry, sandbox } = command.opts();
  const environment = sandbox ? 'sandbox' : 'production';
  const { id: _, ...fields } = accountInput.fields.account;
  const options = { timezone, business_name: businessName, business_id: businessId, industry_type: industry };
  const set = Object.fromEntries(Object.entries({ name, ...options }).filter(([, value]) => value !== undefined));
  const values = validValues(accountInput.read(fields, set, 'account'));
  if (timezone !== undefined && !isZone(timezone)) failIf(`there is no time zone ${timezone}`);
  const id = await runWrite(command, async (registrar) => {
    const { id: user } = await requireUser(registrar.tx, admin);
    registrar.addTarget('user', user);
    const account = await takeId(registrar.tx, registrar.random, accountIdSequence(environment));
    await applyAccountPlan(registrar, {
      id: account,
      environment,
      values,
      users: [{ user, role: 'ACCOUNT_ADMIN', composer: true }],
      promotable: [{ user, type: 'FULL' }],
      instruments: [],
      features: [],
      limits: {},
    });
    registrar.addTarget('account', account);
    return account;
  });
  printFields({ account_id: id });
}

/** The whole file is read into memory, because all accounts are imported or none. */
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
