import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { escapeControls, oneLine } from '../../src/cli/output.ts';

const table: readonly (readonly [what: string, input: string, shown: string])[] = [
  ['a title of a terminal', '\x1b]0;owned\x07', '\\u001b]0;owned\\u0007'],
  ['a colour', '\x1b[31mred', '\\u001b[31mred'],
  ['a sequence of C1', '\x9b2J', '\\u009b2J'],
  ['a return to the beginning of the line', 'good\rbad', 'good\\u000dbad'],
  ['backspace and DEL', 'a\b\x7f', 'a\\u0008\\u007f'],
  ['text turned around', 'a\u202egpj.exe\u2066', 'a\\u202egpj.exe\\u2066'],
  ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['letters of every kind', 'Žluťoučký kůň 日本 🐎\tb\n', 'Žluťoučký kůň 日本 🐎\tb\n'],
];

describe('what commands print', () => {
  for (const [what, input, shown] of table) {
    test(`cannot control a terminal: ${what}`, () => assert.equal(escapeControls(input), shown));
  }

  test('stays the same JSON', () => {
    const value = { name: 'a\x9b\u202eb', text: 'tab\tline\n' };
    assert.deepEqual(JSON.parse(escapeControls(JSON.stringify(value))), value);
  });

  test('stays on its line and in its column', () => {
    assert.equal(oneLine('Ads\nconsumer_key=forged\tx'), 'Ads\\u000aconsumer_key=forged\\u0009x');
  });

  test('is written in one place', () => {
    const others = globSync('src/cli/**/*.ts').filter(
      (file) => file !== 'src/cli/output.ts' && /process\.std(out|err)\.write\(/.test(readFileSync(file, 'utf8')),
    );
    assert.deepEqual(others, []);
  });
});
