import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Subject } from '../../src/contract/store/audiences.ts';
import { compactFrom } from '../../src/features/audiences/members/compact-runs.ts';
import { countRecords } from '../../src/features/audiences/members/count-records.ts';
import { findEntries } from '../../src/features/audiences/members/find-entries.ts';
import { NUMBER, openRun, STATE_WIDTH } from '../../src/features/audiences/members/member-run.ts';
import { openMembers } from '../../src/features/audiences/members/member-runs.ts';
import { countOpen } from '../../src/features/audiences/members/membership-windows.ts';
import { appendRun, mergeUploads } from '../../src/features/audiences/members/merge-uploads.ts';
import { packedWriter, UPDATE } from '../../src/features/audiences/uploads/packed-format.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';
import { entriesIn, membersIn } from './members-in.ts';
import {
  accepted,
  EPOCH,
  identifierOf,
  type Member,
  membersOf,
  type Operation,
  openAt,
  operation,
  packed,
  setOf,
  shown,
  tree,
  type Upload,
  uploads,
} from './membership-model.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-members-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));
const pathOf = (name: string) => join(folder, name);
beforeEach(() => rmSync(pathOf('it'), { recursive: true, force: true }));

/** Merges uploads in batches that end before the places of a list. */
function merge(path: string, log: readonly Upload[], cuts: readonly number[]): void {
  rmSync(path, { recursive: true, force: true });
  const all = packed(log);
  const ends = [...new Set([...cuts.map((cut) => cut % (all.length + 1)), all.length])].sort((a, b) => a - b);
  let from = 0;
  for (const to of ends) {
    if (to > from) mergeUploads(path, { uploads: all.slice(from, to), last: to });
    from = to;
  }
}

const lastOf = (log: readonly Upload[]): number => accepted(log).at(-1)?.accepted_at ?? 0;
const cuts = fc.array(fc.nat({ max: 20 }), { maxLength: 4 });

describe('merging', () => {
  test('gives the state of the log, however it is split', () => {
    fc.assert(
      fc.property(uploads('Update', 'Delete'), cuts, (log, places) => {
        merge(pathOf('it'), log, places);
        assert.deepEqual(shown(membersIn(pathOf('it'))), shown(membersOf(log)));
      }),
      { numRuns: rounds(300) },
    );
  });

  test('gives the same however runs are compacted meanwhile', () => {
    const steps = fc.array(fc.nat({ max: 9 }), { minLength: 20, maxLength: 20 });
    const logs = fc.array(uploads('Update', 'Delete'), { minLength: 2, maxLength: 3 }).map((parts) => parts.flat());
    fc.assert(
      fc.property(logs, steps, (log, places) => {
        rmSync(pathOf('it'), { recursive: true, force: true });
        for (const [index, upload] of packed(log).entries()) {
          appendRun(pathOf('it'), { uploads: [upload], last: index + 1 });
          const from = places[index % places.length]!;
          compactFrom(pathOf('it'), from);
          assert.deepEqual(shown(membersIn(pathOf('it'))), shown(membersOf(log.slice(0, index + 1))));
        }
      }),
      { numRuns: rounds(100) },
    );
  });

  test('compacts runs of about the same size, and all of them when most entries are of the past', () => {
    const path = pathOf('it');
    const upload = (from: number, to: number, expires_at: number): Upload => {
      const people = Array.from({ length: to - from }, (_, index) => [from + index]);
      return { after: 1, operations: [{ type: 'Update', effective_at: 0, expires_at, people }] };
    };
    const each = (log: readonly Upload[]) => merge(path, log, [...log.keys()]);
    const runs = () => {
      const members = openMembers(path);
      members?.close();
      return members?.runs.map(({ first, merged, count }) => [first, merged, count]);
    };
    const large = upload(1000, 41_000, 900);
    const small = Array.from({ length: 8 }, (_, index) => upload(index * 10 + 100, index * 10 + 110, 900));
    each([large, ...small.slice(1)]);
    assert.equal(runs()?.length, 8, 'seven small ones stay');
    each([large, ...small]);
    assert.deepEqual(runs(), [
      [1, 1, 40_000],
      [2, 9, 80],
    ]);
    each([large, large, large, large]);
    assert.deepEqual(runs(), [[1, 4, 40_000]], 'those of the past are gone');
    assert.equal(membersIn(path).length, 40_000);
  });

  test('finds identifiers that differ only at their end, in blocks that begin with them', () => {
    const path = pathOf('it');
    const alike = (number: number): Uint8Array => {
      const bytes = new Uint8Array(16);
      new DataView(bytes.buffer).setUint32(12, number);
      return bytes;
    };
    const numbers = Array.from({ length: 10_000 }, (_, index) => index * 2);
    const people = (those: readonly number[]): Uint8Array<ArrayBuffer> => {
      const writer = packedWriter(0);
      writer.operation();
      writer.setOperation(UPDATE, EPOCH, EPOCH + 900);
      for (const number of those) {
        writer.person();
        const at = writer.identifier();
        writer.bytes().set(alike(number), at);
      }
      return writer.finish();
    };
    mergeUploads(path, { uploads: [{ accepted_at: EPOCH, payload: people(numbers) }], last: 1 });
    mergeUploads(path, { uploads: [{ accepted_at: EPOCH, payload: people(numbers) }], last: 2 });
    const members = openMembers(path)!;
    const words = Uint32Array.from(numbers.flatMap((number) => [0, 0, 0, number, 0, 0, 0, number + 1]));
    const { states, hasEntry } = findEntries(members.runs, words);
    members.close();
    assert.deepEqual(
      [...hasEntry],
      numbers.flatMap(() => [1, 0]),
    );
    assert.equal(new Set(states.filter((_, at) => at % STATE_WIDTH === NUMBER)).size, numbers.length + 1);
    assert.equal(members.next, numbers.length + 1, 'the second upload found everybody');
  });

  test('counts the members at any later time, and knows when that changes', () => {
    fc.assert(
      fc.property(uploads('Update', 'Delete'), cuts, (log, places) => {
        merge(pathOf('it'), log, places);
        const windows = openMembers(pathOf('it'))?.windows ?? new Uint32Array();
        const members = membersOf(log);
        let told = { size: 0, nextChangeAt: EPOCH + lastOf(log) };
        for (let now = lastOf(log); now <= lastOf(log) + 130; now++) {
          const size = openAt(members, now).length;
          if (EPOCH + now < told.nextChangeAt) assert.equal(size, told.size, 'nothing changes before it is told to');
          else told = countOpen(windows, EPOCH + now);
          assert.equal(told.size, size);
        }
      }),
      { numRuns: rounds(100) },
    );
  });

  for (const type of ['Update', 'Delete'] as const) {
    test(`twice equals once, for uploads with only ${type}`, () => {
      const mixed = uploads('Update', 'Delete');
      fc.assert(
        fc.property(mixed, fc.array(operation(type), { minLength: 1, maxLength: 5 }), (log, input) => {
          // No upload is taken whose end is past.
          const operations = input.map((each) => ({ ...each, expires_at: each.expires_at + 200 }));
          const upload = { after: 5, operations };
          merge(pathOf('it'), [...log, upload], []);
          const once = membersIn(pathOf('it'));
          merge(pathOf('it'), [...log, upload, { ...upload, after: 0 }], []);
          assert.deepEqual(shown(membersIn(pathOf('it'))), shown(once));
        }),
        { numRuns: rounds(100) },
      );
    });
  }

  test('handles files of many blocks', () => {
    const path = pathOf('large');
    const [begins, first, second, third] = [0, 1000, 2000, 3000];
    const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
    // From 50,000 on, every tenth person has a second identifier.
    const also = (each: number) => each + 1_000_000;
    const tenth = (each: number) => each % 10 === 0;
    const steps: readonly Operation[] = [
      { type: 'Update', effective_at: begins, expires_at: first, people: range(0, 100_000).map((each) => [each]) },
      {
        type: 'Update',
        effective_at: begins,
        expires_at: second,
        people: range(50_000, 150_000).map((each) => (tenth(each) ? [each, also(each)] : [each])),
      },
      { type: 'Delete', effective_at: begins, expires_at: first, people: range(0, 10_000).map((each) => [each]) },
      {
        type: 'Update',
        effective_at: begins,
        expires_at: third,
        people: range(60_000, 70_000)
          .filter(tenth)
          .map((each) => [also(each)]),
      },
      {
        type: 'Delete',
        effective_at: begins,
        expires_at: first,
        people: range(80_000, 90_000)
          .filter(tenth)
          .map((each) => [also(each)]),
      },
    ];
    merge(
      path,
      steps.map((operation) => ({ after: 1, operations: [operation] })),
      [1, 2, 3, 4],
    );
    const expected = new Map<number, number>();
    for (const each of range(10_000, 50_000)) expected.set(each, first);
    for (const each of range(50_000, 150_000)) {
      if (tenth(each) && each >= 80_000 && each < 90_000) continue;
      const window = tenth(each) && each >= 60_000 && each < 70_000 ? third : second;
      expected.set(each, window);
      if (tenth(each)) expected.set(also(each), window);
    }
    const nameOf = (each: number) => Buffer.from(identifierOf(each)).toString('hex');
    const names = new Map([...expected.keys()].map((each) => [nameOf(each), each]));
    const found = new Map(entriesIn(path).map(({ identifier, expires_at }) => [names.get(identifier), expires_at]));
    assert.deepEqual(found, new Map([...found.keys()].map((each) => [each, expected.get(each!)])));
    assert.equal(found.size, expected.size);
    assert.equal(countOpen(openMembers(path)!.windows, EPOCH + 10).size, 40_000 + 100_000 - 1000);
  });

  test('a truncated or foreign run is ignored, and those before it count', () => {
    const path = pathOf('it');
    const [whole, spoilt] = [join(path, '1-1'), join(path, '2-2')];
    merge(
      path,
      [{ after: 1, operations: [{ type: 'Update', effective_at: 0, expires_at: 99, people: [[1], [2]] }] }],
      [],
    );
    assert.equal(membersIn(path).length, 2);
    for (const spoil of [
      (bytes: Buffer) => bytes.subarray(0, -4),
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(4)]),
      (bytes: Buffer) => bytes.fill(0, 0, 1),
      (bytes: Buffer) => bytes.fill(7, 20, 24),
      (bytes: Buffer) => bytes.fill(7, bytes.length - 12),
    ]) {
      writeFileSync(spoilt, spoil(Buffer.from(readFileSync(whole))));
      assert.deepEqual([openRun(spoilt), openMembers(path)?.merged], [undefined, 1]);
    }
  });
});

const LEAVES = 4;

/** Members of different leaves that have an identifier in common are one record: the records, each with its leaves. */
function recordsOf(leaves: readonly (readonly Member[])[]): Set<number>[] {
  let records: { identifiers: Set<number>; leaves: Set<number> }[] = [];
  for (const [leaf, members] of leaves.entries()) {
    for (const { identifiers } of members) {
      const same = records.filter((record) => [...identifiers].some((each) => record.identifiers.has(each)));
      records = records.filter((record) => !same.includes(record));
      records.push({
        identifiers: new Set([...identifiers, ...same.flatMap((record) => [...record.identifiers])]),
        leaves: new Set([leaf, ...same.flatMap((record) => [...record.leaves])]),
      });
    }
  }
  return records.map((record) => record.leaves);
}

describe('a tree over every record', () => {
  test('is set algebra', () => {
    fc.assert(
      fc.property(
        fc.array(uploads('Update', 'Delete'), { minLength: LEAVES, maxLength: LEAVES }),
        tree(LEAVES),
        fc.nat({ max: 130 }),
        (logs, meant, later) => {
          const now = Math.max(...logs.map(lastOf)) + later;
          for (const [leaf, log] of logs.entries()) merge(pathOf(`leaf ${leaf}`), log, []);
          // Whoever is in no leaf of the tree is nobody, and joins nobody.
          const isUsed = (leaf: number) => JSON.stringify(meant).includes(`"audience:${leaf}"`);
          const records = recordsOf(logs.map((log, leaf) => (isUsed(leaf) ? openAt(membersOf(log), now) : [])));
          const all = new Set(records.keys());
          const leafOf = (subject: Subject) => Number(subject.slice('audience:'.length));
          const within = (subject: Subject) => new Set([...all].filter((each) => records[each]!.has(leafOf(subject))));
          // Without uploads there is no file.
          const fileOf = (leaf: number) => (existsSync(pathOf(`leaf ${leaf}`)) ? pathOf(`leaf ${leaf}`) : '');
          const told = countRecords(meant, (subject) => fileOf(leafOf(subject)), EPOCH + now);
          assert.equal(told.size, setOf(meant, all, within).size);
        },
      ),
      { numRuns: rounds(100) },
    );
  });
});
