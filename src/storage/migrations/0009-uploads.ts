import type { Migration } from './schema-builder.ts';

/** Uploaded media; the bytes are stored outside the database. */
export const uploads: Migration = {
  name: '0009-uploads',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('uploads', (t) =>
      t
        .text('id')
        .key()
        .text('user_id')
        .text('category')
        .text('media_type')
        .text('state')
        .text('mime')
        .integer('bytes')
        .integer('width')
        .nullable()
        .integer('height')
        .nullable()
        .integer('duration_ms')
        .nullable()
        .text('codec')
        .nullable()
        .text('file_name')
        .text('additional_owners')
        .text('fault')
        .nullable()
        .integer('is_categorized')
        .text('created_at')
        .text('changed_at')
        .text('expires_at')
        .nullable(),
    ),
    uniqueIndex('uploads_file_name', 'uploads', ['file_name']),
    index('uploads_user', 'uploads', ['user_id', 'created_at']),
  ],
};
