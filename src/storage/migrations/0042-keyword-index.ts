import type { Migration } from './schema-builder.ts';

/** The manifest of the index of posts, whose files are objects. @source decision 815 */
export const keywordIndex: Migration = {
  name: '0042-keyword-index',
  olderServers: 'continue',
  statements: ({ table }) => [table('keyword_index', (t) => t.text('name').key().integer('revision').text('manifest'))],
};
