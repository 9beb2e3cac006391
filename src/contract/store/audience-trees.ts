import type { AudienceTree } from './audiences.ts';
import { type StoredAudience, subjectOf } from './custom-audiences.ts';

interface Segment {
  readonly custom_audience_id?: string;
  readonly negate?: boolean;
  readonly boolean_operator?: 'AND' | 'OR';
  readonly child_segments?: readonly Segment[];
}

/** Parses the stored JSON text of a flexible audience into its tree. */
export function treeOf(segments: string): AudienceTree {
  return treeFrom(JSON.parse(segments));
}

/** The people an audience stands for: its own members, or those of its tree. */
export function peopleMeantBy({ subject, segments }: Pick<StoredAudience, 'subject' | 'segments'>): AudienceTree {
  return segments === null ? { leaf: subject, negate: false } : treeOf(segments);
}

function treeFrom({
  custom_audience_id,
  negate = false,
  boolean_operator,
  child_segments = [],
}: Segment): AudienceTree {
  return custom_audience_id === undefined
    ? { operator: boolean_operator ?? 'AND', children: child_segments.map(treeFrom) }
    : { leaf: subjectOf('audience', custom_audience_id), negate };
}
