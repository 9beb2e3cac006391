/** Makes the table that records which migrations have been applied; the same text on both databases. */
export const MIGRATIONS_TABLE =
  'create table if not exists schema_steps (name text primary key, applied_at text not null)';
