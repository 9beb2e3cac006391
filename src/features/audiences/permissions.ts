import { id, oneOf } from '../../contract/declare/fields.ts';
import { type AnyResource, type Fields, type Resource, type RowOf, resource } from '../../contract/declare/resource.ts';
import { AUDIENCE_WRITERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { customAudiences } from './custom-audiences.ts';
import { tailoredAudiences } from './tailored-audiences.ts';

const fields = {
  audience_id: id().required().createOnly().hidden(),
  granted_account_id: id()
    .required()
    .createOnly()
    .filteredBy('granted_account_ids')
    .describe('The account that receives the grant.'),
  permission_level: oneOf('READ_ONLY', 'READ_WRITE')
    .required()
    .createOnly()
    .describe('READ_ONLY: may target it. READ_WRITE: may also change it.'),
} satisfies Fields;

/** A stored grant of an audience. */
type AudiencePermission = RowOf<typeof fields>;

/** Grants of custom audiences to accounts. @source advertising 18; creatives 22 */
export const customAudiencePermissions = permissionsFor(customAudiences);

/** Grants of tailored audiences, the same rows. */
export const tailoredAudiencePermissions = permissionsFor(tailoredAudiences);

/** Declares the grants of custom or tailored audiences. @source decision 251, 252 */
function permissionsFor(audiences: AnyResource): Resource<typeof fields> {
  const { name, plural, label, legacy, idParameter } = audiences;
  const below = `/:${idParameter}/permissions`;
  return resource({
    name: `${name}_permission`,
    plural: `${name}_permissions`,
    label: `${label} permission`,
    description: 'A grant of an audience to an account.',
    path: `${plural}${below}`,
    storage: { table: 'audience_permissions' },
    ids: { sequence: 'audience_permission', from: 36 ** 2 * 3 },
    legacy: legacy && { version: legacy.version, now: `custom_audiences/:custom_audience_id/permissions` },
    parent: {
      resource: () => audiences,
      parameter: idParameter,
      column: 'audience_id',
      rule: (audience, account) =>
        audience.account_id === account.id
          ? undefined
          : { problem: 'ACTION_NOT_ALLOWED', words: { account: account.id } },
      problems: ['ACTION_NOT_ALLOWED'],
    },
    scope: 'account',
    operations: ['list', 'create', 'remove'],
    roles: { read: AUDIENCE_WRITERS, write: AUDIENCE_WRITERS },
    notFound: 'NOT_FOUND',
    rate: 'account_reads_small',
    fields,
    // Granting again changes the level: there is no update operation.
    unique: { key: (row) => [row.audience_id, row.granted_account_id], updates: ['permission_level'] },
    rules: [grantIsAllowed],
    createProblems: ['GRANTED_TO_ITSELF', 'ACCOUNT_NOT_ACCESSIBLE', 'FEATURE_NOT_AVAILABLE'],
    list: { without: ['with_deleted'] },
    computed: {
      fields: { [idParameter]: id().readOnly().required().describe('The audience.') },
      prepare: async () => (row) => ({ [idParameter]: row.audience_id }),
    },
  });
}

const FEATURE = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS';

/** Rule: audiences can be shared within a business, or beyond with a feature of the owner. @source decision 253 */
async function grantIsAllowed({ after, account, tx }: Change<AudiencePermission>): Promise<ErrorDetail | undefined> {
  const parameter = 'granted_account_id';
  const value = String(after.granted_account_id);
  if (value === account.id) return { problem: 'GRANTED_TO_ITSELF', parameter };
  const [owner, granted] = [
    await tx.audiences.findSharingAccount(account.id),
    await tx.audiences.findSharingAccount(value),
  ];
  // The account was deleted during the call.
  if (!owner) return { problem: 'ACCOUNT_NOT_ACCESSIBLE', parameter: 'account_id', value: account.id };
  if (granted?.environment !== owner.environment) return { problem: 'ACCOUNT_NOT_ACCESSIBLE', parameter, value };
  const isOneBusiness = owner.business_id !== null && owner.business_id === granted.business_id;
  if (isOneBusiness || (await tx.accountMembers.listFeatures(account.id)).includes(FEATURE)) return undefined;
  return { problem: 'FEATURE_NOT_AVAILABLE', parameter, words: { feature: FEATURE, account: account.id } };
}
