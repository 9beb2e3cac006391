import { Type } from '../../../base/json-schema.ts';
import { digits, itemsOf, listOf, oneOf } from '../../../contract/declare/fields.ts';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { findVisiblePosts, POST_TYPES, type PostType } from '../posts/post-view.ts';
import { previewUrl } from './preview-url.ts';

/**
 * Lists preview iframes of posts. Ids without a post of the type are left out.
 * @source creatives 13.4
 */
export const listPreviews: AccountOperation = {
  id: 'post_previews.list',
  method: 'GET',
  path: '/12/accounts/:account_id/post_previews',
  description: 'List iframes that show posts as people see them, for embedding.',
  group: 'post_previews',
  family: 'ads',
  roles: CREATIVE_WRITERS,
  rate: 'account_reads_small',
  parameters: {
    post_ids: listOf(digits({ max: 19 }), { max: 200 })
      .required()
      .describe('Post ids.'),
    post_type: oneOf(...POST_TYPES)
      .required()
      .describe('Post type.'),
  },
  body: 'form',
  shape: 'list',
  reply: Type.Array(
    Type.Closed({ post_id: Type.String({ pattern: '^\\d+$' }), preview: Type.String() }, { title: 'Post preview' }),
  ),
  problems: [],
  async perform({ services, environment, account, input }) {
    const ids = itemsOf(input.post_ids);
    const target = { type: input.post_type as PostType, environment, account: account.id };
    const found = await services.store.read((tx) => findVisiblePosts(tx, { ...target, ids }));
    const visible = new Set(found.map(({ id }) => id));
    const previews = ids
      .filter((id) => visible.has(id))
      .map((id) => {
        const url = services.pageUrl(environment, previewUrl(services.box, { ...target, id }));
        // The URL needs no escaping, and clients extract it verbatim.
        return { post_id: id, preview: `<iframe class='post-preview' src='${url}'></iframe>` };
      });
    return { data: JSON.stringify(previews) };
  },
};
