import type { Command } from 'commander';
import { accountInput } from '../../app/account-input.ts';
import { isZone } from '../../base/zones.ts';
import { accountIdSequence } from '../../features/ads/administration/account-ids.ts';
import { applyAccountPlan } from '../../features/ads/administration/apply-plan.ts';
import { takeId } from '../../features/platform/ids.ts';
import { failIf } from '../failure.ts';
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
  const given = Object.fromEntries(Object.entries({ name, ...options }).filter(([, value]) => value !== undefined));
  const values = validValues(accountInput.read(fields, given, 'account'));
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
