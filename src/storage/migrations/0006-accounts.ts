import type { ColumnBuilder, Migration } from './schema-builder.ts';

const ADDRESS = 'city country email first_name last_name name postal_code region street1 street2'.split(' ');

function texts(columns: ColumnBuilder, names: readonly string[]): ColumnBuilder {
  return names.reduce((all, name) => all.text(name).nullable(), columns);
}

function settings(columns: ColumnBuilder): ColumnBuilder {
  return columns.text('account_id').key().text('id').key().text('created_at').text('updated_at').integer('deleted');
}

/** Promotable users, and the tax and user settings of accounts. */
export const accountSettings: Migration = {
  name: '0006-accounts',
  olderServers: 'stop',
  statements: ({ table, index, uniqueIndex }) => [
    table('promotable_users', (t) =>
      t
        .text('account_id')
        .key()
        .text('id')
        .key()
        .text('user_id')
        .text('promotable_user_type')
        .text('created_at')
        .text('updated_at')
        .integer('deleted'),
    ),
    index('promotable_users_created', 'promotable_users', ['account_id', 'created_at', 'id']),
    uniqueIndex('promotable_users_full', 'promotable_users', ['account_id'], {
      promotable_user_type: 'FULL',
      deleted: 0,
    }),
    table('tax_settings', (t) =>
      texts(settings(t), [
        ...['address', 'client_address'].flatMap((prefix) => ADDRESS.map((name) => `${prefix}_${name}`)),
        'business_relationship',
        'tax_category',
        'tax_exemption_id',
        'tax_id',
      ])
        .text('bill_to')
        .text('invoice_jurisdiction'),
    ),
    table('user_settings', (t) =>
      texts(settings(t), ['notification_email', 'contact_phone', 'contact_phone_extension']).text(
        'subscribed_email_types',
      ),
    ),
    // Finds what is targeted together with a value, across accounts. @source decision 168
    index('targeting_criteria_value', 'targeting_criteria', ['targeting_type', 'targeting_value', 'operator_type'], {
      deleted: 0,
    }),
    // Existing accounts advertise their first administrator. The row gets the account's id, which is a valid id, and
    // longer than those that promotable users get.
    // @source decision 162
    `insert into promotable_users (account_id, id, user_id, promotable_user_type, created_at, updated_at, deleted)
     select accounts.id, accounts.id, min(account_users.user_id), 'FULL', accounts.created_at, accounts.created_at, 0
     from accounts join account_users on account_users.account_id = accounts.id
     where account_users.role = 'ACCOUNT_ADMIN'
     group by accounts.id, accounts.created_at`,
  ],
};
