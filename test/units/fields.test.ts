import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Type } from '../../src/base/json-schema.ts';
import {
  boolean,
  digits,
  type Field,
  id,
  instant,
  integer,
  isErrorDetail,
  isId,
  itemsOf,
  listOf,
  micros,
  oneOf,
  type RawValue,
  reference,
  text,
} from '../../src/contract/declare/fields.ts';
import { alwaysNull } from '../../src/contract/declare/unwritten-fields.ts';
import { wordingOf } from '../../src/contract/problems/problems.ts';

/** What reading comes to: the JSON that a reply shows, or the message. */
function read(field: Field, raw: RawValue): string {
  const value = field.kind.read(raw, 'x');
  return isErrorDetail(value) ? wordingOf(value, 'ads').message : field.kind.toJson(value as never);
}

const notLong = (raw: string) => `Expected Long, got "${raw}" for x`;

describe('field kinds', () => {
  const input: Record<string, [Field, [RawValue, string][]]> = {
    text: [
      text({ max: 5 }),
      [
        ['abc', '"abc"'],
        [' a ', '" a "'],
        ['\u{1f600}'.repeat(5), `"${'\u{1f600}'.repeat(5)}"`],
        [12, 'Expected text for x'],
        [true, 'Expected text for x'],
        [9_007_199_254_740_992, 'Expected text for x'],
        ['123456', 'Expected a maximum length of 5, got 6 for x'],
        ['a\u0000', 'Illegal characters in x'],
        [{ a: 1 }, 'Expected text for x'],
        [['a'], 'Expected text for x'],
      ],
    ],
    enum: [
      oneOf('B', 'A'),
      [
        ['A', '"A"'],
        ['a', 'Expected a value in A, B, got "a" for x'],
        ['', 'Expected a value in A, B, got "" for x'],
        [1, 'Expected a value in A, B, got "1" for x'],
        [['A'], 'Expected a value in A, B, got "["A"]" for x'],
        ['toString', 'Expected a value in A, B, got "toString" for x'],
      ],
    ],
    micros: [
      micros(),
      [
        ['1', '1'],
        ['0007', '7'],
        [5_000_000, '5000000'],
        ['9007199254740991', '9007199254740991'],
        [9_007_199_254_740_991, '9007199254740991'],
        ['9007199254740992', notLong('9007199254740992')],
        [9_007_199_254_740_992, notLong('9007199254740992')],
        ['0', 'Expected a value greater than 0, got 0 for x'],
        ['-0', 'Expected a value greater than 0, got 0 for x'],
        ['-1', 'Expected a value greater than 0, got -1 for x'],
        [-1, 'Expected a value greater than 0, got -1 for x'],
        [1.5, notLong('1.5')],
        ['1.0', notLong('1.0')],
        ['1e3', notLong('1e3')],
        ['', notLong('')],
        ['１', notLong('１')],
        [true, notLong('true')],
        [{}, notLong('{}')],
      ],
    ],
    integer: [
      integer({ min: 1, max: 10 }),
      [
        ['1', '1'],
        [10, '10'],
        ['11', 'Expected int between 1 and 10, got "11" for x'],
        ['0', 'Expected int between 1 and 10, got "0" for x'],
        ['x', notLong('x')],
      ],
    ],
    boolean: [
      boolean(),
      [
        ['true', 'true'],
        ['TRUE', 'true'],
        ['t', 'true'],
        ['1', 'true'],
        [1, 'true'],
        [true, 'true'],
        ['F', 'false'],
        [0, 'false'],
        [false, 'false'],
        ['yes', 'Expected boolean, got "yes" for x'],
        [2, 'Expected boolean, got "2" for x'],
        [[], 'Expected boolean, got "[]" for x'],
      ],
    ],
    instant: [
      instant(),
      [
        ['2026-03-02', '"2026-03-02T00:00:00Z"'],
        ['2026-03-02T01:00:00+01:00', '"2026-03-02T00:00:00Z"'],
        ['', 'Expected time, got "" for x'],
        [1_772_471_095, 'Expected time, got "1772471095" for x'],
      ],
    ],
    id: [
      id(),
      [
        ['8k2vd', '"8k2vd"'],
        ['8K2VD', '"8k2vd"'],
        [' 8k2vd ', '"8k2vd"'],
        [42, '"42"'],
        ['a-b', 'Expected an id, got "a-b" for x'],
        ['', 'Expected an id, got "" for x'],
        [true, 'Expected an id, got "true" for x'],
        [-1, 'Expected an id, got "-1" for x'],
        [1.5, 'Expected an id, got "1.5" for x'],
        [2 ** 60, 'Expected an id, got "1152921504606847000" for x'],
        ['x'.repeat(64), `"${'x'.repeat(64)}"`],
        ['x'.repeat(65), `Expected an id, got "${'x'.repeat(65)}" for x`],
      ],
    ],
    digits: [
      digits({ max: 20 }),
      [
        ['1822333526255120384', '"1822333526255120384"'],
        [42, '"42"'],
        [2 ** 60, notLong('1152921504606847000')],
        [-1, notLong('-1')],
        [true, notLong('true')],
        ['', notLong('')],
        ['1'.repeat(21), notLong('1'.repeat(21))],
      ],
    ],
    list: [
      listOf(id(), { max: 3 }),
      [
        ['a,b', '["a","b"]'],
        [['a', 'b'], '["a","b"]'],
        [' a , ,b,,A', '["a","b"]'],
        [['a', '', null, 'a'], '["a"]'],
        [7, '["7"]'],
        ['a,b,c,c', '["a","b","c"]'],
        ['a,b,c,d', 'A maximum of 3 items may be provided for x'],
        ['', 'A minimum of 1 items must be provided for x'],
        [[], 'A minimum of 1 items must be provided for x'],
        ['a,-', 'Expected an id, got "-" for x'],
        [[['a']], 'Expected an id, got "["a"]" for x'],
        [{ a: 1 }, 'Expected an id, got "{"a":1}" for x'],
      ],
    ],
  };
  for (const [kind, [field, cases]] of Object.entries(input)) {
    for (const [raw, expected] of cases) {
      test(`${kind} from ${JSON.stringify(raw).slice(0, 40)}`, () => assert.equal(read(field, raw), expected));
    }
  }

  test('ids are lower-case base 36 of at most 64 characters', () => {
    for (const good of ['0', 'z', '8k2vd', '900000001', 'a'.repeat(64)]) assert.ok(isId(good), good);
    for (const bad of ['', 'A', 'a b', 'é', 'a\n', '-1', 'a'.repeat(65)]) assert.ok(!isId(bad), bad);
  });

  test('a stored list is returned as its items', () => {
    assert.deepEqual(itemsOf(listOf(id(), { max: 9 }).kind.read('b,a', 'x') as string), ['b', 'a']);
  });
});

describe('the words of a declaration', () => {
  const facts = ({ isRequired, isNullable, writable, defaultValue, filter, isSortable }: Field) => ({
    isRequired,
    isNullable,
    writable,
    fallback: defaultValue,
    filter,
    isSortable,
  });
  const plain = facts(text({ max: 5 }));
  const input: [string, Field, Partial<ReturnType<typeof facts>>][] = [
    ['nothing', text({ max: 5 }), { isNullable: true, writable: 'input' }],
    ['required', text({ max: 5 }).required(), { isRequired: true, isNullable: false }],
    ['defaults', text({ max: 5 }).defaults('a'), { fallback: 'a', isNullable: false }],
    ['defaults, nullable', text({ max: 5 }).defaults('a').nullable(), { fallback: 'a', isNullable: true }],
    ['createOnly', text({ max: 5 }).createOnly(), { writable: 'create' }],
    ['readOnly', text({ max: 5 }).readOnly(), { writable: 'none' }],
    ['filteredBy', text({ max: 5 }).filteredBy('xs'), { filter: 'xs' }],
    ['sortable', text({ max: 5 }).sortable(), { isSortable: true }],
  ];
  for (const [word, field, changed] of input) {
    test(word, () => assert.deepEqual(facts(field), { ...plain, ...changed }));
  }

  test('a modifier makes a new field and leaves the old one unchanged', () => {
    const field = text({ max: 5 });
    assert.notEqual(field.required(), field);
    assert.equal(field.isRequired, false);
  });

  test('a reference has its target, and hides deleted ones unless declared otherwise', () => {
    const target = { name: 'thing', label: 'Thing', notFound: 'NOT_FOUND' } as const;
    assert.equal(reference(() => target).target!(), target);
    assert.equal(reference(() => target).deletedTarget, 'hidden');
    assert.equal(reference(() => target, { deleted: 'shown' }).required().deletedTarget, 'shown');
  });

  test('what is always null has no column and cannot be written', () => {
    const field = alwaysNull(Type.Integer());
    assert.deepEqual([field.kind.column, field.writable, field.isNullable], ['none', 'none', true]);
  });
});
