import type { AnyResource } from '../../../contract/declare/resource.ts';
import type { ReportLevel, ReportRow } from '../../../contract/delivery/report.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import { campaigns } from '../campaigns.ts';
import { lineItems } from '../line-items.ts';
import { mediaCreatives } from '../media-creatives.ts';
import { promotedAccounts } from '../promoted-accounts.ts';
import { promotedPosts } from '../promoted-posts.ts';
import type { ReportedAccount } from './read-report.ts';

const POSTS_AT_ONCE = 500;
/** The kinds of ads, and their columns with what is shown. */
const ADS: readonly (readonly [kind: AnyResource, column: string])[] = [
  [promotedPosts as unknown as AnyResource, 'post_id'],
  [promotedAccounts as unknown as AnyResource, 'user_id'],
  [mediaCreatives as unknown as AnyResource, 'account_media_id'],
];

type Named = { -readonly [Member in keyof ReportRow]: ReportRow[Member] };

/** Gives rows their names; of ads, the texts of their posts. */
export async function nameRows(
  tx: ReadTransaction,
  account: ReportedAccount,
  level: ReportLevel,
  rows: readonly ReportRow[],
): Promise<void> {
  const named = new Map(rows.map((row) => [row.id, row as Named]));
  if (level === 'ads') return nameAds(tx, account, named);
  const kind = (level === 'campaigns' ? campaigns : lineItems) as unknown as AnyResource;
  const found = await tx.records.getMany(kind, account.id, [...named.keys()], { deleted: 'shown' });
  for (const row of found) named.get(row.id)!.name = row.name as string;
}

async function nameAds(tx: ReadTransaction, account: ReportedAccount, ads: ReadonlyMap<string, Named>): Promise<void> {
  const byPost = new Map<string, Named[]>();
  for (const [kind, column] of ADS) {
    for (const row of await tx.records.getMany(kind, account.id, [...ads.keys()], { deleted: 'shown' })) {
      const ad = ads.get(row.id)!;
      ad.shown_id = String(row[column]);
      if (column === 'post_id') byPost.set(ad.shown_id, [...(byPost.get(ad.shown_id) ?? []), ad]);
    }
  }
  const posts = [...byPost.keys()];
  for (let from = 0; from < posts.length; from += POSTS_AT_ONCE) {
    for (const { id, text } of await tx.posts.list(account.environment, posts.slice(from, from + POSTS_AT_ONCE))) {
      for (const ad of byPost.get(id)!) ad.name = text;
    }
  }
}
