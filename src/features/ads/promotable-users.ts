import { id, oneOf } from '../../contract/declare/fields.ts';
import { type Fields, type Row, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';

/** Promotable user types. */
export const PROMOTABLE_USER_TYPES = ['FULL', 'REPOSTS_ONLY'] as const;

const fields = {
  user_id: id().required().readOnly().describe('User whose posts can be promoted.'),
  promotable_user_type: oneOf(...PROMOTABLE_USER_TYPES)
    .required()
    .readOnly()
    .describe(
      '`FULL` for the user whom the account advertises (exactly one); `REPOSTS_ONLY` for users whose posts are promoted as reposts.',
    ),
} satisfies Fields;

/**
 * Promotable users: users whose posts an account may promote. Operators manage them; exactly one is `FULL`.
 * @source campaigns 12.8
 */
export const promotableUsers = resource({
  name: 'promotable_user',
  plural: 'promotable_users',
  label: 'Promotable user',
  description: 'Users whose posts an account may promote; exactly one is `FULL`.',
  scope: 'account',
  operations: ['list', 'get'],
  roles: CAMPAIGN_ROLES,
  notFound: 'PROMOTABLE_USER_NOT_FOUND',
  rate: 'reads',
  ids: { from: 36 ** 4 * 21 },
  fields,
  list: {},
});

/** Builds the row of a new promotable user. */
export function newPromotableUser({
  id,
  account,
  user,
  type,
  now,
}: {
  readonly id: string;
  readonly account: string;
  readonly user: string;
  readonly type: (typeof PROMOTABLE_USER_TYPES)[number];
  readonly now: string;
}): Row {
  return {
    id,
    account_id: account,
    user_id: user,
    promotable_user_type: type,
    created_at: now,
    updated_at: now,
    deleted: 0,
  };
}

/** Returns the id of the user whom an account advertises: `advertiser_user_id` of its line items. */
export async function findAdvertiserUserId(tx: ReadTransaction, account: string): Promise<string> {
  const options = { deleted: 'hidden', column: 'promotable_user_type' } as const;
  const [row] = await tx.records.getMany(promotableUsers, account, ['FULL'], options);
  if (!row) throw new Error(`account ${account} has no promotable user of type FULL`);
  return String(row.user_id);
}
