import { oneOf } from '../../contract/declare/fields.ts';
import { type DeriveContext, resource, type WriteContext } from '../../contract/declare/resource.ts';
import { subjectOf } from '../../contract/store/custom-audiences.ts';
import { audienceRows, type CustomAudience } from './custom/audience-declaration.ts';
import {
  isItsOwner,
  isMadeHere,
  leavesAreUsable,
  mayBeChanged,
  namesAreUnique,
  staysAsMade,
} from './custom/audience-rules.ts';
import { shownAudience } from './custom/computed-fields.ts';
import { planProcessing } from './custom/plan-processing.ts';
import { filled, leavesOf, type Segment, type SentSegment } from './segments/segment-tree.ts';
import { segments } from './segments/segments-field.ts';

const FLEXIBLE_MAX = 10;

/**
 * Custom audiences: people who were uploaded, or whom other audiences amount to. Other accounts may be granted their use.
 * @source advertising: Custom audiences; creatives 18 and 20
 */
export const customAudiences = resource({
  ...audienceRows,
  derive: settled,
  rules: [mayBeChanged, staysAsMade, isMadeHere, leavesAreUsable],
  changeSetRules: [namesAreUnique],
  problems: ['ACTION_NOT_ALLOWED', 'AUDIENCE_NAME_TAKEN'],
  removal: { rules: [isItsOwner], problems: ['ACTION_NOT_ALLOWED'] },
  batch: {
    max: FLEXIBLE_MAX,
    creating: {
      audience_type: oneOf('FLEXIBLE', 'MOBILE_AUDIENCE').required().describe('FLEXIBLE: others cannot be made.'),
      segments: segments().required().describe('Of which audiences it is made: a tree of at most 10 leaves.'),
    },
    problems: ['AUDIENCE_NOT_MADE_HERE', 'LEAF_UNFIT'],
  },
  computed: shownAudience,
  afterWrite,
});

function settled(row: CustomAudience, { verb, input }: DeriveContext<CustomAudience>): Partial<CustomAudience> {
  const named = { name_trimmed: String(row.name).trim() };
  if (verb !== 'create') return named;
  const { segments: sent } = input;
  return {
    ...named,
    audience_type: (input.audience_type ?? 'CRM') as CustomAudience['audience_type'],
    segments: sent == null ? null : JSON.stringify(filled(JSON.parse(String(sent)) as SentSegment)),
  };
}

/** Nothing is left of what was granted once an audience is deleted. Criteria that name it stay. @source creatives 18.2 */
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
