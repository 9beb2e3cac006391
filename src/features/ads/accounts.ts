import type { Environment } from '../../contract/declare/account-state.ts';
import { instant, oneOf, text } from '../../contract/declare/fields.ts';
import { type Operation, serializeContext } from '../../contract/declare/operation.ts';
import { type Row, resource } from '../../contract/declare/resource.ts';
import { ACCOUNT_WRITERS, ANY_ROLE } from '../../contract/declare/roles.ts';
import { foldedName } from '../../rows/search-columns.ts';
import { SANDBOX_FEATURES } from './account-features.ts';
import { newPromotableUser, promotableUsers } from './promotable-users.ts';

/** The industries of an account. @source advertising 2 */
const INDUSTRIES = [
  'AGENCY',
  'BUSINESS_TO_BUSINESS',
  'ONLINE_SERVICES',
  'EDUCATION',
  'FINANCIAL',
  'HEALTH',
  'GOVERNMENT',
  'MEDIA',
  'MOBILE',
  'RESTAURANT',
  'RETAIL',
  'TECHNOLOGY',
  'TRAVEL',
  'OTHER',
] as const;

/**
 * Advertising accounts. Users have roles on them; every other resource belongs to one.
 * @source advertising 2; campaigns 5.1 and 5.2
 */
export const accounts = resource({
  name: 'account',
  plural: 'accounts',
  label: 'Account',
  description: 'Advertising accounts. Users have roles on them, and every other resource belongs to one.',
  scope: 'user',
  operations: ['list', 'get', 'update', 'remove'],
  sandboxOnly: ['remove'],
  roles: { read: ANY_ROLE, write: ACCOUNT_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  // Ids of sandbox accounts have six characters; ids of production accounts, which operators create, have eleven.
  ids: { from: 36 ** 5 * 16 },
  fields: {
    name: text({ max: 255 }).required().sortable().describe('Display name.'),
    business_name: text({ max: 255 }).readOnly().describe('Set by the platform.'),
    business_id: text({ max: 64 })
      .readOnly()
      .describe('Set by the platform; accounts of one business share audiences.'),
    timezone: text({ max: 64 }).readOnly().defaults('America/Los_Angeles').describe('IANA time zone.'),
    timezone_switch_at: instant().readOnly().describe('When the time zone took effect: midnight in that time zone.'),
    industry_type: oneOf(...INDUSTRIES).describe('Industry of the advertiser.'),
    approval_status: oneOf('ACCEPTED', 'UNDER_REVIEW', 'REJECTED')
      .readOnly()
      .defaults('ACCEPTED')
      .describe('Review status: only accepted accounts can serve ads.'),
  },
  list: { search: 'name' },
});

/**
 * Creates a sandbox account. The caller becomes its administrator.
 * @source advertising 2; campaigns 5.2 and 5.6
 */
export const createSandboxAccount: Operation = {
  id: 'accounts.create',
  method: 'POST',
  path: '/12/accounts',
  description: 'Create a sandbox account; the caller becomes its administrator.',
  group: 'accounts',
  family: 'ads',
  onlyIn: 'sandbox',
  rate: 'writes',
  parameters: {},
  body: 'form',
  shape: 'list',
  reply: { rowsOf: accounts },
  problems: [],
  async perform(call) {
    const { store, ids } = call.services;
    const [accountId] = await ids.take(accounts.name, accounts.ids.from, 1);
    const [promotableId] = await ids.take(promotableUsers.name, promotableUsers.ids.from, 1);
    const user = call.principal.user;
    const promotable = { id: promotableId!, account: accountId!, user, type: 'FULL', now: call.now } as const;
    const row = newAccount({ id: accountId!, environment: call.environment, name: 'Sandbox account', now: call.now });
    return store.write(async (tx) => {
      await tx.records.insert(accounts, row);
      await tx.accountMembers.add({ account_id: row.id, user_id: user, role: 'ACCOUNT_ADMIN', post_composer: 1 });
      await tx.accountMembers.addFeatures(row.id, SANDBOX_FEATURES);
      await tx.records.insert(promotableUsers, newPromotableUser(promotable));
      const json = await call.services.serializeRows(accounts, [row], serializeContext(call, tx));
      return { data: `[${json}]`, nextCursor: null };
    });
  },
};

/** Builds the row of a new account, including columns that are not declared as fields: environment and limits. */
export function newAccount({
  id,
  environment,
  name,
  now,
}: {
  readonly id: string;
  readonly environment: Environment;
  readonly name: string;
  readonly now: string;
}): Row {
  return {
    id,
    environment,
    name,
    name_folded: foldedName(name),
    business_name: null,
    business_id: null,
    timezone: 'America/Los_Angeles',
    timezone_switch_at: null,
    industry_type: null,
    approval_status: 'ACCEPTED',
    limits: '{}',
    created_at: now,
    updated_at: now,
    deleted: 0,
  } as unknown as Row;
}
