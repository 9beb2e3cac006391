import assert from 'node:assert/strict';
import { createHash, hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { IDENTIFIER_KINDS, type UploadRules } from '../../src/contract/store/audiences.ts';
import { parseFast } from '../../src/features/audiences/uploads/fast-path.ts';
import { parseFully } from '../../src/features/audiences/uploads/full-parser.ts';
import { readPacked } from '../../src/features/audiences/uploads/packed-format.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';

const NOW_S = Date.parse('2026-03-02T17:04:55Z') / 1000;
const rules: UploadRules = { kinds: IDENTIFIER_KINDS, acceptsEffectiveAt: true, limitsExpiry: false };
const ofLists: UploadRules = { kinds: ['email', 'phone_number'], acceptsEffectiveAt: false, limitsExpiry: true };

const digits = fc.nat({ max: 40 }).map((seed) => hash('sha256', `person ${seed}`));
const sound = {
  hashed: fc.oneof(
    digits,
    digits.map((text) => text.toUpperCase()),
  ),
  plain: fc.stringMatching(/^[ !#-[\]-~]{1,20}$/),
  time: fc.constantFrom('2026-04-01', '2026-04-01T00:00:00Z', '2027-04-02T17:04:55Z', '2026-07-01T00:00:00+02:00'),
  type: fc.constantFrom('Update', 'Delete'),
};
const sloppy = {
  hashed: fc.constantFrom('a@b.example', '', hash('md5', 'x'), hash('sha256', ''), '\u00e9', '\\', null, 7),
  plain: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom('x'.repeat(256), 'x'.repeat(257), 'a"b', 8),
  ),
  time: fc.constantFrom('2026-03-02T17:04:55Z', '2026-03-01', '2999-01-01', 'soon', null, 5, '2027-04-02T17:04:56Z'),
  type: fc.constantFrom('update', 'Upsert', '', 3),
};

/** Operations that are sound but for one part in so many. */
function operationsOf(wrong: number, kinds: readonly string[]): fc.Arbitrary<unknown[]> {
  const mostly = (name: keyof typeof sound): fc.Arbitrary<unknown> =>
    fc.oneof({ weight: 60, arbitrary: sound[name] }, { weight: wrong, arbitrary: sloppy[name] });
  const listOf = (kind: string) =>
    fc.array(mostly(kind === 'partner_user_id' ? 'plain' : 'hashed'), { minLength: wrong > 0 ? 0 : 1, maxLength: 3 });
  const [first, ...others] = kinds.map((kind) => [kind, listOf(kind)] as const);
  const person = fc.record(Object.fromEntries([first!, ...others]), { requiredKeys: wrong > 0 ? [] : [first![0]] });
  const params = fc.record(
    {
      effective_at: fc.constant('2026-03-05'),
      expires_at: mostly('time'),
      users: fc.array(person, { minLength: wrong > 0 ? 0 : 1, maxLength: 4 }),
      ...(wrong > 0 ? { more: fc.constant(1) } : {}),
    },
    { requiredKeys: ['users'] },
  );
  return fc.array(fc.record({ operation_type: mostly('type'), params }), {
    minLength: wrong > 0 ? 0 : 1,
    maxLength: 4,
  });
}

/** Members in any order, with space between them or none. */
const uploads = fc
  .tuple(
    fc.oneof(
      operationsOf(0, ofLists.kinds),
      operationsOf(0, IDENTIFIER_KINDS.toReversed()),
      operationsOf(1, ofLists.kinds),
      operationsOf(1, IDENTIFIER_KINDS),
    ),
    fc.constantFrom(undefined, 1, '\t'),
    fc.boolean(),
  )
  .map(([items, space, isTurned]) => JSON.stringify(items, isTurned ? turned : undefined, space));

function turned(_: string, value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

describe('parsing an upload of people', () => {
  test('the fast path gives the result of the full parser', () => {
    const seen = { straight: 0, left: 0 };
    fc.assert(
      fc.property(uploads, fc.constantFrom(rules, ofLists), (text, each) => {
        const body = Buffer.from(text);
        const straight = parseFast(body, NOW_S, each);
        const careful = parseFully(body, NOW_S, each);
        if (straight) assert.deepEqual(straight, careful);
        seen[straight ? 'straight' : 'left'] += 1;
      }),
      { numRuns: rounds(2000) },
    );
    assert.ok(seen.straight > 100 && seen.left > 100, JSON.stringify(seen));
  });

  test('for damaged bytes the fast path gives up, or gives the result of the full parser', () => {
    fc.assert(
      fc.property(uploads, fc.nat(), fc.nat({ max: 255 }), fc.boolean(), (text, place, byte, isCut) => {
        const body = Buffer.from(text);
        const at = place % body.length;
        if (isCut) body.copyWithin(at, at + 1);
        else body[at] = byte;
        const straight = parseFast(body, NOW_S, rules);
        if (straight) assert.deepEqual(straight, parseFully(body, NOW_S, rules));
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('gives what was sent', () => {
    const whole = fc.record({
      email: fc.array(digits, { minLength: 1, maxLength: 3 }),
      partner_user_id: fc.constant(['crm-7']),
    });
    fc.assert(
      fc.property(
        fc.array(fc.array(whole, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
        (groups) => {
          const items = groups.map((users) => ({
            operation_type: 'Delete',
            params: { effective_at: '2026-03-05', users },
          }));
          const body = Buffer.from(JSON.stringify(items));
          for (const reader of [parseFast, parseFully]) {
            const read = reader(body, NOW_S, rules);
            assert.ok(read && 'payload' in read);
            assert.deepEqual(
              unpacked(read.payload),
              groups.map((users) => ({
                head: [1, Date.parse('2026-03-05') / 1000, Date.parse('2027-04-02T17:04:55Z') / 1000],
                users: users.map((user) => [
                  ...user.email.map((text) => `${text.slice(0, 30)}00`),
                  `${createHash('sha256').update('crm-7').digest('hex').slice(0, 30)}05`,
                ]),
              })),
            );
          }
        },
      ),
      { numRuns: rounds(100) },
    );
  });

  test('splits a person with too many identifiers into records that share one', () => {
    const ids = Array.from({ length: 70_000 }, (_, index) => String(index));
    const body = Buffer.from(
      JSON.stringify([{ operation_type: 'Update', params: { users: [{ partner_user_id: ids }] } }]),
    );
    const read = parseFast(body, NOW_S, rules)!;
    const [{ users } = { users: [] }] = unpacked(read.payload);
    assert.equal(read.records, 1);
    assert.deepEqual(
      users.map((user) => user.length),
      [65_535, 4466],
    );
    assert.equal(users[0]![0], users[1]![0]);
    assert.equal(new Set(users.flat()).size, 70_000);
  });
});

function unpacked(payload: Uint8Array): { head: number[]; users: string[][] }[] {
  const found: { head: number[]; users: string[][] }[] = [];
  readPacked(payload, {
    operation: (type, begin, end) => void found.push({ head: [type, begin, end], users: [] }),
    person: (at, count) =>
      void found
        .at(-1)!
        .users.push(
          Array.from({ length: count }, (_, index) =>
            Buffer.from(payload.subarray(at + index * 16, at + index * 16 + 16)).toString('hex'),
          ),
        ),
  });
  return found;
}
