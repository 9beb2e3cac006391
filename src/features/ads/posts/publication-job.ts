import type { AccountState, Environment } from '../../../contract/declare/account-state.ts';
import type { NewIds, Services } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM, rowOfJob } from '../../../contract/declare/resource.ts';
import type { JobKind } from '../../../contract/store/jobs.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/unit-of-work.ts';
import { accountMedia } from '../account-media.ts';
import { accounts } from '../accounts.ts';
import { promotedPosts } from '../promoted-posts.ts';
import { PUBLICATION, type ScheduledPost, scheduledPosts } from '../scheduled-posts.ts';
import { type ScheduledPromotedPost, scheduledPromotedPosts } from '../scheduled-promoted-posts.ts';
import { checkPublishable, mediaKeysOf } from './post-content.ts';
import { buildPost, publishPost } from './publish-post.ts';

/** Services, and ids taken before the unit of work. */
interface PreparedIds {
  readonly services: Services;
  readonly post: string;
  readonly media: readonly NewIds[];
  readonly promotions: readonly NewIds[];
}

/**
 * Publishes a scheduled post and promotes it with its line items. The content is validated at this point.
 * @source creatives 11; decision 612
 */
export const publicationJob: JobKind<PreparedIds> = {
  name: PUBLICATION,
  isTimed: true,
  async prepare({ key }, services) {
    const { store, ids, rowFactory } = services;
    const { account, id } = rowOfJob(key);
    const { row, promotions, home, state } = await store.read(async (tx) => ({
      row: await tx.records.get(scheduledPosts, { account, id }, { deleted: 'hidden' }),
      promotions: await findPromotions(tx, account, id),
      home: await tx.records.get(accounts, { account: undefined, id: account }, { deleted: 'hidden' }),
      state: await accountState(tx, account),
    }));
    if (promotions.length > 0 && home && state) {
      await services.delivery.settleBeforeChange({ ...state, timezone: String(home.timezone) });
    }
    const [post] = await ids.takeLong('post', LONG_IDS_FROM, 1);
    const media = await rowFactory.takeIds(accountMedia, row ? mediaKeysOf(row).length : 0);
    return { services, post: post!, media, promotions: await rowFactory.takeIds(promotedPosts, promotions.length) };
  },
  async store(tx, { key }, prepared, now) {
    const { account, id } = rowOfJob(key);
    await tx.records.lockAccount(account);
    const row = await tx.records.get(scheduledPosts, { account, id }, { deleted: 'hidden', lock: true });
    if (row?.scheduled_status === 'SCHEDULED') await publishOrFail(tx, row, prepared, now);
  },
};

/** Reads the live promotions of a scheduled post. */
function findPromotions(tx: ReadTransaction, account: string, id: string): Promise<ScheduledPromotedPost[]> {
  const column = 'scheduled_post_id';
  return tx.records.getMany(scheduledPromotedPosts, account, [id], { deleted: 'hidden', column });
}

/** Publishes a post and promotes it; if that fails, its promotions are rejected. @source decision 240 */
async function publishOrFail(
  tx: WriteTransaction,
  row: ScheduledPost,
  prepared: PreparedIds,
  now: string,
): Promise<void> {
  const { services } = prepared;
  const account = (await accountState(tx, row.account_id))!;
  const mediaContext = { tx, media: services.media.addresses, account, now };
  const { media, errors } = await checkPublishable(mediaContext, row, { author: String(row.user_id) });
  const key = { account: row.account_id, id: row.id };
  const done = { completed_at: now, updated_at: now };
  const promotions = await findPromotions(tx, row.account_id, row.id);
  const promoted = promotions.map((each) => each.id);
  const home = await tx.records.get(accounts, { account: undefined, id: row.account_id }, { deleted: 'hidden' });
  // Deleted accounts must not publish.
  if (errors.length > 0 || !home) {
    await tx.records.update(scheduledPosts, key, { ...done, scheduled_status: 'FAILED' });
    const rejected = { approval_status: 'REJECTED', updated_at: now };
    return tx.records.updateAll(scheduledPromotedPosts, row.account_id, promoted, rejected);
  }
  const actor = { account, principal: { user: String(row.scheduled_by) }, now };
  const { account_id, user_id, scheduled_by, text, name, card_uri } = row;
  const post = buildPost({
    id: prepared.post,
    environment: account.environment,
    account_id,
    user_id: String(user_id),
    contributor_id: scheduled_by === user_id ? null : scheduled_by,
    text,
    name,
    nullcast: row.nullcast ?? 1,
    card_uri,
    media_keys: row.media_keys ?? '[]',
    created_at: now,
  });
  await publishPost(tx, { rowFactory: services.rowFactory, actor, mediaIds: prepared.media }, post, media);
  await tx.records.update(scheduledPosts, key, { ...done, scheduled_status: 'SUCCESS', post_id: post.id });
  const published = { post_id: post.id, updated_at: now };
  await tx.records.updateAll(scheduledPromotedPosts, row.account_id, promoted, published);
  for (const [index, { line_item_id }] of promotions.entries()) {
    const ids = prepared.promotions[index];
    // A promotion was added after the ids were taken: fail, so that the job is retried.
    if (!ids) throw new Error(`scheduled post ${row.id} has more promotions than ids were taken for`);
    await services.rowFactory.create(tx, promotedPosts, actor, { line_item_id, post_id: post.id }, ids);
  }
}

/** Reads the account state that rules need. */
async function accountState(tx: ReadTransaction, id: string): Promise<AccountState | undefined> {
  const found = await tx.accountMembers.findLimits(id);
  if (!found) return undefined;
  const environment = found.environment as Environment;
  return { id, environment, approval_status: 'ACCEPTED', timezone: 'UTC', deleted: false, limits: {} };
}
