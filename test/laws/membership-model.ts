import { hash } from 'node:crypto';
import type { AudienceTree, Subject } from '../../src/contract/store/audiences.ts';
import { DELETE, packedWriter, UPDATE } from '../../src/features/audiences/uploads/packed-format.ts';
import { fc } from '../rig/laws.ts';

/** An operation of an upload; identifiers are small numbers. Times are seconds after `EPOCH`. */
export interface Operation {
  readonly type: 'Update' | 'Delete';
  readonly effective_at: number;
  readonly expires_at: number;
  readonly people: readonly (readonly number[])[];
}

/** An upload, and how long after the one before it was accepted. */
export interface Upload {
  readonly after: number;
  readonly operations: readonly Operation[];
}

/** What times are told from. */
export const EPOCH = 1_772_470_000;

/** The bytes of an identifier: spread, but some only differ at their end. */
export function identifierOf(number: number): Uint8Array {
  const isAlike = number < 100 && number % 3 === 0;
  const bytes = new Uint8Array(Buffer.from(hash('sha256', String(isAlike ? 0 : number)), 'hex').subarray(0, 16));
  if (isAlike) bytes[14] = number;
  bytes[15] = 0;
  return bytes;
}

/** Uploads in the order of the log, as they are kept. */
export function packed(uploads: readonly Upload[]): { accepted_at: number; payload: Uint8Array<ArrayBuffer> }[] {
  return accepted(uploads).map(({ accepted_at, operations }) => {
    const writer = packedWriter(0);
    for (const { type, effective_at, expires_at, people } of operations) {
      writer.operation();
      writer.setOperation(type === 'Update' ? UPDATE : DELETE, EPOCH + effective_at, EPOCH + expires_at);
      for (const person of people) {
        writer.person();
        for (const number of person) {
          const at = writer.identifier();
          writer.bytes().set(identifierOf(number), at);
        }
      }
    }
    return { accepted_at: EPOCH + accepted_at, payload: writer.finish() };
  });
}

/** Uploads with their times. */
export function accepted(uploads: readonly Upload[]): { accepted_at: number; operations: readonly Operation[] }[] {
  let now = 0;
  return uploads.map(({ after, operations }) => {
    now += after;
    return { accepted_at: now, operations };
  });
}

/** Somebody who is in an audience. */
export interface Member {
  readonly identifiers: ReadonlySet<number>;
  readonly effective_at: number;
  readonly expires_at: number;
}

/** What uploads mean, word for word: the members that have not ended by the last of them. */
export function membersOf(uploads: readonly Upload[]): Member[] {
  let members: Member[] = [];
  let last = 0;
  for (const { accepted_at: now, operations } of accepted(uploads)) {
    last = now;
    for (const { type, effective_at, expires_at, people } of operations) {
      for (const person of people) {
        members = members.filter((member) => member.expires_at > now);
        const holds = ({ identifiers }: Member) => person.some((number) => identifiers.has(number));
        const held = members.filter(holds);
        const others = members.filter((member) => !holds(member));
        if (type === 'Update') {
          const identifiers = new Set([...held.flatMap((member) => [...member.identifiers]), ...person]);
          members = [...others, { identifiers, effective_at, expires_at }];
        } else if (effective_at > now) {
          const ending = held.map((member) => ({ ...member, expires_at: Math.min(member.expires_at, effective_at) }));
          members = [...others, ...ending];
        } else members = others;
      }
    }
  }
  return members.filter((member) => member.expires_at > last);
}

/** Members as text, in an order of their own. */
export function shown(members: readonly Member[]): string[] {
  const text = ({ identifiers, effective_at, expires_at }: Member) =>
    `${[...identifiers].sort((a, b) => a - b)} ${effective_at} to ${expires_at}`;
  return members.map(text).sort();
}

/** Those whose window is open. */
export function openAt(members: readonly Member[], now: number): Member[] {
  return members.filter((member) => member.effective_at <= now && now < member.expires_at);
}

const person = fc.uniqueArray(fc.nat({ max: 30 }), { minLength: 1, maxLength: 4 });
const after = fc.constantFrom(0, 0, 1, 5, 20);

/** Random operations of these types. Windows begin before, at and after the moment; they end from soon to never. */
export function operation(...types: Operation['type'][]): fc.Arbitrary<Operation> {
  return fc.record({
    type: fc.constantFrom(...types),
    effective_at: fc.nat({ max: 80 }),
    expires_at: fc.integer({ min: 1, max: 120 }),
    people: fc.array(person, { minLength: 1, maxLength: 4 }),
  });
}

/** Random uploads of these types of operations, in the order of the log. */
export function uploads(...types: Operation['type'][]): fc.Arbitrary<Upload[]> {
  const operations = fc.array(operation(...types), { minLength: 1, maxLength: 4 });
  return fc.array(fc.record({ after, operations }), { maxLength: 8 });
}

/** A log of many uploads, always the same for a seed. */
export function longLog(seed: number): Upload[] {
  return fc.sample(uploads('Update', 'Delete'), { numRuns: 20, seed }).flat();
}

/** A random tree of so many leaves at most. */
export function tree(leaves: number): fc.Arbitrary<AudienceTree> {
  const leaf = fc.record({
    leaf: fc.nat({ max: leaves - 1 }).map((index): Subject => `audience:${index}`),
    negate: fc.boolean(),
  });
  const group = (child: fc.Arbitrary<AudienceTree>): fc.Arbitrary<AudienceTree> =>
    fc.record({
      operator: fc.constantFrom('AND' as const, 'OR' as const),
      children: fc.array(child, { minLength: 1, maxLength: 3 }),
    });
  return group(fc.oneof(leaf, group(fc.oneof(leaf, group(leaf)))));
}

/** What a tree says, as sets. */
export function setOf<T>(tree: AudienceTree, all: ReadonlySet<T>, leaf: (subject: Subject) => ReadonlySet<T>): Set<T> {
  if ('leaf' in tree) return new Set([...all].filter((each) => leaf(tree.leaf).has(each) !== tree.negate));
  const sets = tree.children.map((child) => setOf(child, all, leaf));
  const isIn = (each: T) =>
    tree.operator === 'AND' ? sets.every((set) => set.has(each)) : sets.some((set) => set.has(each));
  return new Set([...all].filter(isIn));
}
