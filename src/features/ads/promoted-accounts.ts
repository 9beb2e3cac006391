import { digits, itemsOf } from '../../contract/declare/fields.ts';
import { type Fields, type ListQuery, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { adStatusFields, lineItemChild, lineItemReference } from './line-item-children.ts';
import { type LineItem, lineItems } from './line-items.ts';
import { findAdvertiserUserId } from './promotable-users.ts';

const fields = {
  line_item_id: lineItemReference('Line item with product type PROMOTED_ACCOUNT.'),
  user_id: digits({ max: 20 }).required().createOnly().describe('Promoted user: the one whom the account advertises.'),
  ...adStatusFields,
} satisfies Fields;

/** A stored promoted account. */
type PromotedAccount = RowOf<typeof fields>;

/**
 * Promoted accounts: users that a line item suggests following.
 * @source campaigns 12.2
 */
export const promotedAccounts = resource({
  ...lineItemChild,
  name: 'promoted_account',
  plural: 'promoted_accounts',
  label: 'Promoted account',
  description: 'A user whom a line item suggests to follow.',
  operations: ['list', 'get', 'create', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'PROMOTED_ACCOUNT_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 13 },
  fields,
  unique: { key: (row) => [row.line_item_id, row.user_id] },
  rules: [lineItemIsCompatible, userIsAdvertiser],
  createProblems: ['INCOMPATIBLE_LINE_ITEM', 'INVALID_USER_ID'],
  list: {
    sortAliases: { paused: 'entity_status' },
    rule: anyLineItemIsCompatible,
    problems: ['INCOMPATIBLE_LINE_ITEM'],
  },
  settlesDelivery: 'always',
  historyEntity: 'PROMOTED_ACCOUNT',
});

function incompatible(line: string, parameter: string): ErrorDetail {
  return { problem: 'INCOMPATIBLE_LINE_ITEM', parameter, value: line };
}

/**
 * List rule: a filter by line items needs at least one for promoted accounts; unknown ids are ignored.
 * @source decision 145
 */
async function anyLineItemIsCompatible({ input, account, tx }: ListQuery): Promise<ErrorDetail | undefined> {
  if (!input.line_item_ids) return undefined;
  const ids = itemsOf(input.line_item_ids);
  const found = await tx.records.getMany(lineItems, account.id, ids, { deleted: 'shown' });
  if (found.length === 0 || found.some(({ product_type }) => product_type === 'PROMOTED_ACCOUNT')) return undefined;
  return incompatible(found[0]!.id, 'line_item_ids');
}

function lineItemIsCompatible({ referenced }: Change<PromotedAccount>): ErrorDetail | undefined {
  const line = referenced.get('line_item_id') as LineItem | undefined;
  return line && line.product_type !== 'PROMOTED_ACCOUNT' ? incompatible(line.id, 'line_item_id') : undefined;
}

async function userIsAdvertiser({ after, tx }: Change<PromotedAccount>): Promise<ErrorDetail | undefined> {
  const own = await findAdvertiserUserId(tx, after.account_id);
  return after.user_id === own ? undefined : { problem: 'INVALID_USER_ID', attribute: 'user_id' };
}
