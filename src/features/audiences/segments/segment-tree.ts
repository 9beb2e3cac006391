/** Comparators of the frequency of a leaf, which has no effect on uploaded audiences. */
export const COMPARATORS = ['NUM_GTE', 'NUM_GT', 'NUM_EQ', 'NUM_LTE', 'NUM_LT'] as const;

/** Lookback windows of a leaf, in days. */
export const LOOKBACKS = [1, 7, 14, 30] as const;

/** The members of an audience, or (negated) all other people. */
interface SegmentLeaf {
  readonly custom_audience_id: string;
  readonly lookback_window: number;
  readonly frequency: number;
  readonly frequency_comparator: (typeof COMPARATORS)[number];
  readonly negate: boolean;
  readonly child_segments: readonly [];
}

/** A combination of children. */
interface SegmentGroup {
  readonly boolean_operator: 'AND' | 'OR';
  readonly frequency: number;
  readonly frequency_comparator: (typeof COMPARATORS)[number];
  readonly negate: false;
  readonly child_segments: readonly Segment[];
}

/** A tree as stored and returned, with defaults filled in. */
export type Segment = SegmentLeaf | SegmentGroup;

/** A valid tree as sent; absent members have defaults. */
export interface SegmentInput extends Partial<Omit<SegmentLeaf, 'child_segments'>> {
  readonly boolean_operator?: 'AND' | 'OR';
  readonly child_segments?: readonly SegmentInput[];
}

/** Fills in defaults. @source advertising 17; creatives 20 */
export function withDefaults(sent: SegmentInput): Segment {
  const { boolean_operator, child_segments = [] } = sent;
  const common = { frequency: 1, frequency_comparator: 'NUM_GTE' } as const;
  if (child_segments.length > 0) {
    return {
      boolean_operator: boolean_operator!,
      ...common,
      negate: false,
      child_segments: child_segments.map(withDefaults),
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

/** A leaf and its path in the request. */
interface LeafPath {
  readonly id: string;
  /** Such as `segments.child_segments[0]`. */
  readonly path: string;
}

/** Returns the leaves of a tree in order. */
export function leavesOf(tree: SegmentInput | Segment, path = 'segments'): LeafPath[] {
  const children = tree.child_segments ?? [];
  if (children.length === 0) return 'custom_audience_id' in tree ? [{ id: tree.custom_audience_id!, path }] : [];
  return children.flatMap((child, index) => leavesOf(child, `${path}.child_segments[${index}]`));
}
