import { isId, text } from '../../../contract/declare/fields.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { blankName } from '../../../contract/declare/rules.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { findAuthor } from './authors.ts';
import { postJson, postSchema } from './post-json.ts';
import { publishedView } from './post-view.ts';
import { readRenderContext } from './render-context.ts';

/**
 * Renames a published post. No other field can be changed.
 * @source creatives 13.3
 */
export const renamePost: Operation = {
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
    const {
      store,
      media: { addresses: media },
      ads: { postSource },
    } = services;
    const value = path.post_id!;
    const words = { kind: 'Post' };
    if (!isId(value)) throw problem('ID_ILLEGAL', { parameter: 'post_id', value, words });
    return store.write(async (tx) => {
      const post = await tx.posts.find(environment, value);
      const author = post && (await findAuthor(tx, account!.id, post.user_id));
      // Promoted-only posts of other users are not accessible.
      const isKnown = author?.type === 'FULL' || (author?.type === 'REPOSTS_ONLY' && post!.nullcast === 0);
      if (!post || !isKnown) throw problem('POST_NOT_FOUND', { parameter: 'post_id', value, words });
      const name = input.name as string | null;
      await tx.posts.rename(post.id, name);
      const view = publishedView({ ...post, name });
      const how = { source: postSource, isTrimmed: false };
      return { data: postJson(view, await readRenderContext({ tx, media, account }, [view], how)) };
    });
  },
};
