import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { checkPromotable, findAuthor, findAuthorOrAdvertiser } from './posts/authors.ts';
import {
  checkCard,
  checkMedia,
  checkMediaMix,
  isNotBlank,
  MEDIA_PROBLEMS,
  searchColumns,
} from './posts/post-content.ts';
import { attachmentFields, contentFields, unpublishedDefaults } from './posts/post-fields.ts';

const fields = { ...contentFields, ...attachmentFields } satisfies Fields;

/** A stored draft. */
export type DraftPost = RowOf<typeof fields>;

/**
 * Draft posts: unpublished posts, which can be edited but not promoted.
 * @source advertising 15; creatives 10
 */
export const draftPosts = resource({
  ...unpublishedDefaults,
  name: 'draft_post',
  plural: 'draft_posts',
  label: 'Draft post',
  description: 'An unpublished post, which can be edited but not promoted.',
  fields,
  derive: async (row, { before, input, tx, account }) => ({
    user_id: before?.user_id ?? (await findAuthorOrAdvertiser(tx, account.id, input.as_user_id)).user,
    ...searchColumns(row),
  }),
  rules: [authorIsPromotable, isNotBlank, mediaIsValid, cardExists],
  problems: ['POST_CANNOT_BE_BLANK', ...MEDIA_PROBLEMS, 'MEDIA_MIXED', 'CARD_NOT_FOUND'],
  deletion: { hard: { extraMembers: { status: 'DELETED' } }, omitsFlag: true },
});

async function authorIsPromotable({ verb, after, tx }: Change<DraftPost>): Promise<ErrorDetail | undefined> {
  if (verb !== 'create') return undefined;
  const author = await findAuthor(tx, after.account_id, String(after.user_id));
  return checkPromotable(author, after.account_id, 'as_user_id');
}

async function mediaIsValid(change: Change<DraftPost>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  if (after.media_keys === before?.media_keys) return [];
  const media = await checkMedia(change, after, { author: String(after.user_id) });
  const error = checkMediaMix(media.media);
  return media.errors.length === 0 && error ? [error] : media.errors;
}

async function cardExists(change: Change<DraftPost>): Promise<ErrorDetail | undefined> {
  if (change.after.card_uri === change.before?.card_uri) return undefined;
  return (await checkCard(change, change.after)).error;
}
