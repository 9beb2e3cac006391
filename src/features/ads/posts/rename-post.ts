import { text } from '../../../contract/declare/fields.ts';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { blankName } from '../../../contract/declare/rules.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkId } from '../../../rows/keys.ts';
import { postJson, postSchema, readRenderContext } from './post-json.ts';
import { findVisiblePosts } from './post-view.ts';

/**
 * Renames a published post. No other field can be changed.
 * @source creatives 13.3
 */
export const renamePost: AccountOperation = {
  id: 'posts.name',
  method: 'PUT',
  path: '/12/accounts/:account_id/posts/:post_id/name',
  description: 'Rename a published post.',
  group: 'posts',
  family: 'ads',
  roles: CREATIVE_WRITERS,
  rate: 'writes',
  parameters: {
    name: text({ max: 80 }).required().nullable().describe('Display name for managing posts; empty removes it.'),
  },
  body: 'form',
  shape: 'one',
  reply: postSchema,
  problems: ['TEXT_EMPTY', 'ID_ILLEGAL', 'POST_NOT_FOUND'],
  validate: (input) => blankName(input.name),
  async perform({ services, environment, account, path, input }) {
    const { store, media, ads } = services;
    const value = path.post_id!;
    const kind = 'Post';
    checkId(value, 'post_id', kind);
    return store.write(async (tx) => {
      const query = { environment, account: account.id, type: 'PUBLISHED', ids: [value] } as const;
      const [post] = await findVisiblePosts(tx, query);
      if (!post) throw problem('POST_NOT_FOUND', { parameter: 'post_id', value, words: { kind } });
      const view = { ...post, name: input.name as string | null };
      await tx.posts.rename(post.id, view.name);
      const mediaContext = { tx, media: media.addresses, account };
      const context = await readRenderContext(mediaContext, [view], { source: ads.postSource, isTrimmed: false });
      return { data: postJson(view, context) };
    });
  },
};
