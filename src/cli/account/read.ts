import type { Command } from 'commander';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Row } from '../../contract/declare/resource.ts';
import type { PageQuery } from '../../contract/store/records.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { ACCOUNT_LIMITS } from '../../features/ads/administration/account-input.ts';
import { liveRowsOf } from '../../features/ads/administration/apply-plan.ts';
import { fundingInstruments } from '../../features/ads/funding-instruments.ts';
import { promotableUsers } from '../../features/ads/promotable-users.ts';
import { oneLine, print, printFields } from '../output.ts';
import { requireUser } from '../required-rows.ts';
import { runRead } from '../units-of-work.ts';
import { readAccount } from './on-account.ts';

const ENVIRONMENTS: readonly Environment[] = ['production', 'sandbox'];
const PAGE = 1000;

/** Lists accounts, production first, one per line: id, environment, approval status and name. */
export async function listAccounts(command: Command): Promise<void> {
  const { user: named, deleted } = command.opts<{ user?: string; deleted?: true }>();
  const lines = await runRead(command, async ({ tx }) => {
    const user = named === undefined ? undefined : (await requireUser(tx, named)).id;
    const found: string[] = [];
    for (const environment of ENVIRONMENTS) {
      let after: readonly string[] | undefined;
      for (;;) {
        const page: Row[] = await tx.records.page(accounts, {
          ...conditions(environment, user),
          deleted: deleted ? 'shown' : 'hidden',
          sort: [{ column: 'id', direction: 'asc', nullable: false }],
          after,
          limit: PAGE,
        });
        for (const row of page) found.push(lineOf(row, environment));
        if (page.length < PAGE) break;
        after = [page.at(-1)!.id];
      }
    }
    return found;
  });
  for (const line of lines) print(`${line}\n`);
}

function conditions(environment: Environment, user: string | undefined) {
  const member: PageQuery['member'] = user === undefined ? undefined : { user, environment };
  const within: PageQuery['within'] = member ? {} : { environment: [environment] };
  return { account: undefined, member, within, without: undefined, prefix: undefined };
}

function lineOf({ id, approval_status, deleted, name }: Row, environment: Environment): string {
  return [id, environment, deleted ? 'DELETED' : approval_status, oneLine(String(name))].join('\t');
}

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
