import { type Schema, Type } from '../../../base/json-schema.ts';
import { COMPARATORS, LOOKBACKS } from './segment-tree.ts';

/** Levels of a tree, including the root and the leaves. @source creatives 20; decision 258 */
export const LEVELS_MAX = 5;
/** Leaves of a tree. @source advertising: Limits */
export const LEAVES_MAX = 10;

const operator = Type.Union([Type.Literal('AND'), Type.Literal('OR')]);
const comparator = Type.Union(COMPARATORS.map((each) => Type.Literal(each)));
const lookback = Type.Union(LOOKBACKS.map((each) => Type.Literal(each)));
const audience = Type.String({ pattern: '^[0-9a-z]+$' });
const frequency = Type.Integer({ minimum: 1 });

/** JSON Schema of a tree in requests. */
export function requestSchema(): Schema {
  const leaf = Type.Object(
    {
      custom_audience_id: audience,
      lookback_window: Type.Optional(Type.Union([lookback, Type.Null()])),
      frequency: Type.Optional(Type.Union([frequency, Type.Null()])),
      frequency_comparator: Type.Optional(Type.Union([comparator, Type.Null()])),
      negate: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
    },
    { ...closed, title: 'Sent segment leaf' },
  );
  return treeOf(leaf, (items, title) =>
    Type.Object(
      {
        boolean_operator: operator,
        child_segments: Type.Array(items, { minItems: 1, maxItems: LEAVES_MAX }),
      },
      { ...closed, title: `Sent ${title}` },
    ),
  );
}

/** JSON Schema of a tree in replies. */
export function replySchema(): Schema {
  const counted = { frequency, frequency_comparator: comparator };
  const leaf = Type.Object(
    {
      custom_audience_id: audience,
      lookback_window: lookback,
      ...counted,
      negate: Type.Boolean(),
      child_segments: Type.Array(audience, { maxItems: 0 }),
    },
    { ...closed, title: 'Segment leaf' },
  );
  return treeOf(leaf, (items, title) =>
    Type.Object(
      { boolean_operator: operator, ...counted, negate: Type.Literal(false), child_segments: Type.Array(items) },
      { ...closed, title: `Shown ${title}` },
    ),
  );
}

const closed = { additionalProperties: false };

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
