import { digits, oneOf, reference } from '../../contract/declare/fields.ts';
import { type Fields, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import { lineItems } from './line-items.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('Line item that promotes the post.'),
  post_id: digits({ max: 19 }).required().createOnly().describe('Promoted post, or the repost made of it.'),
  entity_status: oneOf('ACTIVE', 'PAUSED').readOnly().defaults('ACTIVE').describe('Status set by the advertiser.'),
  approval_status: oneOf('ACCEPTED', 'UNDER_REVIEW', 'REJECTED')
    .readOnly()
    .defaults('ACCEPTED')
    .describe('Review status: only accepted ads are shown.'),
} satisfies Fields;

/**
 * Promoted posts: posts assigned to a line item. They are created several at once, by `promotePosts`.
 * @source creatives 14
 */
export const promotedPosts = resource({
  name: 'promoted_post',
  plural: 'promoted_posts',
  label: 'Promoted post',
  description: 'Assigns a post to a line item.',
  scope: 'account',
  operations: ['list', 'get', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'PROMOTED_POST_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 5 * 2 },
  parentField: 'line_item_id',
  fields,
  unique: { key: (row) => [row.line_item_id, row.post_id] },
  list: { sortAliases: { paused: 'entity_status' } },
  settlesDelivery: 'always',
  historyEntity: 'PROMOTED_POST',
});
