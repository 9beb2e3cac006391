/** Creates the table that records applied migrations; the same text on both databases. */
export const MIGRATIONS_TABLE =
  'create table if not exists schema_steps (name text primary key, applied_at text not null)';
