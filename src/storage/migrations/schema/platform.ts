import { integer, text } from '../columns.ts';
import type { SchemaBuilder } from '../schema-builder.ts';

/** Sequences, jobs, servers, the audit log, and objects. */
export const platformTables = ({ table, index }: SchemaBuilder): readonly string[] => [
  // The next number of each sequence of ids.
  table('sequences', { name: text.key(), next: integer }),
  table('jobs', {
    kind: text.key(),
    key: text.key(),
    run_at: text,
    lease: text.nullable(),
    leased_until: text.nullable(),
    attempts: integer,
    node: text.nullable(),
  }),
  index('jobs_due', 'jobs', ['run_at']),
  // The running servers.
  table('nodes', {
    id: text.key(),
    hostname: text,
    version: text,
    started_at: text,
    heartbeat_at: text,
    // Tells its successor on the same machine that it has ended.
    process: text.defaultTo(''),
    // Their fingerprints.
    master_keys: text.defaultTo(''),
    roles: text.defaultTo('api,stream,worker,search'),
    shared_server: text.defaultTo(''),
    // The last migration that it knows. @source decision 830
    schema_level: text.defaultTo(''),
  }),
  // The server that serves a PostgreSQL database, and whether it has released it.
  table('server_claim', { id: integer.key(), token: text, process: text, released: integer }),
  // Restores of this database; earlier signed requests are refused. @source decision 454
  table('restores', { restored_at: text.key(), backup_made_at: text, requests_not_before: integer }),
  // The audit log, in order of time. @source decision 590
  table('audit_events', {
    at: text.key(),
    id: text.key(),
    event: text,
    outcome: text,
    actor: text.nullable(),
    sudo_user: text.nullable(),
    origin: text,
    transaction_id: text.nullable(),
    command: text.nullable(),
    targets: text,
  }),
  // Changes of cached data; only used on PostgreSQL. `origin` is the process that made one. @source decision 740, 741, 743
  table('cache_changes', {
    xid: integer.key(),
    tag: text.key(),
    origin: text,
    // The oldest transaction that had not ended when the row was inserted.
    oldest_xid: integer,
    changed_at_ms: integer,
  }),
  // Files built from the database and stored as objects. @source decision 792
  table('derived_files', {
    owner: text.key(),
    name: text.key(),
    object_key: text,
    version: text,
    bytes: integer,
    sha256: text,
  }),
  // Objects to remove, unless a row names them by then. @source decision 793
  table('unused_objects', { object_key: text.key(), remove_at: text }),
  index('unused_objects_due', 'unused_objects', ['remove_at', 'object_key']),
  // The id of the object store, which lies in it too.
  table('object_stores', { row: integer.key(), id: text }),
  // When a backup was last verified: one row at most. @source decision 1061
  table('verified_backup', { row: integer.key(), verified_at: text }),
];
