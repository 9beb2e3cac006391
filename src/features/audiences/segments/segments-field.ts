import { type Schema, Type } from '../../../base/json-schema.ts';
import { isObject } from '../../../base/objects.ts';
import {
  boolean,
  type Field,
  field,
  id,
  integer,
  isErrorDetail,
  oneOf,
  oneOfNumbers,
  type RawValue,
} from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { COMPARATORS, LOOKBACKS, leavesOf, type SegmentInput } from './segment-tree.ts';

const FREQUENCY_MAX = 1_000_000;

/** The members of a leaf, which have no effect in a group. */
const MEMBERS: Readonly<Record<string, Field>> = {
  custom_audience_id: id(),
  lookback_window: oneOfNumbers(...LOOKBACKS),
  frequency: integer({ min: 1, max: FREQUENCY_MAX }),
  frequency_comparator: oneOf(...COMPARATORS),
  negate: boolean(),
  boolean_operator: oneOf('AND', 'OR'),
};

type Node = Readonly<Record<string, RawValue>>;

/** Declares the tree of a flexible audience as sent, without unknown members; stored as JSON text. @source advertising 17; creatives 20 */
export function segmentsField(): Field<string> {
  const examine = (raw: RawValue, parameter: string) => {
    const errors: ErrorDetail[] = [];
    const tree = readRoot(raw, parameter, errors);
    if (errors.length === 0 && leavesOf(tree).length > LEAVES_MAX) {
      errors.push({ problem: 'TOO_MANY_LEAVES', parameter, words: { max: LEAVES_MAX } });
    }
    return { errors, tree };
  };
  return field<string>({
    name: 'segments',
    column: 'text',
    schema: requestSchema(),
    problems: [
      'NOT_AN_OBJECT',
      'MISSING_PARAMETER',
      'ITEMS_OUT_OF_RANGE',
      'INCLUSIVE_PARAMETERS',
      'EXCLUSIVE_PARAMETERS',
      'NOT_AN_ID',
      'NOT_IN_ENUM',
      'NOT_LONG',
      'OUT_OF_RANGE',
      'NOT_BOOLEAN',
      'SEGMENTS_TOO_DEEP',
      'TOO_MANY_LEAVES',
    ],
    toJson: (stored) => stored,
    read(raw, parameter) {
      const { errors, tree } = examine(raw, parameter);
      return errors[0] ?? JSON.stringify(tree);
    },
    errors: (raw, parameter) => examine(raw, parameter).errors,
  });
}

/** Parses the root, which must have children. */
function readRoot(raw: RawValue, path: string, errors: ErrorDetail[]): SegmentInput {
  if (!isObject(raw)) {
    errors.push({ problem: 'NOT_AN_OBJECT', parameter: path, words: { parameter: path } });
    return {};
  }
  if (isAbsent(raw.child_segments)) {
    errors.push({ problem: 'MISSING_PARAMETER', parameter: `${path}.child_segments` });
    return {};
  }
  return readNode(raw, path, 1, errors, true);
}

/** Parses a leaf, or a group with its children; a node that is both is an error. @source decision 260 */
function readNode(raw: RawValue, path: string, level: number, errors: ErrorDetail[], isWhole = false): SegmentInput {
  if (!isObject(raw)) {
    errors.push({ problem: 'NOT_AN_OBJECT', parameter: path, words: { parameter: path } });
    return {};
  }
  if (level > LEVELS_MAX) {
    errors.push({ problem: 'SEGMENTS_TOO_DEEP', parameter: path, words: { max: LEVELS_MAX } });
    return {};
  }
  const children = readChildren(raw, path, errors, isWhole);
  if (children.length > 0) {
    const a = 'boolean_operator';
    if (isAbsent(raw[a])) {
      errors.push({ problem: 'INCLUSIVE_PARAMETERS', parameter: `${path}.${a}`, words: { a: 'child_segments', b: a } });
    }
    if (!isAbsent(raw.custom_audience_id)) {
      const words = { a: 'custom_audience_id', b: 'child_segments' };
      errors.push({ problem: 'EXCLUSIVE_PARAMETERS', parameter: `${path}.custom_audience_id`, words });
    }
  } else if (!isWhole && isAbsent(raw.custom_audience_id)) {
    errors.push({ problem: 'MISSING_PARAMETER', parameter: `${path}.custom_audience_id` });
  }
  const members = readMembers(raw, path, errors);
  if (children.length === 0) return members;
  const below = children.map((child, index) => readNode(child, `${path}.child_segments[${index}]`, level + 1, errors));
  return { ...members, child_segments: below };
}

/** Returns the children of a node; an empty list means a leaf, except for the root. @source decision 259 */
function readChildren(raw: Node, path: string, errors: ErrorDetail[], isWhole: boolean): readonly RawValue[] {
  const { child_segments: children } = raw;
  if (isAbsent(children)) return [];
  const parameter = `${path}.child_segments`;
  const count = Array.isArray(children) ? children.length : 1;
  if (!Array.isArray(children) || (isWhole && count === 0)) {
    const words = { min: isWhole ? 1 : 0, max: LEAVES_MAX, count };
    errors.push({ problem: 'ITEMS_OUT_OF_RANGE', parameter, words });
    return [];
  }
  // Each child has at least one leaf.
  if (count <= LEAVES_MAX) return children;
  errors.push({ problem: 'TOO_MANY_LEAVES', parameter, words: { max: LEAVES_MAX } });
  return [];
}

function readMembers(raw: Node, path: string, errors: ErrorDetail[]): SegmentInput {
  const found: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(MEMBERS)) {
    const value = raw[name];
    if (isAbsent(value)) continue;
    const read = kind.read(value!, `${path}.${name}`);
    if (isErrorDetail(read)) errors.push(read);
    else found[name] = name === 'negate' ? read === 1 : read;
  }
  return found;
}

function isAbsent(raw: RawValue | undefined): boolean {
  return raw === undefined || raw === null || raw === '';
}

/** Maximum number of levels of a tree, including the root and the leaves. @source creatives 20; decision 258 */
const LEVELS_MAX = 5;
/** Maximum number of leaves of a tree. @source advertising 23 */
const LEAVES_MAX = 10;

const operator = Type.Union([Type.Literal('AND'), Type.Literal('OR')]);
const comparator = Type.Literals(COMPARATORS);
const lookback = Type.Literals(LOOKBACKS);
const audience = Type.String({ pattern: '^[0-9a-z]+$' });
const frequency = Type.Integer({ minimum: 1 });

/** JSON Schema of a tree in requests. */
function requestSchema(): Schema {
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
