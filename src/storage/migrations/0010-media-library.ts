import type { Migration } from './schema-builder.ts';

/** Media libraries, media creatives, and calls to action of videos. */
export const mediaLibrary: Migration = {
  name: '0010-media-library',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('media_library', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('media_category')
        .text('media_type')
        .text('name')
        .nullable()
        .text('file_name')
        .nullable()
        .text('title')
        .nullable()
        .text('description')
        .nullable()
        .text('poster_media_key')
        .nullable()
        .integer('posted')
        .text('terms')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('media_library_created', 'media_library', ['account_id', 'created_at', 'id']),
    table('account_media', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('creative_type')
        .text('media_key')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('account_media_created', 'account_media', ['account_id', 'created_at', 'id']),
    table('media_creatives', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('account_media_id')
        .text('campaign_id')
        .text('creative_type')
        .text('landing_url')
        .nullable()
        .text('entity_status')
        .text('approval_status')
        .text('one_key')
        .nullable()
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    uniqueIndex('media_creatives_one', 'media_creatives', ['account_id', 'one_key']),
    index('media_creatives_created', 'media_creatives', ['account_id', 'created_at', 'id']),
    index('media_creatives_line_item', 'media_creatives', ['account_id', 'line_item_id', 'id', 'approval_status'], {
      deleted: 0,
    }),
    index('media_creatives_campaign', 'media_creatives', ['account_id', 'campaign_id', 'id'], { deleted: 0 }),
    table('preroll_call_to_actions', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('line_item_id')
        .text('call_to_action')
        .text('call_to_action_url')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('preroll_call_to_actions_created', 'preroll_call_to_actions', ['account_id', 'created_at', 'id']),
    index('preroll_call_to_actions_line_item', 'preroll_call_to_actions', ['account_id', 'line_item_id', 'id'], {
      deleted: 0,
    }),
  ],
};
