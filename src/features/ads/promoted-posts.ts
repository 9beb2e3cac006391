import { digits, oneOf, reference } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import { lineItems } from './line-items.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('The line item that promotes it.'),
  post_id: digits({ max: 19 }).required().createOnly().describe('The post, or the repost that was made of it.'),
  entity_status: oneOf('ACTIVE', 'PAUSED').readOnly().defaults('ACTIVE').describe('Whether it is switched on.'),
  approval_status: oneOf('ACCEPTED', 'UNDER_REVIEW', 'REJECTED')
    .readOnly()
    .defaults('ACCEPTED')
    .describe('Whether it may be shown.'),
} satisfies Fields;

/** A stored promotion of a post. */
export type PromotedPost = RowOf<typeof fields>;

/**
 * Promoted posts: posts that a line item shows. They are made several at once, by an operation of their own.
 * @source creatives 14
 */
export const promotedPosts = resource({
  name: 'promoted_post',
  plural: 'promoted_posts',
  label: 'Promoted post',
  description: 'A post that a line item shows.',
  scope: 'account',
  operations: ['list', 'get', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'PROMOTED_POST_NOT_FOUND',
  rate: 'account_reads',
  idsFrom: 36 ** 5 * 2,
  parentField: 'line_item_id',
  fields,
  onePer: (row) => [row.line_item_id, row.post_id],
  list: { sortAliases: { paused: 'entity_status' } },
  historyEntity: 'PROMOTED_POST',
});
