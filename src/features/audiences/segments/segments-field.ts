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
import { LEAVES_MAX, LEVELS_MAX, requestSchema } from './segment-schema.ts';
import { COMPARATORS, LOOKBACKS, leavesOf, type SegmentInput } from './segment-tree.ts';

const FREQUENCY_MAX = 1_000_000;

/** The members of a leaf; in a group they have no effect. */
const MEMBERS: Readonly<Record<string, Field>> = {
  custom_audience_id: id(),
  lookback_window: oneOfNumbers(...LOOKBACKS),
  frequency: integer({ min: 1, max: FREQUENCY_MAX }),
  frequency_comparator: oneOf(...COMPARATORS),
  negate: boolean(),
  boolean_operator: oneOf('AND', 'OR'),
};

type Node = Readonly<Record<string, RawValue>>;

/**
 * The tree of a flexible audience as sent, without unknown members; stored as JSON text.
 * @source advertising 17; creatives 20
 */
export function segmentsField(): Field<string> {
  const examined = (raw: RawValue, parameter: string) => {
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
      const { errors, tree } = examined(raw, parameter);
      return errors[0] ?? JSON.stringify(tree);
    },
    errors: (raw, parameter) => examined(raw, parameter).errors,
  });
}

/** The root, which must have children. */
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

/** A leaf, or a group with its children; a node that is both is an error. @source decision 260 */
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

/** The children of a node; an empty list means a leaf, except for the root. @source decision 259 */
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
