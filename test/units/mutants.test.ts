import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applied, mutantsOf } from '../mutants/operators.ts';

/** What the mutants of a text look like in its only line. */
function changes(text: string): string[] {
  return mutantsOf('a.ts', text).map((mutant) => applied(text, mutant));
}

describe('mutants', () => {
  const cases: [text: string, mutants: string[]][] = [
    ['f(a < b);', [';', 'f(a <= b);']],
    ['const x = a ?? b;', ['const x = a && b;']],
    ['const x = `a` + b;', ["const x = '' + b;"]],
    ['if (a) throw e;', ['if (true) throw e;', 'if (false) throw e;', 'if (a) ;']],
    ['const f = (): boolean => !a;', ['const f = (): boolean => a;']],
    ['function f(a?: number) { return a; }', ['function f(a?: number) { return undefined; }']],
    [
      "const x = { 'a-b': 1, c: 'd', description: 'e' };",
      ["const x = { 'a-b': 2, c: 'd', description: 'e' };", "const x = { 'a-b': 1, c: '', description: 'e' };"],
    ],
    ["import { a } from 'b';", []],
    ['await a.b();', [';']],
    ['for (const a of [b]) continue;', ['for (const a of []) continue;', 'for (const a of [b]) ;']],
  ];
  for (const [text, expected] of cases) test(text, () => assert.deepEqual(changes(text).sort(), expected.sort()));

  test('know the functions around them by where these begin, as coverage does', () => {
    const text = 'const o = {\n  async m() {\n    return (() => 5)();\n  },\n};';
    const [number] = mutantsOf('a.ts', text).filter(({ operator }) => operator === 'number');
    assert.equal(number!.line, 3);
    assert.deepEqual(number!.functions, [text.indexOf('() => 5'), text.indexOf('async m')]);
  });
});
