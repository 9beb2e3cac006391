import Type from 'typebox';
import { boolean, type Field, field, id, integer, oneOf } from '../../../contract/declare/fields.ts';
import type { SerializeContext } from '../../../contract/declare/operation.ts';
import type { Computed } from '../../../contract/declare/resource.ts';
import { shownSchema } from '../segments/segment-schema.ts';
import type { CustomAudience } from './audience-declaration.ts';
import { isTargetable, reasonsNotTargetable, reasonsOf, wordList } from './targetability.ts';

/** How a type is targeted, where that is not its name. */
const TARGETED: Readonly<Record<string, string>> = { MOBILE_AUDIENCE: 'MOBILE' };
const TARGETED_TYPES = ['CRM', 'FLEXIBLE', 'MOBILE'].flatMap((type) => [type, `EXCLUDED_${type}`]);

const common = {
  targetable: boolean().readOnly().required().describe('Whether it can be targeted.'),
  targetable_types: wordList(TARGETED_TYPES).describe('How it can be targeted: with it, or without it.'),
  reasons_not_targetable: reasonsNotTargetable(),
  permission_level: oneOf('READ_ONLY', 'READ_WRITE').readOnly().required().describe('What the account may do with it.'),
};

const owner = id().readOnly().required().describe('The account that made it.');
const isOwner = boolean().readOnly().required().describe('Whether that is the account of the call.');

const ending = {
  partner_source: oneOf('OTHER').readOnly().required().describe('Where it comes from.'),
  audience_size: integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
    .readOnly()
    .describe('How many people are in it; null while there are too few.'),
};

/** What is computed of a custom audience when it is read. @source creatives 18.1 */
export const shownAudience: Computed<CustomAudience> = {
  fields: { ...common, owner_account_id: owner, is_owner: isOwner, ...ending, metadata: metadata() },
  prepare: valuesOf,
};

/** The same, by the former name of audiences. @source creatives 23 */
export const shownTailored: Computed<CustomAudience> = {
  fields: { ...common, is_owner: isOwner, ...ending },
  prepare: valuesOf,
};

async function valuesOf(rows: readonly CustomAudience[], { tx, account }: SerializeContext) {
  const foreign = rows.filter((row) => row.account_id !== account?.id).map(({ id }) => id);
  const usable = account && foreign.length > 0 ? await tx.audiences.listUsable(account.id, foreign) : [];
  const levels = new Map(usable.map((each) => [each.id, each.permission_level]));
  return (row: CustomAudience) => {
    const type = TARGETED[String(row.audience_type)] ?? row.audience_type;
    const targetable = isTargetable(row);
    const is_owner: 0 | 1 = row.account_id === account?.id ? 1 : 0;
    return {
      targetable,
      targetable_types: JSON.stringify([type, `EXCLUDED_${type}`]),
      reasons_not_targetable: reasonsOf(row),
      permission_level: is_owner ? 'READ_WRITE' : (levels.get(row.id) ?? 'READ_ONLY'),
      owner_account_id: row.account_id,
      is_owner,
      partner_source: 'OTHER',
      audience_size: targetable ? row.size : null,
      metadata: metadataOf(row),
    };
  };
}

function metadata(): Field<string> {
  const of = Type.Object(
    {
      custom_audience_id: Type.String(),
      account_id: Type.String(),
      name: Type.String(),
      audience_source: Type.Literal('FLEXIBLE_AUDIENCE'),
      upload_status: Type.Literal('UPLOADED'),
      segments: shownSchema(),
    },
    { additionalProperties: false },
  );
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
    .describe('Of which audiences it is made; of flexible ones only.');
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
