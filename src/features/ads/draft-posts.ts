import { type Change, type Fields, LONG_IDS_FROM, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CREATIVE_READERS, CREATIVE_WRITERS } from '../../contract/declare/roles.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { authorFor, namedAuthor, notPromotable, ofAuthor } from './posts/authors.ts';
import { blank, judgedCard, judgedMedia, MEDIA_PROBLEMS, mixed, searched } from './posts/content.ts';
import { AUTHOR, attachedFields, contentFields } from './posts/fields.ts';

const fields = { ...contentFields, ...attachedFields } satisfies Fields;

/** A stored draft. */
export type DraftPost = RowOf<typeof fields>;

/**
 * Draft posts: posts that nobody sees yet. They can be changed as long as they are there, and promoted never.
 * @source advertising: Draft posts; creatives 10
 */
export const draftPosts = resource({
  name: 'draft_post',
  plural: 'draft_posts',
  label: 'Draft post',
  about: 'A post that nobody sees yet.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CREATIVE_READERS, write: CREATIVE_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  idsFrom: LONG_IDS_FROM,
  longIds: true,
  sequence: 'post',
  fields,
  creating: AUTHOR,
  settled: async (row, { before, input, tx, account }) => ({
    user_id: before?.user_id ?? (await namedAuthor(tx, account!.id, input.as_user_id)).user,
    ...searched(row),
  }),
  rules: [isOfPromotable, blankRule, mediaGoTogether, cardExists],
  raises: ['POST_CANNOT_BE_BLANK', ...MEDIA_PROBLEMS, 'MEDIA_MIXED', 'CARD_NOT_FOUND'],
  raisesOnCreate: ['NOT_PROMOTABLE'],
  hardDeletion: { adds: { status: 'DELETED' } },
  neverTellsDeleted: true,
  list: {
    count: { preset: 100, max: 200 },
    without: ['ids', 'sort_by', 'with_deleted', 'with_total_count'],
    narrows: ofAuthor,
    raises: ['NOT_PROMOTABLE'],
  },
});

async function isOfPromotable({ verb, after, tx }: Change<DraftPost>): Promise<ErrorDetail | undefined> {
  if (verb !== 'create') return undefined;
  const author = await authorFor(tx, after.account_id, String(after.user_id));
  return notPromotable(author, after.account_id, 'as_user_id');
}

function blankRule({ after }: Change<DraftPost>): ErrorDetail | undefined {
  return blank(after);
}

async function mediaGoTogether(change: Change<DraftPost>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  if (after.media_keys === before?.media_keys) return [];
  const media = await judgedMedia(change, after, { author: String(after.user_id) });
  const error = mixed(media.known);
  return media.errors.length === 0 && error ? [error] : media.errors;
}

async function cardExists(change: Change<DraftPost>): Promise<ErrorDetail | undefined> {
  if (change.after.card_uri === change.before?.card_uri) return undefined;
  return (await judgedCard(change, change.after)).error;
}
