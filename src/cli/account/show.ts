import type { Command } from 'commander';
import { accounts } from '../../features/ads/accounts.ts';
import { ACCOUNT_LIMITS } from '../../features/ads/administration/account-input.ts';
import { liveRowsOf } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { promotableUsers } from '../../features/ads/promotable-users.ts';
import { printFields } from '../output.ts';
import { readAccount } from './on-account.ts';

/** Shows an account with its users, features, own limits and funding instruments. */
export async function showAccount(command: Command, id: string): Promise<void> {
  const lines = await readAccount(command, id, async (tx, { row, environment, limits }) => {
    const values: Record<string, string> = { account_id: id, environment };
    for (const name of Object.keys(accounts.fields)) if (row[name] !== null) values[name] = String(row[name]);
    const members = await tx.accountMembers.listMembers(id);
    const promoted = await liveRowsOf(tx, promotableUsers, id);
    const users = [...members, ...promoted].map(({ user_id }) => String(user_id));
    const names = await tx.credentials.findScreenNames([...new Set(users)]);
    for (const { user_id, role, post_composer } of members) {
      values[`role_${names.get(user_id) ?? user_id}`] = post_composer ? `${role},POST_COMPOSER` : role;
    }
    for (const { id: own, user_id, promotable_user_type } of promoted) {
      values[`promotable_${own}`] = `${promotable_user_type} ${names.get(String(user_id)) ?? user_id}`;
    }
    values.features = (await tx.accountMembers.listFeatures(id)).join(',');
    for (const [name, setting] of Object.entries(ACCOUNT_LIMITS)) {
      if (limits[setting] !== undefined) values[`limit_${name}`] = String(limits[setting]);
    }
    for (const { id: own, type, currency, description } of await liveRowsOf(tx, fundingInstruments, id)) {
      values[`funding_${own}`] = [type, currency, description].join(' ');
    }
    return values;
  });
  printFields(lines);
}
