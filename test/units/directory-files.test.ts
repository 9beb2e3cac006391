import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openSections, writeSections } from '../../src/base/columns-file.ts';
import { samplePeople } from '../../src/dev/samples/sample-people.ts';
import { identifierSorter } from '../../src/features/audiences/directory/sorted-identifiers.ts';
import { fc } from '../rig/laws.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-directory-'));
});
after(() => rmSync(folder, { recursive: true }));

describe('identifiers are sorted', () => {
  // Few different bytes, so that identifiers begin alike and are alike.
  const identifier = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => bytes.map((byte) => byte & 1));
  const people = fc.array(fc.array(identifier, { maxLength: 3 }), { maxLength: 60 });

  for (const runEntries of [3, 1_000_000]) {
    test(`as bytes, then by number, with ${runEntries} at a time in memory`, () => {
      fc.assert(
        fc.property(people, (input) => {
          const sorter = identifierSorter(folder, runEntries);
          const entries = input.flatMap((own, number) => {
            sorter.add(new Uint8Array(Buffer.concat(own)), number);
            return own.map((bytes) => {
              const entry = Buffer.alloc(20);
              entry.set(bytes);
              entry.writeUInt32LE(number, 16);
              return entry;
            });
          });
          const found: Buffer[] = [];
          sorter.drain((block) => void found.push(Buffer.from(block)));
          const order = (a: Buffer, b: Buffer) =>
            Buffer.compare(a.subarray(0, 16), b.subarray(0, 16)) || a.readUInt32LE(16) - b.readUInt32LE(16);
          assert.deepEqual(Buffer.concat(found), Buffer.concat(entries.sort(order)));
          assert.equal(sorter.count(), entries.length);
        }),
        { numRuns: 60 },
      );
    });
  }
});

test('columns are read back as written', () => {
  const path = join(folder, 'columns');
  const columns = {
    a: Uint8Array.of(1, 2, 3),
    none: new Uint32Array(),
    b: Uint16Array.of(65_535, 1),
    c: Uint32Array.of(4_294_967_295).subarray(0, 1),
  };
  writeSections(path, columns);
  const file = openSections(path);
  for (const [name, column] of Object.entries(columns)) assert.deepEqual(file.read(name), column);
  assert.throws(() => file.read('missing'));
  file.close();
});

describe('a made-up population', () => {
  const plan = { seed: 7, users: 3000, registered: ['900000001'], now: 1_800_000_000 };
  const one = samplePeople(plan);
  const made = Array.from({ length: plan.users }, (_, number) => one(number).person);

  test('is repeatable, and another seed makes others', () => {
    assert.deepEqual(samplePeople(plan)(5), samplePeople({ ...plan, users: 10 })(5));
    assert.notDeepEqual(samplePeople(plan)(5), samplePeople({ ...plan, seed: 8 })(5));
  });

  test('is plausible', () => {
    const share = (is: (person: (typeof made)[number]) => boolean) => made.filter(is).length / made.length;
    assert.ok(share(({ country }) => country === 'US') > 0.15);
    assert.ok(share(({ last_active_at }) => last_active_at > plan.now - 90 * 86_400) > 0.8);
    assert.ok(Math.abs(share(({ gender }) => gender === '1') - 0.485) < 0.05);
    assert.ok(share(({ follows }) => follows.split(' ').includes('900000001')) > 0.005);
    assert.ok(made.every(({ age }) => age === null || (age >= 13 && age <= 83)));
    assert.equal(new Set(made.map(({ user_id }) => user_id)).size, made.length);
  });
});
