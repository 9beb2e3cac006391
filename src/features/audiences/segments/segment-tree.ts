/** How a leaf is counted. Audiences that were uploaded have no events: for them nothing of it matters. */
export const COMPARATORS = ['NUM_GTE', 'NUM_GT', 'NUM_EQ', 'NUM_LTE', 'NUM_LT'] as const;

/** Days that a leaf may look back. */
export const LOOKBACKS = [1, 7, 14, 30] as const;

/** Members of another audience, or everybody else. */
export interface SegmentLeaf {
  readonly custom_audience_id: string;
  readonly lookback_window: number;
  readonly frequency: number;
  readonly frequency_comparator: (typeof COMPARATORS)[number];
  readonly negate: boolean;
  readonly child_segments: readonly [];
}

/** What its children come to together. */
export interface SegmentGroup {
  readonly boolean_operator: 'AND' | 'OR';
  readonly frequency: number;
  readonly frequency_comparator: (typeof COMPARATORS)[number];
  readonly negate: false;
  readonly child_segments: readonly Segment[];
}

/** A tree of audiences as it is kept and shown: every default is filled in. */
export type Segment = SegmentLeaf | SegmentGroup;

/** The same as it was sent and found good: members that were not given are absent. */
export interface SentSegment extends Partial<Omit<SegmentLeaf, 'child_segments'>> {
  readonly boolean_operator?: 'AND' | 'OR';
  readonly child_segments?: readonly SentSegment[];
}

/** Fills in what was not given. @source advertising: Custom audiences; creatives 20 */
export function filled(sent: SentSegment): Segment {
  const { boolean_operator, child_segments = [] } = sent;
  const common = { frequency: 1, frequency_comparator: 'NUM_GTE' } as const;
  if (child_segments.length > 0) {
    return {
      boolean_operator: boolean_operator!,
      ...common,
      negate: false,
      child_segments: child_segments.map(filled),
    };
  }
  return {
    custom_audience_id: sent.custom_audience_id!,
    lookback_window: sent.lookback_window ?? 30,
    frequency: sent.frequency ?? common.frequency,
    frequency_comparator: sent.frequency_comparator ?? common.frequency_comparator,
    negate: sent.negate ?? true,
    child_segments: [],
  };
}

/** A leaf of a tree, with where it stands in what was sent. */
export interface PlacedLeaf {
  readonly id: string;
  /** As in `segments.child_segments[0]`. */
  readonly path: string;
}

/** The leaves of a tree, in order. */
export function leavesOf(tree: SentSegment | Segment, path = 'segments'): PlacedLeaf[] {
  const children = tree.child_segments ?? [];
  if (children.length === 0) return 'custom_audience_id' in tree ? [{ id: tree.custom_audience_id!, path }] : [];
  return children.flatMap((child, index) => leavesOf(child, `${path}.child_segments[${index}]`));
}
