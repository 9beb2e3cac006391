import { Type } from '../../../base/json-schema.ts';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import { LONG_IDS_FROM } from '../../../contract/declare/resource.ts';
import { CREATIVE_WRITERS } from '../../../contract/declare/roles.ts';
import { problem } from '../../../contract/problems/problems.ts';
import { checkId } from '../../../rows/keys.ts';
import { draftPosts } from '../draft-posts.ts';

/**
 * Sends the calling user a notification with a link to a private preview of a draft.
 * @source advertising 15; creatives 10
 */
export const previewDraft: AccountOperation = {
  id: 'draft_posts.preview',
  method: 'POST',
  path: '/12/accounts/:account_id/draft_posts/preview/:draft_post_id',
  description: 'Send the calling user a notification that links to a preview of a draft.',
  group: 'draft_posts',
  family: 'ads',
  roles: CREATIVE_WRITERS,
  rate: 'writes',
  parameters: {},
  body: 'form',
  shape: 'message',
  reply: Type.String(),
  problems: ['ID_ILLEGAL', 'NOT_FOUND'],
  async perform({ services, environment, account, path, principal, now }) {
    const value = path.draft_post_id!;
    const kind = draftPosts.label;
    checkId(value, 'draft_post_id', kind);
    const [id] = await services.ids.takeLong('notification', LONG_IDS_FROM, 1);
    const name = await services.store.write(async (tx) => {
      const draft = await tx.records.get(draftPosts, { account: account.id, id: value }, { deleted: 'hidden' });
      if (!draft) throw problem('NOT_FOUND', { parameter: 'draft_post_id', value, words: { kind } });
      await tx.notifications.add({
        id: id!,
        environment,
        user_id: principal.user,
        kind: 'draft_preview',
        account_id: account.id,
        subject_id: draft.id,
        created_at: now,
      });
      return (await tx.credentials.findScreenNames([principal.user])).get(principal.user)!;
    });
    return { data: JSON.stringify(`Open the notifications of @${name} in the app to preview your post.`) };
  },
};
