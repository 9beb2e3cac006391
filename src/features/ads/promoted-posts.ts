import { digits } from '../../contract/declare/fields.ts';
import { type Fields, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import { adStatusFields, lineItemChild, lineItemReference } from './line-item-children.ts';

const fields = {
  line_item_id: lineItemReference('Line item that promotes the post.'),
  post_id: digits({ max: 19 }).required().createOnly().describe('Promoted post, or the repost made of it.'),
  ...adStatusFields,
} satisfies Fields;

/**
 * Promoted posts: posts assigned to a line item. `promotePosts` creates them in batches.
 * @source creatives 14
 */
export const promotedPosts = resource({
  ...lineItemChild,
  name: 'promoted_post',
  plural: 'promoted_posts',
  label: 'Promoted post',
  description: 'Assigns a post to a line item.',
  operations: ['list', 'get', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'PROMOTED_POST_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 5 * 2 },
  fields,
  unique: { key: (row) => [row.line_item_id, row.post_id] },
  list: { sortAliases: { paused: 'entity_status' } },
  settlesDelivery: 'always',
  historyEntity: 'PROMOTED_POST',
});
