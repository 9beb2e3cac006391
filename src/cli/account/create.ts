import type { Command } from 'commander';
import { isZone } from '../../base/zones.ts';
import { takeIdIn } from '../../features/platform/ids.ts';
import { insist, registering, tell } from '../registering.ts';
import { PARTS, readPart } from './fields.ts';
import { good, userNamed } from './found.ts';
import { putAccount } from './put-account.ts';
import { sequenceOf } from './sequence.ts';

/** Creates an account with its administrator, who is the user that it advertises. */
export async function createAccount(command: Command, name: string): Promise<void> {
  const { admin, timezone, businessName, businessId, industry, sandbox } = command.opts();
  const environment = sandbox ? 'sandbox' : 'production';
  const { id: _, ...declared } = PARTS.account;
  const told = { timezone, business_name: businessName, business_id: businessId, industry_type: industry };
  const input = Object.fromEntries(Object.entries({ name, ...told }).filter(([, value]) => value !== undefined));
  const values = good(readPart(declared, input, 'account'));
  if (timezone !== undefined && !isZone(timezone)) insist(`there is no time zone ${timezone}`);
  const id = await registering(command, async (registrar) => {
    const { id: user } = await userNamed(registrar.tx, admin);
    registrar.touched('user', user);
    const account = await takeIdIn(registrar.tx, registrar.random, sequenceOf(environment));
    await putAccount(registrar, {
      id: account,
      environment,
      values,
      users: [{ user, role: 'ACCOUNT_ADMIN', composer: true }],
      promotable: [{ user, type: 'FULL' }],
      instruments: [],
      features: [],
      limits: {},
    });
    registrar.touched('account', account);
    return account;
  });
  tell({ account_id: id });
}
