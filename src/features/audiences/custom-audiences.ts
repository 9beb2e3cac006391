import { oneOf } from '../../contract/declare/fields.ts';
import { resource } from '../../contract/declare/resource.ts';
import type { DeriveContext, WriteContext } from '../../contract/declare/rules.ts';
import { subjectOf } from '../../contract/store/custom-audiences.ts';
import { audienceDeclaration, type CustomAudience } from './custom/audience-declaration.ts';
import {
  flexibleIsImmutable,
  leavesAreUsable,
  namesAreUnique,
  onlyOwnerDeletes,
  typeIsSupported,
  updateIsGranted,
} from './custom/audience-rules.ts';
import { customAudienceComputed } from './custom/computed-fields.ts';
import { planProcessing } from './custom/processing-state.ts';
import { leavesOf, type Segment, type SegmentInput, withDefaults } from './segments/segment-tree.ts';
import { segmentsField } from './segments/segments-field.ts';

const FLEXIBLE_MAX = 10;

/**
 * Custom audiences: uploaded people, or combinations of other audiences. They can be shared with other accounts.
 * @source advertising 17; creatives 18 and 20
 */
export const customAudiences = resource({
  ...audienceDeclaration,
  derive: deriveColumns,
  rules: [updateIsGranted, flexibleIsImmutable, typeIsSupported, leavesAreUsable],
  changeSetRules: [namesAreUnique],
  problems: ['ACTION_NOT_ALLOWED', 'AUDIENCE_NAME_TAKEN'],
  deletion: { rules: [onlyOwnerDeletes], problems: ['ACTION_NOT_ALLOWED'] },
  batch: {
    max: FLEXIBLE_MAX,
    creating: {
      audience_type: oneOf('FLEXIBLE', 'MOBILE_AUDIENCE').required().describe('Must be FLEXIBLE.'),
      segments: segmentsField().required().describe('The audiences it combines: a tree of at most 10 leaves.'),
    },
    problems: ['AUDIENCE_NOT_MADE_HERE', 'LEAF_UNFIT'],
  },
  computed: customAudienceComputed,
  effects: { afterWrite },
});

function deriveColumns(row: CustomAudience, { verb, input }: DeriveContext<CustomAudience>): Partial<CustomAudience> {
  const named = { name_trimmed: String(row.name).trim() };
  if (verb !== 'create') return named;
  const { segments } = input;
  return {
    ...named,
    audience_type: (input.audience_type ?? 'CRM') as CustomAudience['audience_type'],
    segments: segments == null ? null : JSON.stringify(withDefaults(JSON.parse(String(segments)) as SegmentInput)),
  };
}

/** Revokes the grants of a deleted audience; criteria that refer to it stay. @source creatives 18.2 */
async function afterWrite(written: WriteContext<CustomAudience>): Promise<void> {
  const { verb, after, tx, now } = written;
  if (verb === 'update') return;
  if (verb === 'remove') await tx.audiences.revokeAll(after.id, now);
  else if (after.segments !== null) {
    const leaves = leavesOf(JSON.parse(after.segments) as Segment).map(({ id }) => id);
    await tx.audiences.addLeaves(after.id, [...new Set(leaves)]);
  }
  await planProcessing(subjectOf('audience', after.id), written);
}
