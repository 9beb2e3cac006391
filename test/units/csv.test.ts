import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CsvError, csvReader } from '../../src/base/csv.ts';
import { fc } from '../rig/laws.ts';

function rowsOf(...pieces: readonly string[]): string[][] {
  const reader = csvReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()].map(({ values }) => [...values]);
}

describe('comma-separated values', () => {
  const cases: [text: string, rows: string[][]][] = [
    ['', []],
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['\ufeffa\n1\n', [['a'], ['1']]],
    [
      'a,,\n\n,b\n',
      [
        ['a', '', ''],
        ['', 'b'],
      ],
    ],
    ['"a,1","say ""hi"""\n', [['a,1', 'say "hi"']]],
    ['"two\nlines",x\n', [['two\nlines', 'x']]],
    ['""\n"",""', [['', '']]],
  ];
  for (const [text, rows] of cases) {
    test(JSON.stringify(text), () => {
      assert.deepEqual(rowsOf(text), rows);
      assert.deepEqual(rowsOf(...text), rows);
    });
  }

  for (const text of ['"a', '"a"b\n', 'x,"a"b']) {
    test(`${text} is refused`, () => assert.throws(() => rowsOf(text), CsvError));
  }

  test('rows are told by line, also in quotes', () => {
    const reader = csvReader();
    const rows = [...reader.push('a\r\n\r\n"b\nc",d\re\n'), ...reader.push('f'), ...reader.end()];
    assert.deepEqual(
      rows.map(({ line, values }) => [line, values[0]]),
      [
        [1, 'a'],
        [3, 'b\nc'],
        [5, 'e'],
        [6, 'f'],
      ],
    );
  });

  test('text that was written is read, however it is split', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é') });
    const table = fc.array(fc.array(value, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(table, fc.integer({ min: 1, max: 7 }), (rows, size) => {
        const text = rows
          .map((row) => `${row.map((each) => `"${each.replaceAll('"', '""')}"`).join(',')}\r\n`)
          .join('');
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        );
        assert.deepEqual(rowsOf(...pieces), rows);
      }),
    );
  });
});
