import assert from 'node:assert/strict';
import { ENTRY_WIDTH } from '../../src/features/audiences/members/member-run.ts';
import { openMembers } from '../../src/features/audiences/members/member-runs.ts';
import { readMembers } from '../../src/features/audiences/members/read-members.ts';
import { EPOCH, identifierOf, type Member } from './membership-model.ts';

const numbers = new Map(
  Array.from({ length: 31 }, (_, number) => [Buffer.from(identifierOf(number)).toString('hex'), number]),
);

/** An entry of members. Times are seconds after `EPOCH`. */
export interface Entry {
  /** Hexadecimal text. */
  readonly identifier: string;
  readonly number: number;
  readonly effective_at: number;
  readonly expires_at: number;
}

/** The entries of members that have not expired, which are in order; none when there are no runs. */
export function entriesIn(folder: string): Entry[] {
  const members = openMembers(folder);
  if (!members) return [];
  const found: Entry[] = [];
  const source = readMembers(members.runs);
  let before = '';
  while (source.next()) {
    for (let at = 0; at < source.end; at += ENTRY_WIDTH) {
      const [a, b, c, d, number, effective_at, expires_at] = source.words.subarray(at, at + 7);
      const identifier = [a, b, c, d].map((word) => word!.toString(16).padStart(8, '0')).join('');
      assert.ok(identifier > before, 'identifiers are in order, each once');
      before = identifier;
      if (expires_at! <= members.accepted_at) continue;
      const times = { effective_at: effective_at! - EPOCH, expires_at: expires_at! - EPOCH };
      found.push({ identifier, number: number!, ...times });
    }
  }
  members.close();
  return found;
}

/** Who is in the runs of a folder, by identifiers that are small numbers. */
export function membersIn(folder: string): Member[] {
  const members = new Map<number, Member & { identifiers: Set<number> }>();
  for (const { identifier, number, ...times } of entriesIn(folder)) {
    const member = members.get(number) ?? { identifiers: new Set<number>(), ...times };
    assert.deepEqual({ ...member, ...times }, member, 'a member has one window');
    member.identifiers.add(numbers.get(identifier)!);
    members.set(number, member);
  }
  return [...members.values()];
}
