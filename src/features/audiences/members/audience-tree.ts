import type { AudienceTree, Subject } from '../../../contract/store/audiences.ts';

/** The subjects of which a tree is made, each once, in their order. */
export function leavesOf(tree: AudienceTree): Subject[] {
  return 'leaf' in tree ? [tree.leaf] : [...new Set(tree.children.flatMap(leavesOf))];
}

/** Whether somebody is meant who is in the leaves that `isIn` says. */
export function isMeant(tree: AudienceTree, isIn: (leaf: Subject) => boolean): boolean {
  if ('leaf' in tree) return isIn(tree.leaf) !== tree.negate;
  const meant = (child: AudienceTree): boolean => isMeant(child, isIn);
  return tree.operator === 'AND' ? tree.children.every(meant) : tree.children.some(meant);
}

/** The bits that a tree makes of those of its leaves; what is beyond the last number may be set. */
export function bitsOf(tree: AudienceTree, bits: (leaf: Subject) => Uint32Array): Uint32Array {
  if ('leaf' in tree) {
    const own = bits(tree.leaf);
    return tree.negate ? own.map((word) => ~word) : own;
  }
  const [first, ...others] = tree.children.map((child) => bitsOf(child, bits));
  const result = first!.slice();
  for (const other of others) {
    for (let at = 0; at < result.length; at++) {
      if (tree.operator === 'AND') result[at]! &= other[at]!;
      else result[at]! |= other[at]!;
    }
  }
  return result;
}
