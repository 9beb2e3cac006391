import { Type } from '../../../base/json-schema.ts';
import { digits, itemsOf, listOf, oneOf } from '../../../contract/declare/fields.ts';
import type { Call, Operation } from '../../../contract/declare/operation.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { POST_TYPES, type PostType } from '../posts/post-view.ts';
import { findVisiblePosts } from './find-visible-posts.ts';
import { previewUrl } from './preview-url.ts';

/**
 * Lists preview iframes of posts. Ids without a post of the type are left out.
 * @source creatives 13.4
 */
export const listPreviews: Operation = {
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
  async perform(call) {
    const postIds = itemsOf(String(call.input.post_ids));
    const type = call.input.post_type as PostType;
    const found = await call.services.store.read((tx) => visibleIds(tx, call, type, postIds));
    const previews = postIds
      .filter((id) => found.has(id))
      .map((id) => ({ post_id: id, preview: frameHtml(call, type, id) }));
    return { data: JSON.stringify(previews) };
  },
};

async function visibleIds(tx: ReadTransaction, { account, environment }: Call, type: PostType, ids: readonly string[]) {
  const posts = await findVisiblePosts(tx, { environment, account: account!.id, type, ids });
  return new Set(posts.map((post) => post.id));
}

function frameHtml({ services, environment, account }: Call, type: PostType, id: string): string {
  const path = previewUrl(services.box, { type, environment, account: account!.id, id });
  // The URL needs no escaping, and clients extract it verbatim.
  return `<iframe class='post-preview' src='${services.pageUrl(environment, path)}'></iframe>`;
}
