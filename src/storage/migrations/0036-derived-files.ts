import type { Migration } from './schema-builder.ts';

/**
 * Files that were built from the database and are stored as objects, and objects that are to be removed: those that no
 * file is any more, and those that may never become one, because their process may end before it records them.
 * @source decision 792, 793
 */
export const derivedFiles: Migration = {
  name: '0036-derived-files',
  olderServers: 'stop',
  statements: ({ table, index }) => [
    table('derived_files', (t) =>
      t.text('owner').key().text('name').key().text('object_key').text('version').integer('bytes').text('sha256'),
    ),
    table('unused_objects', (t) => t.text('object_key').key().text('remove_at')),
    index('unused_objects_due', 'unused_objects', ['remove_at', 'object_key']),
  ],
};
