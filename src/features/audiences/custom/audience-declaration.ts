import { oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { AUDIENCE_READERS, AUDIENCE_WRITERS } from '../../../contract/declare/roles.ts';
import { segmentsField } from '../segments/segments-field.ts';
import { processingFields } from './processing-state.ts';

/** The fields of custom and tailored audiences. @source decision 250 */
export const audienceFields = {
  name: text({ max: 255 }).required().sortable().describe('Unique within the account.'),
  name_trimmed: text({ max: 255 }).readOnly().derived().hidden(),
  description: text({ max: 1000 }).describe('Shown when an audience is chosen.'),
  audience_type: oneOf('CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE')
    .readOnly()
    .derived()
    .describe('CRM: people are uploaded to it. FLEXIBLE: it combines other audiences.'),
  segments: segmentsField().readOnly().hidden(),
  ...processingFields,
} satisfies Fields;

/** A stored custom audience. */
export type CustomAudience = RowOf<typeof audienceFields>;

/** The declaration of custom audiences without their rules, which refer to it. */
export const audienceDeclaration = resource({
  name: 'custom_audience',
  plural: 'custom_audiences',
  label: 'Custom audience',
  description: 'Uploaded people, or a combination of other audiences.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: AUDIENCE_READERS, write: AUDIENCE_WRITERS },
  notFound: 'CUSTOM_AUDIENCE_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 3 },
  fields: audienceFields,
  sharing: {
    table: 'audience_permissions',
    column: 'audience_id',
    isRequested: ({ permission_scope }) => permission_scope === 'SHARED',
  },
  list: {
    search: 'name',
    extraFilters: {
      parameters: {
        permission_scope: oneOf('OWNER', 'SHARED').describe(
          'OWNER: audiences of the account. SHARED: audiences that others granted to it. Default: OWNER.',
        ),
      },
      within: async () => ({}),
    },
  },
});
