import type { Migration } from './schema-builder.ts';

/** The media type of a video's or GIF's poster, which decides the extension of its URL; null if it was not recorded. */
export const posterTypes: Migration = {
  name: '0027-poster-types',
  olderServers: 'stop',
  statements: ({ addColumn }) => [addColumn('uploads', (t) => t.text('poster_mime').nullable())],
};
