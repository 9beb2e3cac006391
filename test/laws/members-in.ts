import assert from 'node:assert/strict';
import { MEMBER_RECORDS, openMembers } from '../../src/features/audiences/members/member-file.ts';
import { readRecords } from '../../src/features/audiences/members/record-file.ts';
import { EPOCH, identifierOf, type Member } from './membership-model.ts';

const numbers = new Map(
  Array.from({ length: 31 }, (_, number) => [Buffer.from(identifierOf(number)).toString('hex'), number]),
);

/** An entry of a file. Times are seconds after `EPOCH`. */
export interface Entry {
  /** Hexadecimal text. */
  readonly identifier: string;
  readonly number: number;
  readonly effective_at: number;
  readonly expires_at: number;
}

/** The entries of a file, which are in order; none when there is no file. */
export function entriesIn(path: string): Entry[] {
  const file = openMembers(path);
  if (!file) return [];
  const found: Entry[] = [];
  const source = readRecords(file.records, MEMBER_RECORDS);
  let before = '';
  while (source.next()) {
    for (let at = 0; at < source.end; at += MEMBER_RECORDS.width) {
      const [a, b, c, d, number, effective_at, expires_at] = source.words.subarray(at, at + 7);
      const identifier = [a, b, c, d].map((word) => word!.toString(16).padStart(8, '0')).join('');
      assert.ok(identifier > before, 'identifiers are in order, each once');
      before = identifier;
      const times = { effective_at: effective_at! - EPOCH, expires_at: expires_at! - EPOCH };
      found.push({ identifier, number: number!, ...times });
    }
  }
  file.close();
  return found;
}

/** Who is in a file, by identifiers that are small numbers. */
export function membersIn(path: string): Member[] {
  const members = new Map<number, Member & { identifiers: Set<number> }>();
  for (const { identifier, number, ...times } of entriesIn(path)) {
    const member = members.get(number) ?? { identifiers: new Set<number>(), ...times };
    assert.deepEqual({ ...member, ...times }, member, 'a member has one window');
    member.identifiers.add(numbers.get(identifier)!);
    members.set(number, member);
  }
  return [...members.values()];
}
