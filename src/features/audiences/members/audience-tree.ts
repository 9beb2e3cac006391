import type { AudienceTree, Subject } from '../../../contract/store/audiences.ts';

/** Returns the distinct subjects of a tree, in order. */
export function leavesOf(tree: AudienceTree): Subject[] {
  return 'leaf' in tree ? [tree.leaf] : [...new Set(tree.children.flatMap(leavesOf))];
}

/** Whether a person is in a tree; `isIn` tests a leaf. */
export function isInTree(tree: AudienceTree, isIn: (leaf: Subject) => boolean): boolean {
  if ('leaf' in tree) return isIn(tree.leaf) !== tree.negate;
  const matches = (child: AudienceTree): boolean => isInTree(child, isIn);
  return tree.operator === 'AND' ? tree.children.every(matches) : tree.children.some(matches);
}

/** Evaluates a tree over the bits of its leaves; bits beyond the last person may be set. */
export function evaluateBits(tree: AudienceTree, bits: (leaf: Subject) => Uint32Array): Uint32Array {
  if ('leaf' in tree) {
    const own = bits(tree.leaf);
    return tree.negate ? own.map((word) => ~word) : own;
  }
  const [first, ...others] = tree.children.map((child) => evaluateBits(child, bits));
  const result = first!.slice();
  for (const other of others) {
    for (let at = 0; at < result.length; at++) {
      if (tree.operator === 'AND') result[at]! &= other[at]!;
      else result[at]! |= other[at]!;
    }
  }
  return result;
}
