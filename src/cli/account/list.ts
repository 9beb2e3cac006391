import type { Command } from 'commander';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Row } from '../../contract/declare/resource.ts';
import type { PageQuery } from '../../contract/store/store.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { oneLine, print } from '../output.ts';
import { requireUser } from '../required-rows.ts';
import { runRead } from '../units-of-work.ts';

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
