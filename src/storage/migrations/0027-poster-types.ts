import type { Migration } from './schema-builder.ts';

/** What kind of picture the poster of a video or GIF is, which its address ends in; null where that was not noted. */
export const posterTypes: Migration = {
  name: '0027-poster-types',
  statements: ({ addColumn }) => [addColumn('uploads', (t) => t.text('poster_mime').nullable())],
};
