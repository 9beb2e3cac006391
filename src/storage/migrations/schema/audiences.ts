import { bytes, integer, row, standard, text } from '../columns.ts';
import { listIndexes, type SchemaBuilder } from '../schema-builder.ts';

/** The state of the members. */
const standing = {
  is_processing: integer,
  is_targetable: integer,
  size: integer.nullable(),
};

/** Audiences, do-not-reach lists, uploads of people, and the directory. */
export const audienceTables = ({ table, index, uniqueIndex }: SchemaBuilder): readonly string[] => [
  table('custom_audiences', {
    ...row,
    name: text,
    name_folded: text,
    name_trimmed: text,
    description: text.nullable(),
    audience_type: text,
    segments: text.nullable(),
    ...standing,
    ...standard,
  }),
  ...listIndexes(index, 'custom_audiences'),
  index('custom_audiences_trimmed', 'custom_audiences', ['account_id', 'name_trimmed'], { deleted: 0 }),
  // Ids are unique without a unique index, which could not be distributed by account: they come from one sequence.
  index('custom_audiences_id', 'custom_audiences', ['id']),
  // The audiences that a flexible one combines.
  table('audience_leaves', { flexible_id: text.key(), leaf_id: text.key() }),
  index('audience_leaves_of', 'audience_leaves', ['leaf_id', 'flexible_id']),
  table('audience_permissions', {
    ...row,
    audience_id: text,
    granted_account_id: text,
    permission_level: text,
    one_key: text.nullable(),
    ...standard,
  }),
  uniqueIndex('audience_permissions_one', 'audience_permissions', ['account_id', 'one_key']),
  index('audience_permissions_created', 'audience_permissions', ['account_id', 'audience_id', 'created_at', 'id']),
  index('audience_permissions_granted', 'audience_permissions', ['granted_account_id', 'audience_id'], { deleted: 0 }),
  table('do_not_reach_lists', { ...row, description: text.nullable(), ...standing, ...standard }),
  index('do_not_reach_lists_created', 'do_not_reach_lists', ['account_id', 'created_at', 'id']),
  index('do_not_reach_lists_id', 'do_not_reach_lists', ['id']),
  // The number of uploads of people to an audience or do-not-reach list.
  table('audience_logs', { subject: text.key(), uploads: integer, accepted_at: integer }),
  table('audience_uploads', {
    subject: text.key(),
    number: integer.key(),
    accepted_at: integer,
    records: integer,
    bytes: integer,
    payload_key: text,
  }),
  // What was uploaded: stored before the upload gets its number.
  table('audience_payloads', { subject: text.key(), payload_key: text.key(), payload: bytes }),
  // The people of the platform, shared by both environments.
  table('directory_users', {
    number: integer.key(),
    user_id: text,
    country: text.nullable(),
    region: text.nullable(),
    metro: text.nullable(),
    city: text.nullable(),
    postal_code: text.nullable(),
    language: text.nullable(),
    gender: text.nullable(),
    platform: text.nullable(),
    platform_version: text.nullable(),
    device: text.nullable(),
    network_operator: text.nullable(),
    wifi: text.nullable(),
    age: integer.nullable(),
    activated_at: integer.nullable(),
    interests: text,
    follows: text,
    store_categories: text,
    engagements: text,
    last_active_at: integer,
    identifiers: bytes,
  }),
  uniqueIndex('directory_users_id', 'directory_users', ['user_id']),
  table('directory_state', { name: text.key(), version: integer, mark: text, people: integer, next_number: integer }),
  table('directory_imports', { source: text.key(), done: integer }),
];
