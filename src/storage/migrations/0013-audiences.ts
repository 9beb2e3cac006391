import type { ColumnBuilder, Migration } from './schema-builder.ts';

function row(columns: ColumnBuilder): ColumnBuilder {
  return columns.text('account_id').key().text('id').key();
}

function standing(columns: ColumnBuilder): ColumnBuilder {
  return columns.integer('is_processing').integer('is_targetable').integer('size').nullable();
}

function standard(columns: ColumnBuilder): ColumnBuilder {
  return columns.text('created_at').text('updated_at').integer('deleted');
}

/** Custom audiences, the segments of flexible ones, permissions for other accounts, and do-not-reach lists. */
export const audiences: Migration = {
  name: '0013-audiences',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('custom_audiences', (t) =>
      standard(
        standing(
          row(t)
            .text('name')
            .text('name_folded')
            .text('name_trimmed')
            .text('description')
            .nullable()
            .text('audience_type')
            .text('segments')
            .nullable(),
        ),
      ),
    ),
    uniqueIndex('custom_audiences_id', 'custom_audiences', ['id']),
    index('custom_audiences_created', 'custom_audiences', ['account_id', 'created_at', 'id']),
    index('custom_audiences_updated', 'custom_audiences', ['account_id', 'updated_at', 'id']),
    index('custom_audiences_name', 'custom_audiences', ['account_id', 'name', 'id']),
    index('custom_audiences_search', 'custom_audiences', ['account_id', 'name_folded', 'id']),
    index('custom_audiences_trimmed', 'custom_audiences', ['account_id', 'name_trimmed'], { deleted: 0 }),
    table('audience_leaves', (t) => t.text('flexible_id').key().text('leaf_id').key()),
    index('audience_leaves_of', 'audience_leaves', ['leaf_id', 'flexible_id']),
    table('audience_permissions', (t) =>
      standard(
        row(t).text('audience_id').text('granted_account_id').text('permission_level').text('one_key').nullable(),
      ),
    ),
    uniqueIndex('audience_permissions_one', 'audience_permissions', ['account_id', 'one_key']),
    index('audience_permissions_created', 'audience_permissions', ['account_id', 'audience_id', 'created_at', 'id']),
    index('audience_permissions_granted', 'audience_permissions', ['granted_account_id', 'audience_id'], {
      deleted: 0,
    }),
    table('do_not_reach_lists', (t) => standard(standing(row(t).text('description').nullable()))),
    uniqueIndex('do_not_reach_lists_id', 'do_not_reach_lists', ['id']),
    index('do_not_reach_lists_created', 'do_not_reach_lists', ['account_id', 'created_at', 'id']),
    // Finds the criteria that target an audience without reading other criteria.
    ...['CUSTOM_AUDIENCE', 'CUSTOM_AUDIENCE_EXPANDED'].map((type) =>
      index(`targeting_of_${type.toLowerCase()}`, 'targeting_criteria', ['account_id', 'targeting_value'], {
        targeting_type: type,
        deleted: 0,
      }),
    ),
  ],
};
