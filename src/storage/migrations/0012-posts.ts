import type { ColumnBuilder, Migration } from './schema-builder.ts';

/** The content columns that all kinds of posts have. */
function content(columns: ColumnBuilder): ColumnBuilder {
  return columns
    .text('name')
    .nullable()
    .text('name_folded')
    .nullable()
    .text('text')
    .nullable()
    .text('user_id')
    .integer('nullcast')
    .integer('starts_with_mention')
    .text('card_uri')
    .nullable()
    .text('media_keys');
}

function row(columns: ColumnBuilder): ColumnBuilder {
  return columns.text('account_id').key().text('id').key();
}

function standard(columns: ColumnBuilder): ColumnBuilder {
  return columns.text('created_at').text('updated_at').integer('deleted');
}

/** Published, draft and scheduled posts, promoted posts, and notifications of users. */
export const posts: Migration = {
  name: '0012-posts',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('posts', (t) =>
      content(t.text('id').key().text('environment').text('account_id').nullable())
        .text('contributor_id')
        .nullable()
        .text('conversation_settings')
        .text('video_title')
        .nullable()
        .text('video_description')
        .nullable()
        .text('video_cta')
        .nullable()
        .text('video_cta_value')
        .nullable()
        .text('repost_of')
        .nullable()
        .text('lang')
        .text('created_at'),
    ),
    index('posts_of_user', 'posts', ['user_id', 'environment', 'created_at', 'id']),
    uniqueIndex('posts_reposts', 'posts', ['environment', 'user_id', 'repost_of']),
    table('draft_posts', (t) => standard(content(row(t)))),
    index('draft_posts_of_user', 'draft_posts', ['account_id', 'user_id', 'created_at', 'id']),
    table('scheduled_posts', (t) =>
      standard(
        content(row(t))
          .text('scheduled_at')
          .text('scheduled_status')
          .text('completed_at')
          .nullable()
          .text('post_id')
          .nullable()
          .text('scheduled_by'),
      ),
    ),
    index('scheduled_posts_of_user', 'scheduled_posts', ['account_id', 'user_id', 'created_at', 'id']),
    index('scheduled_posts_times', 'scheduled_posts', ['account_id', 'scheduled_at']),
    table('promoted_posts', (t) =>
      standard(
        row(t)
          .text('line_item_id')
          .text('post_id')
          .text('entity_status')
          .text('approval_status')
          .text('one_key')
          .nullable(),
      ),
    ),
    index('promoted_posts_created', 'promoted_posts', ['account_id', 'created_at', 'id']),
    index('promoted_posts_line_item', 'promoted_posts', ['account_id', 'line_item_id', 'id', 'approval_status'], {
      deleted: 0,
    }),
    uniqueIndex('promoted_posts_one', 'promoted_posts', ['account_id', 'one_key']),
    table('scheduled_promoted_posts', (t) =>
      standard(
        row(t)
          .text('line_item_id')
          .text('scheduled_post_id')
          .text('post_id')
          .nullable()
          .text('approval_status')
          .text('one_key')
          .nullable(),
      ),
    ),
    index('scheduled_promoted_posts_created', 'scheduled_promoted_posts', ['account_id', 'created_at', 'id']),
    index(
      'scheduled_promoted_posts_line_item',
      'scheduled_promoted_posts',
      ['account_id', 'line_item_id', 'id', 'approval_status'],
      { deleted: 0 },
    ),
    index('scheduled_promoted_posts_of', 'scheduled_promoted_posts', ['account_id', 'scheduled_post_id']),
    uniqueIndex('scheduled_promoted_posts_one', 'scheduled_promoted_posts', ['account_id', 'one_key']),
    table('notifications', (t) =>
      t
        .text('id')
        .key()
        .text('environment')
        .text('user_id')
        .text('kind')
        .text('account_id')
        .text('subject_id')
        .text('created_at'),
    ),
    index('notifications_of_user', 'notifications', ['user_id', 'created_at', 'id']),
  ],
};
