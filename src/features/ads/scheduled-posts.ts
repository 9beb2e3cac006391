import { formatInstant, instantMs } from '../../base/instants.ts';
import { digits, id, instant, oneOf } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import type { Change, ChangeSet } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { checkPromotable, findAuthor, findAuthorOrAdvertiser, mayPost } from './posts/authors.ts';
import { checkMedia, checkMediaCount, isNotBlank, MEDIA_PROBLEMS, searchColumns } from './posts/post-content.ts';
import { attachmentFields, contentFields, unpublishedDefaults } from './posts/post-fields.ts';

const fields = {
  ...contentFields,
  scheduled_at: instant()
    .required()
    .describe('Publication time, at most 365 days ahead; seconds are dropped; a date means midnight UTC.'),
  scheduled_status: oneOf('SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED')
    .readOnly()
    .defaults('SCHEDULED')
    .describe('Publication status.'),
  completed_at: instant().readOnly().describe('When publication succeeded or failed.'),
  post_id: digits({ max: 19 }).readOnly().describe('Id of the published post.'),
  ...attachmentFields,
  scheduled_by: id().required().readOnly().hidden(),
} satisfies Fields;

/** A stored scheduled post. */
export type ScheduledPost = RowOf<typeof fields>;

/** Kind of the jobs that publish scheduled posts. */
export const PUBLICATION = 'publish_scheduled_post';

/**
 * Scheduled posts: posts that are published at a set time. Their content is validated at publication.
 * @source creatives 11
 */
export const scheduledPosts = resource({
  ...unpublishedDefaults,
  name: 'scheduled_post',
  plural: 'scheduled_posts',
  label: 'Scheduled post',
  description: 'A post that is published at a set time.',
  fields,
  derive: async (row, { before, input, tx, account, author: by }) => ({
    user_id: before?.user_id ?? (await findAuthorOrAdvertiser(tx, account.id, input.as_user_id)).user,
    scheduled_by: before?.scheduled_by ?? by.user,
    // Truncates `2026-03-02T17:04:55Z` to the minute. @source decision 238
    scheduled_at: `${row.scheduled_at!.slice(0, 17)}00Z`,
    ...searchColumns(row),
  }),
  rules: [isPending, callerMayPost, isNotBlank, mediaIsUsable, timeIsInRange],
  changeSetRules: [withinQuarterHourLimit],
  problems: [
    'ACTION_NOT_ALLOWED',
    'POST_CANNOT_BE_BLANK',
    ...MEDIA_PROBLEMS,
    'MEDIA_MIXED',
    'TOO_SOON',
    'TOO_LATE',
    'TOO_MANY_SCHEDULED',
  ],
  deletion: {
    rules: [isPending],
    problems: ['ACTION_NOT_ALLOWED'],
    // Without the post there is nothing to promote. @source decision 239
    dependents: { of: 'scheduled_promoted_posts', column: 'scheduled_post_id' },
    hard: { values: { scheduled_status: 'DELETED' } },
    omitsFlag: true,
  },
  effects: { job: { job: PUBLICATION, at: 'scheduled_at' } },
});

function notAllowed(account: string): ErrorDetail {
  return { problem: 'ACTION_NOT_ALLOWED', words: { account } };
}

/** Rule: only pending posts can be changed or deleted, and not changed once they are due. */
function isPending({ verb, before, now }: Change<ScheduledPost>): ErrorDetail | undefined {
  if (!before) return undefined;
  const isOver = before.scheduled_status !== 'SCHEDULED' || (verb === 'update' && before.scheduled_at! <= now);
  return isOver ? notAllowed(before.account_id) : undefined;
}

/**
 * Rule: the author is promotable on create, and the caller may post as the author on every change.
 * @source decision 236
 */
async function callerMayPost({ verb, after, tx, author: by }: Change<ScheduledPost>): Promise<ErrorDetail | undefined> {
  const author = await findAuthor(tx, after.account_id, String(after.user_id));
  const error = verb === 'create' ? checkPromotable(author, after.account_id, 'as_user_id') : undefined;
  if (error) return error;
  return mayPost(by, author, after.nullcast === 1) ? undefined : notAllowed(after.account_id);
}

async function mediaIsUsable(change: Change<ScheduledPost>): Promise<readonly ErrorDetail[]> {
  const { after, before } = change;
  if (after.media_keys === before?.media_keys) return [];
  const many = checkMediaCount(after);
  const { errors } = await checkMedia(change, after, { author: String(after.user_id) });
  return many ? [many, ...errors] : errors;
}

const MINUTE_MS = 60_000;
const DAYS_MAX = 365;

/** Rule: a new publication time, without its seconds, is one minute to 365 days ahead. @source decision 238 */
function timeIsInRange({ after, before, now }: Change<ScheduledPost>): ErrorDetail | undefined {
  if (after.scheduled_at === before?.scheduled_at) return undefined;
  const ahead_ms = instantMs(after.scheduled_at!) - instantMs(now);
  const parameter = 'scheduled_at';
  if (ahead_ms < MINUTE_MS) return { problem: 'TOO_SOON', parameter };
  const isFar = ahead_ms > DAYS_MAX * 24 * 60 * MINUTE_MS;
  return isFar ? { problem: 'TOO_LATE', parameter, words: { days: DAYS_MAX } } : undefined;
}

const QUARTER_MS = 15 * MINUTE_MS;
const QUARTER_POSTS_MAX = 30;

/**
 * Rule: an account schedules at most 30 posts for each quarter of an hour, published ones included.
 * @source decision 238
 */
async function withinQuarterHourLimit({ changes, account, tx }: ChangeSet<ScheduledPost>) {
  const [change] = changes;
  if (!change || change.after.scheduled_at === change.before?.scheduled_at) return [];
  const start = Math.floor(instantMs(change.after.scheduled_at!) / QUARTER_MS) * QUARTER_MS;
  const minutes = Array.from({ length: 15 }, (_, index) => formatInstant(start + index * MINUTE_MS));
  const within = { scheduled_at: minutes };
  const total = await tx.records.count(scheduledPosts, { account: account.id, deleted: 'hidden', within });
  if (total <= QUARTER_POSTS_MAX) return [];
  const [from, until] = [formatInstant(start), formatInstant(start + QUARTER_MS)];
  const words = { account: account.id, max: QUARTER_POSTS_MAX, from, until };
  const error: ErrorDetail = { problem: 'TOO_MANY_SCHEDULED', parameter: 'scheduled_at', words };
  return [{ index: 0, error }];
}
