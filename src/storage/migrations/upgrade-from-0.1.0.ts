import type { Migration, SchemaBuilder } from './schema-builder.ts';

const NEW_TABLES = `server_claim restores password_links login_tallies second_factors recovery_codes audit_events cache_changes
  used_nonces forgotten_nonces nodes event_outbox upload_segments derived_files unused_objects object_stores keyword_index
  delivery_days delivery_segments delivery_views delivery_audiences delivery_cursors delivery_changes publishers
  delivery_beacons delivery_leases web_event_tags delivery_touches counted_conversions stats_jobs application_usage
  click_conversions operator_links verified_backup sent_forms counted_clicks waiting_conversions operator_sessions`;

const NEW_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  users: ['password_changed_at'],
  funding_instruments: ['spent_local_micro'],
  campaigns: ['spent_local_micro'],
  request_tokens: ['force_login'],
  sessions: ['authenticated_at', 'login_for', 'browser', 'address'],
  jobs: ['node'],
  uploads: ['poster_mime', 'object_key', 'poster_key'],
  posts: ['stored_in'],
  stream_connections: ['node'],
  webhooks: ['node', 'leased_until', 'fencing_number', 'settled_position'],
};

const NEW_INDEXES = `sessions_user posts_stored messages_created message_reads_last account_changes_by_time
  access_tokens_by_revocation bearer_tokens_by_revocation notifications_by_time custom_audiences_id do_not_reach_lists_id`;

/** Statements that upgrade a database of release 0.1.0 to the schema of `statements`. */
export function upgradeFrom010(words: SchemaBuilder, statements: Migration['statements']): string[] {
  const [newTables, newIndexes] = [NEW_TABLES, NEW_INDEXES].map((names) => new Set(names.split(/\s+/)));
  const added: string[] = [];
  const isNew = (index: string, table: string): boolean => newTables!.has(table) || newIndexes!.has(index);
  const add = (...more: readonly string[]): string => {
    added.push(...more);
    return '';
  };
  statements({
    ...words,
    table(name, columns) {
      if (newTables!.has(name)) return add(words.table(name, columns));
      return add(...(NEW_COLUMNS[name] ?? []).map((column) => words.addColumn(name, column, columns[column]!)));
    },
    addColumn: (...column) => add(words.addColumn(...column)),
    index: (name, table, ...rest) => (isNew(name, table) ? add(words.index(name, table, ...rest)) : ''),
    uniqueIndex: (name, table, ...rest) => (isNew(name, table) ? add(words.uniqueIndex(name, table, ...rest)) : ''),
  });
  return [
    // They were unique.
    words.dropIndex('custom_audiences_id'),
    words.dropIndex('do_not_reach_lists_id'),
    ...added,
    // One position applied to all webhooks; without it, nothing had been sent. @source decision 770
    `update webhooks set settled_position = coalesce(
      (select position from webhook_progress where name = 'log'),
      (select next - 1 from sequences where name = 'events'),
      0)`,
    words.dropTable('webhook_progress'),
    // Replays are jobs. @source decision 775
    `insert into jobs (kind, key, run_at, attempts)
      select 'webhook replay', id, created_at, 0 from replays where state = 'Running'`,
    "update uploads set object_key = 'media/ready/' || id || '/whole' where state = 'succeeded'",
    "update uploads set poster_key = 'media/ready/' || id || '/poster' where state = 'succeeded' and media_type <> 'IMAGE'",
    // The next start finds the segments of unfinished uploads among the objects; it cancels this job.
    `insert into jobs (kind, key, run_at, attempts) select 'media-adoption', 'all', '9999-12-31T00:00:00Z', 0
      where exists (select 1 from uploads where state in ('uploading', 'pending', 'in_progress'))`,
  ];
}
