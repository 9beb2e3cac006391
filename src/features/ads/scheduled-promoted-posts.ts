import { digits, oneOf, reference } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { lineItemChild, lineItemReference } from './line-item-children.ts';
import type { LineItem } from './line-items.ts';
import { checkObjective } from './posts/objective-requirements.ts';
import { type ScheduledPost, scheduledPosts } from './scheduled-posts.ts';

const fields = {
  line_item_id: lineItemReference('Line item that will promote the post.'),
  scheduled_post_id: reference(() => scheduledPosts)
    .required()
    .createOnly()
    .describe('Scheduled post.'),
  post_id: digits({ max: 19 }).readOnly().describe('Id of the published post, once published.'),
  // REJECTED when publication failed: the campaign counts it as a rejected creative. @source decision 240
  approval_status: oneOf('ACCEPTED', 'REJECTED').readOnly().defaults('ACCEPTED').hidden(),
} satisfies Fields;

/** A stored scheduled promoted post. */
export type ScheduledPromotedPost = RowOf<typeof fields>;

/**
 * Scheduled promoted posts: scheduled posts that a line item promotes once they are published.
 * @source creatives 12
 */
export const scheduledPromotedPosts = resource({
  ...lineItemChild,
  name: 'scheduled_promoted_post',
  plural: 'scheduled_promoted_posts',
  label: 'Scheduled promoted post',
  description: 'Promotes a scheduled post with a line item once it is published.',
  operations: ['list', 'get', 'create', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 3 },
  fields,
  unique: { key: (row) => [row.line_item_id, row.scheduled_post_id] },
  rules: [postIsPromotable],
  createProblems: ['POST_UNFIT'],
  deletion: { rules: [postIsPending], problems: ['ACTION_NOT_ALLOWED'] },
});

/** Rule: the post is pending and fits the objective of the line item. */
async function postIsPromotable({ referenced, tx }: Change<ScheduledPromotedPost>): Promise<ErrorDetail | undefined> {
  const line = referenced.get('line_item_id') as LineItem | undefined;
  const post = referenced.get('scheduled_post_id') as ScheduledPost | undefined;
  if (!line || !post) return undefined;
  if (post.scheduled_status === 'SCHEDULED') return checkObjective(tx, line, post, 'scheduled_post_id');
  const words = { line: line.id, why: 'it is no longer scheduled' };
  return { problem: 'POST_UNFIT', parameter: 'scheduled_post_id', value: post.id, words };
}

/** Rule: promotions cannot be deleted once publication is due. */
async function postIsPending({ after, tx, now }: Change<ScheduledPromotedPost>): Promise<ErrorDetail | undefined> {
  const key = { account: after.account_id, id: String(after.scheduled_post_id) };
  const post = await tx.records.get(scheduledPosts, key, { deleted: 'hidden' });
  const isDue = after.post_id !== null || (post !== undefined && post.scheduled_at! <= now);
  return isDue ? { problem: 'ACTION_NOT_ALLOWED', words: { account: after.account_id } } : undefined;
}
