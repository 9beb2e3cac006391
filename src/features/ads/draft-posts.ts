import { type Fields, LONG_IDS_FROM, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { authorFilter, checkPromotable, findAuthor, findAuthorOrAdvertiser } from './posts/authors.ts';
import {
  checkCard,
  checkMedia,
  checkMediaMix,
  checkNotBlank,
  MEDIA_PROBLEMS,
  searchColumns,
} from './posts/post-content.ts';
import { attachmentFields, authorParameters, contentFields } from './posts/post-fields.ts';

const fields = { ...contentFields, ...attachmentFields } satisfies Fields;

/** A stored draft. */
export type DraftPost = RowOf<typeof fields>;

/**
 * Draft posts: unpublished posts, which can be edited but not promoted.
 * @source advertising 15; creatives 10
 */
export const draftPosts = resource({
  name: 'draft_post',
  plural: 'draft_posts',
  label: 'Draft post',
  description: 'An unpublished post, which can be edited but not promoted.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: LONG_IDS_FROM, isLong: true, sequence: 'post' },
  fields,
  requests: { createParameters: authorParameters },
  derive: async (row, { before, input, tx, account }) => ({
    user_id: before?.user_id ?? (await findAuthorOrAdvertiser(tx, account!.id, input.as_user_id)).user,
    ...searchColumns(row),
  }),
  rules: [authorIsPromotable, isNotBlank, mediaIsValid, cardExists],
  problems: ['POST_CANNOT_BE_BLANK', ...MEDIA_PROBLEMS, 'MEDIA_MIXED', 'CARD_NOT_FOUND'],
  createProblems: ['NOT_PROMOTABLE'],
  deletion: { hard: { extraMembers: { status: 'DELETED' } }, omitsFlag: true },
  list: {
    count: { preset: 100, max: 200 },
    without: ['ids', 'sort_by', 'with_deleted', 'with_total_count'],
    extraFilters: authorFilter,
    problems: ['NOT_PROMOTABLE'],
  },
});

async function authorIsPromotable({ verb, after, tx }: Change<DraftPost>): Promise<ErrorDetail | undefined> {
  if (verb !== 'create') return undefined;
  const author = await findAuthor(tx, after.account_id, String(after.user_id));
  return checkPromotable(author, after.account_id, 'as_user_id');
}

function isNotBlank({ after }: Change<DraftPost>): ErrorDetail | undefined {
  return checkNotBlank(after);
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
