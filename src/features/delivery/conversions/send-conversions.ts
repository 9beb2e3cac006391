import { Type } from '../../../base/json-schema.ts';
import { uuid } from '../../../base/random.ts';
import type { AccountOperation } from '../../../contract/declare/operation.ts';
import { CAMPAIGN_WRITERS } from '../../../contract/declare/roles.ts';
import { Problem } from '../../../contract/problems/problems.ts';
import { CONVERSION_PROBLEMS, CONVERSIONS_MAX, readConversions } from './read-conversions.ts';
import { recordConversions } from './record-conversions.ts';

const optional = {
  text: Type.Optional(Type.String()),
  amount: Type.Optional(Type.Union([Type.String(), Type.Number()])),
};
const hashed = Type.Optional(Type.String({ pattern: '^[0-9A-Fa-f]{64}$', description: 'SHA-256' }));

const conversionSchema = Type.Object({
  conversion_time: Type.String({ format: 'date-time', description: 'When it happened, at most 90 days ago.' }),
  event_id: Type.String({ description: 'Id of the web event tag.' }),
  identifiers: Type.Array(
    Type.Object({
      click_id: Type.Optional(Type.String({ description: 'From the address that the click led to.' })),
      hashed_email: hashed,
      hashed_phone_number: hashed,
      ip_address: optional.text,
      user_agent: optional.text,
    }),
    { minItems: 1, description: 'Whose it is.' },
  ),
  conversion_id: Type.Optional(Type.String({ description: 'Counted once per event.', maxLength: 256 })),
  number_items: Type.Optional(Type.Integer({ minimum: 1 })),
  price_currency: Type.Optional(Type.String({ description: 'ISO 4217; that of the ad by default.' })),
  value: optional.amount,
  description: optional.text,
  event_source_url: optional.text,
  contents: Type.Optional(
    Type.Array(
      Type.Object({
        content_id: optional.text,
        content_name: optional.text,
        content_type: optional.text,
        content_group_id: optional.text,
        content_price: optional.amount,
        num_items: Type.Optional(Type.Integer({ minimum: 1 })),
      }),
    ),
  ),
});

/** Reports conversions of a website from its server. @source decision 993 */
export const sendConversions: AccountOperation = {
  id: 'conversions.send',
  method: 'POST',
  // The tag of a website has the id of its account. @source decision 991
  path: '/12/measurement/conversions/:account_id',
  description: 'Report conversions of a website, by its `website_tag_id`; all or nothing.',
  group: 'conversions',
  groupDescription: 'Events on websites that count as results of ads.',
  family: 'ads',
  roles: CAMPAIGN_WRITERS,
  rate: 'conversions',
  parameters: {},
  body: 'json',
  shape: 'one',
  request: Type.Object({ conversions: Type.Array(conversionSchema, { minItems: 1, maxItems: CONVERSIONS_MAX }) }),
  reply: Type.Closed({
    conversions_processed: Type.Integer({ minimum: 0 }),
    debug_id: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  }),
  problems: ['TOO_MANY_CONVERSIONS', ...CONVERSION_PROBLEMS],
  async perform({ services, account, body, now }) {
    const read = readConversions(body, { now, website_tag_id: account.id });
    if ('errors' in read) throw new Problem(read.errors);
    await recordConversions(services, account, read.conversions, { now, by: 'account' });
    const reply = { conversions_processed: read.conversions.length, debug_id: uuid(services.random) };
    return { data: JSON.stringify(reply) };
  },
};
