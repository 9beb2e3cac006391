import type { Migration } from './schema-builder.ts';

/** Imported posts, many in a row, and the progress of imports. */
export const keywords: Migration = {
  name: '0016-keywords',
  olderServers: 'stop',
  statements: ({ table, index }) => [
    table('corpus_pages', (t) =>
      t.integer('number').key().integer('day').integer('posts').integer('bytes').bytes('ids').bytes('payload'),
    ),
    index('corpus_pages_of_day', 'corpus_pages', ['day', 'number', 'bytes']),
    table('corpus_state', (t) => t.text('name').key().integer('pages').text('mark')),
    table('corpus_imports', (t) => t.text('source').key().integer('done')),
  ],
};
