import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sandboxClient } from './signed.ts';
import type { Target } from './target.ts';

/** The campaign of an account, which is at `path`, and the numbers of its copies. */
interface CampaignsToCopy {
  readonly account: string;
  readonly path: string;
  readonly campaign: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Copies a campaign, straight into the tables. Each copy has its own second, and a name with its number. */
export async function manyCampaigns(
  target: Target,
  { account, path, campaign, from, to }: CampaignsToCopy,
): Promise<void> {
  const database = new DatabaseSync(join(target.folder, 'barker.db'), { timeout: 60_000 });
  const columns = database
    .prepare('select name from pragma_table_info(?)')
    .all('campaigns')
    .map(({ name }) => String(name));
  const changed: Record<string, string> = {
    id: "printf('z%07d', number)",
    name: "printf('Copy %07d', number)",
    name_folded: "printf('copy %07d', number)",
    created_at: "strftime('%Y-%m-%dT%H:%M:%SZ', 1700000000 + number, 'unixepoch')",
  };
  database
    .prepare(`with recursive numbers(number) as (select ? union all select number + 1 from numbers where number < ?)
      insert into campaigns (${columns.join(', ')})
      select ${columns.map((name) => changed[name] ?? name).join(', ')}
      from numbers, campaigns where account_id = ? and id = ?`)
    .run(from + 1, to, account, campaign);
  database.close();
  // Reads of the server see the copies when a write of its own that waited for them, such as that of a job, has ended.
  const { status, text } = await sandboxClient(target).call('PUT', `${path}/campaigns/${campaign}`, {
    params: { name: 'Copied' },
  });
  assert.equal(status, 200, text);
}
