import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codePointLength, foldCase, isLegalText, jsonText, nearestWord } from '../../src/base/text.ts';

describe('text', () => {
  test('control characters and broken Unicode are not legal, everything else is', () => {
    for (const bad of ['\u0000', 'a\tb', 'a\nb', '\r', '\u001f', '\u007f', '\u0080', '\u009f', '\ud800', 'a\udc00']) {
      assert.equal(isLegalText(bad), false, JSON.stringify(bad));
    }
    for (const good of ['', ' ', 'é', '\u{1f600}', '\u00a0', '\u2028', '\u200f', '<script>', '"', '\\', '\uffff']) {
      assert.equal(isLegalText(good), true, JSON.stringify(good));
    }
  });

  test('length counts what a person sees as characters', () => {
    const lengths: [string, number][] = [
      ['', 0],
      ['abc', 3],
      ['é', 1],
      ['e\u0301', 2],
      ['\u{1f600}', 1],
      ['\u{1f600}'.repeat(255), 255],
    ];
    for (const [text, length] of lengths) assert.equal(codePointLength(text), length, text);
  });

  test('folding makes all spellings of a text equal', () => {
    const same: string[][] = [
      ['Apple', 'APPLE', 'apple'],
      ['Äpfel', 'äpfel', 'A\u0308PFEL', 'a\u0308pfel'],
      ['straße', 'STRASSE', 'strasse'],
      ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'Σίσυφοσ'],
      ['\uff21', 'a', 'A'],
      ['\ufb01ne', 'FINE', 'fine'],
    ];
    for (const [first, ...others] of same) {
      for (const other of others) assert.equal(foldCase(other), foldCase(first!), `${first} ${other}`);
    }
    assert.notEqual(foldCase('e'), foldCase('é'));
  });

  test('folding is idempotent and keeps prefixes', () => {
    const texts = ['Apple Pie', 'ΟΔΟΣ', 'ΟΔΟΣ 5', 'İstanbul', 'ǅ', 'Straße', 'ŉ', '\u1e9e', 'ᾳ'];
    for (const text of texts) {
      assert.equal(foldCase(foldCase(text)), foldCase(text), text);
      const letters = [...text];
      for (let end = 1; end <= letters.length; end++) {
        const prefix = letters.slice(0, end).join('');
        assert.ok(foldCase(text).startsWith(foldCase(prefix)), `${prefix} of ${text}`);
      }
    }
  });

  test('JSON text equals that of JSON.stringify', () => {
    const texts = [
      '',
      'plain',
      'a "quote"',
      'back\\slash',
      '/',
      'tab\t',
      '\u0000',
      '\u001f',
      '\u007f',
      'é',
      '\u2028',
      '\u{1f600}',
      '\ud800',
    ];
    for (const text of texts) {
      assert.equal(jsonText(text), JSON.stringify(text));
      assert.equal(JSON.parse(jsonText(text)), text);
    }
  });

  test('the nearest word is suggested when it is near enough', () => {
    const words = ['sort_by', 'count', 'cursor', 'with_deleted'];
    const cases: [string, string | undefined][] = [
      ['sortby', 'sort_by'],
      ['coutn', 'count'],
      ['with_delete', 'with_deleted'],
      ['count', 'count'],
      ['telephone', undefined],
      ['', undefined],
    ];
    for (const [word, expected] of cases) assert.equal(nearestWord(word, words), expected, word);
    assert.equal(nearestWord('x', []), undefined);
  });
});
