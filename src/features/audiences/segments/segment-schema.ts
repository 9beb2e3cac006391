import { type Schema, Type } from '../../../base/json-schema.ts';
import { COMPARATORS, LOOKBACKS } from './segment-tree.ts';

/** Levels of a tree, including the root and the leaves. @source creatives 20; decision 258 */
export const LEVELS_MAX = 5;
/** Leaves of a tree. @source advertising 23 */
export const LEAVES_MAX = 10;

const operator = Type.Union([Type.Literal('AND'), Type.Literal('OR')]);
const comparator = Type.Literals(COMPARATORS);
const lookback = Type.Literals(LOOKBACKS);
const audience = Type.String({ pattern: '^[0-9a-z]+$' });
const frequency = Type.Integer({ minimum: 1 });

/** JSON Schema of a tree in requests. */
export function requestSchema(): Schema {
  const leaf = Type.Closed(
    {
      custom_audience_id: audience,
      lookback_window: Type.Optional(Type.Nullable(lookback)),
      frequency: Type.Optional(Type.Nullable(frequency)),
      frequency_comparator: Type.Optional(Type.Nullable(comparator)),
      negate: Type.Optional(Type.Nullable(Type.Boolean())),
    },
    { title: 'Sent segment leaf' },
  );
  return treeOf(leaf, (items, title) =>
    Type.Closed(
      {
        boolean_operator: operator,
        child_segments: Type.Array(items, { minItems: 1, maxItems: LEAVES_MAX }),
      },
      { title: `Sent ${title}` },
    ),
  );
}

/** JSON Schema of a tree in replies. */
export function replySchema(): Schema {
  const counted = { frequency, frequency_comparator: comparator };
  const leaf = Type.Closed(
    {
      custom_audience_id: audience,
      lookback_window: lookback,
      ...counted,
      negate: Type.Boolean(),
      child_segments: Type.Array(audience, { maxItems: 0 }),
    },
    { title: 'Segment leaf' },
  );
  return treeOf(leaf, (items, title) =>
    Type.Closed(
      { boolean_operator: operator, ...counted, negate: Type.Literal(false), child_segments: Type.Array(items) },
      { title: `Shown ${title}` },
    ),
  );
}

/** Builds a schema level by level, up to the deepest tree. */
function treeOf(leaf: Schema, group: (items: Schema, title: string) => Schema): Schema {
  let node = leaf;
  let tree = leaf;
  for (let levels = 2; levels <= LEVELS_MAX; levels++) {
    tree = group(node, `segments of ${levels} levels`);
    node = Type.Union([leaf, tree]);
  }
  return tree;
}
