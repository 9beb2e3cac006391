import { boolean, integer, oneOf, text } from '../../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../../contract/declare/resource.ts';
import { AUDIENCE_READERS, AUDIENCE_WRITERS } from '../../../contract/declare/roles.ts';
import { segments } from '../segments/segments-field.ts';

/** Where an audience, or a list, stands: set when it was processed, and shown in other words. */
export const standingFields = {
  is_processing: boolean().readOnly().defaults(1).hidden(),
  is_targetable: boolean().readOnly().defaults(0).hidden(),
  size: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).readOnly().hidden(),
} satisfies Fields;

/** The fields of custom audiences, by whichever name they go. */
export const audienceFields = {
  name: text({ max: 255 }).required().sortable().describe('No other audience of the account has it.'),
  name_trimmed: text({ max: 255 }).readOnly().derived().hidden(),
  description: text({ max: 1000 }).describe('Shown to those who choose among audiences.'),
  audience_type: oneOf('CRM', 'FLEXIBLE', 'MOBILE_AUDIENCE')
    .readOnly()
    .derived()
    .describe('CRM: people are uploaded to it. FLEXIBLE: it is made of other audiences.'),
  segments: segments().readOnly().hidden(),
  ...standingFields,
} satisfies Fields;

/** A stored custom audience. */
export type CustomAudience = RowOf<typeof audienceFields>;

/** What custom audiences are, without the rules over them: what rules look into. */
export const audienceRows = resource({
  name: 'custom_audience',
  plural: 'custom_audiences',
  label: 'Custom audience',
  description: 'People who were uploaded, or whom other audiences amount to.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: AUDIENCE_READERS, write: AUDIENCE_WRITERS },
  notFound: 'CUSTOM_AUDIENCE_NOT_FOUND',
  rate: 'account_reads_small',
  idsFrom: 36 ** 4 * 3,
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
          'Those of the account, or those that others granted to it; OWNER when not given.',
        ),
      },
      within: async () => ({}),
    },
  },
});
