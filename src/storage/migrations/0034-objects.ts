import type { Migration } from './schema-builder.ts';

/**
 * Where the bytes of uploads are: the keys of the objects with the whole file and the first frame, and the segments of
 * those that are not assembled yet.
 */
export const objects: Migration = {
  name: '0034-objects',
  olderServers: 'stop',
  statements: ({ table, addColumn }) => [
    addColumn('uploads', (t) => t.text('object_key').nullable()),
    addColumn('uploads', (t) => t.text('poster_key').nullable()),
    "update uploads set object_key = 'media/ready/' || id || '/whole' where state = 'succeeded'",
    "update uploads set poster_key = 'media/ready/' || id || '/poster' where state = 'succeeded' and media_type <> 'IMAGE'",
    table('upload_segments', (t) =>
      t
        .text('upload_id')
        .key()
        .integer('segment_index')
        .key()
        .text('object_key')
        .integer('bytes')
        // Null: not computed, because the object is a file of the machine that received it.
        .text('sha256')
        .nullable(),
    ),
    // The next start finds the segments of unfinished uploads among the objects; it cancels this job.
    "insert into jobs (kind, key, run_at, attempts) select 'media-adoption', 'all', '9999-12-31T00:00:00Z', 0 where exists (select 1 from uploads where state in ('uploading', 'pending', 'in_progress'))",
  ],
};
