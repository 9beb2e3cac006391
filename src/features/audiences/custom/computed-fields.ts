import { Type } from '../../../base/json-schema.ts';
import { boolean, type Field, field, id, integer, oneOf } from '../../../contract/declare/fields.ts';
import type { SerializeContext } from '../../../contract/declare/operation.ts';
import type { Computed } from '../../../contract/declare/resource.ts';
import { replySchema } from '../segments/segments-field.ts';
import type { CustomAudience } from './audience-declaration.ts';
import { computedList, isTargetable, reasonsNotTargetable, reasonsNotTargetableField } from './processing-state.ts';

/** Names of types in `targetable_types`, if different. */
const TARGETING_NAMES: Readonly<Record<string, string>> = { MOBILE_AUDIENCE: 'MOBILE' };
const TARGETABLE_TYPES = ['CRM', 'FLEXIBLE', 'MOBILE'].flatMap((type) => [type, `EXCLUDED_${type}`]);

const common = {
  targetable: boolean().readOnly().required().describe('Whether it can be targeted.'),
  targetable_types: computedList(TARGETABLE_TYPES).describe('How it can be targeted: included or excluded.'),
  reasons_not_targetable: reasonsNotTargetableField(),
  permission_level: oneOf('READ_ONLY', 'READ_WRITE').readOnly().required().describe('The permission of the account.'),
};

const owner = id().readOnly().required().describe('The account that owns it.');
const isOwner = boolean().readOnly().required().describe('Whether the account of the call owns it.');

const tail = {
  partner_source: oneOf('OTHER').readOnly().required().describe('Its source.'),
  audience_size: integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .readOnly()
    .describe(
      'Number of people, rounded down to two significant digits if the directory was counted; null while it cannot be targeted.',
    ),
};

/** The computed fields of custom audiences. @source creatives 18.1 */
export const customAudienceComputed: Computed<CustomAudience> = {
  fields: { ...common, owner_account_id: owner, is_owner: isOwner, ...tail, metadata: metadata() },
  prepare: computeValues,
};

/** The computed fields of tailored audiences. @source creatives 23 */
export const tailoredAudienceComputed: Computed<CustomAudience> = {
  fields: { ...common, is_owner: isOwner, ...tail },
  prepare: computeValues,
};

/** Reason for an audience whose grant was revoked: existing line items keep it, but no others may target it. @source decision 261 */
const WITHDRAWN = JSON.stringify(['PERMISSION_REVOKED']);

async function computeValues(rows: readonly CustomAudience[], { tx, account }: SerializeContext) {
  const shared = rows.filter((row) => row.account_id !== account?.id || row.segments !== null).map(({ id }) => id);
  const usable = account && shared.length > 0 ? await tx.audiences.listUsable(account.id, shared) : [];
  const known = new Map(usable.map((each) => [each.id, each]));
  return (row: CustomAudience) => {
    const type = TARGETING_NAMES[String(row.audience_type)] ?? row.audience_type;
    const isWithdrawn = known.get(row.id)?.is_withdrawn === 1;
    const targetable = isWithdrawn ? 0 : isTargetable(row);
    const is_owner: 0 | 1 = row.account_id === account?.id ? 1 : 0;
    return {
      targetable,
      targetable_types: JSON.stringify([type, `EXCLUDED_${type}`]),
      reasons_not_targetable: isWithdrawn ? WITHDRAWN : reasonsNotTargetable(row),
      permission_level: is_owner ? 'READ_WRITE' : (known.get(row.id)?.permission_level ?? 'READ_ONLY'),
      owner_account_id: row.account_id,
      is_owner,
      partner_source: 'OTHER',
      audience_size: targetable ? row.size : null,
      metadata: metadataOf(row),
    };
  };
}

function metadata(): Field<string> {
  const of = Type.Closed({
    custom_audience_id: Type.String(),
    account_id: Type.String(),
    name: Type.String(),
    audience_source: Type.Literal('FLEXIBLE_AUDIENCE'),
    upload_status: Type.Literal('UPLOADED'),
    segments: replySchema(),
  });
  return field<string>({
    name: 'metadata',
    column: 'none',
    schema: Type.Array(of),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  })
    .readOnly()
    .omittedWhenNull()
    .describe('The audiences it combines; only for flexible audiences.');
}

function metadataOf({ id, account_id, name, segments }: CustomAudience): string | null {
  if (segments === null) return null;
  const known = JSON.stringify({
    custom_audience_id: id,
    account_id,
    name,
    audience_source: 'FLEXIBLE_AUDIENCE',
    upload_status: 'UPLOADED',
  });
  return `[${known.slice(0, -1)},"segments":${segments}}]`;
}
