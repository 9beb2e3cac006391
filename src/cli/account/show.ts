import type { Command } from 'commander';
import { accounts } from '../../features/ads/accounts.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { promotableUsers } from '../../features/ads/promotable-users.ts';
import { tell } from '../registering.ts';
import { LIMITS } from './fields.ts';
import { lookAtAccount } from './found.ts';
import { allOf } from './put-account.ts';

/** Shows an account, its users, features, limits of its own and funding instruments. */
export async function showAccount(command: Command, id: string): Promise<void> {
  const told = await lookAtAccount(command, id, async (tx, { row, environment, limits }) => {
    const shown: Record<string, string> = { account_id: id, environment };
    for (const name of Object.keys(accounts.fields)) if (row[name] !== null) shown[name] = String(row[name]);
    const members = await tx.accountMembers.listMembers(id);
    const promoted = await allOf(tx, promotableUsers, id);
    const users = [...members, ...promoted].map(({ user_id }) => String(user_id));
    const names = await tx.credentials.findScreenNames([...new Set(users)]);
    for (const { user_id, role, post_composer } of members) {
      shown[`role_${names.get(user_id) ?? user_id}`] = post_composer ? `${role},POST_COMPOSER` : role;
    }
    for (const { id: own, user_id, promotable_user_type } of promoted) {
      shown[`promotable_${own}`] = `${promotable_user_type} ${names.get(String(user_id)) ?? user_id}`;
    }
    shown.features = (await tx.accountMembers.listFeatures(id)).join(',');
    for (const [name, setting] of Object.entries(LIMITS)) {
      if (limits[setting] !== undefined) shown[`limit_${name}`] = String(limits[setting]);
    }
    for (const { id: own, type, currency, description } of await allOf(tx, fundingInstruments, id)) {
      shown[`funding_${own}`] = [type, currency, description].join(' ');
    }
    return shown;
  });
  tell(told);
}
