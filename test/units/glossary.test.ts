import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const rows = [...readFileSync('docs/glossary.md', 'utf8').matchAll(/^\| (.+?) \| (.+?) \| `(src\/[^`]+)` \|$/gm)].map(
  ([, words, meaning, file]) => ({ words: words!.split(', '), meaning: meaning!, file: file! }),
);

describe('the glossary', () => {
  test('defines each word once', () => {
    const words = rows.flatMap((row) => row.words);
    assert.ok(words.length > 30);
    assert.deepEqual(
      words.filter((word, index) => words.indexOf(word) !== index),
      [],
    );
  });

  test('stays short: other terms are those of the field', () => {
    assert.ok(rows.length <= 40, `${rows.length} rows`);
  });

  test('names files that exist', () => {
    const missing = rows.filter(({ file }) => !existsSync(file)).map(({ file }) => file);
    assert.deepEqual(missing, []);
  });
});
