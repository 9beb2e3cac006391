import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { foldText, tokensOf } from '../../src/base/tokens.ts';
import { plainTokens } from '../rig/plain-tokens.ts';
import { rounds } from '../rig/sampling.ts';

describe('tokens', () => {
  const cases: [text: string, ...tokens: string[]][] = [
    ['Cold BREW, then espresso \u2615', 'cold', 'brew', 'then', 'espresso', '\u2615'],
    ["Don\u2019t stop, it's 5 o'clock'", "don't", 'stop', "it's", '5', "o'clock"],
    ['#Coffee #1 #2nd#third C#sharp &#39;', '#coffee', '1', '#2nd', 'third', 'c', 'sharp', '39'],
    ['@Ada_demo: ask ada@example.com .@Ben', '@ada_demo', 'ask', 'ada', 'example', 'com', '@ben'],
    ['See https://example.com/a?b#c and www.example.com now', 'see', 'and', 'now'],
    ['xhttp://a wwwx', 'xhttp', 'a', 'wwwx'],
    ['STRASSE Straße ΣΊΣΥΦΟΣ', 'strasse', 'strasse', 'σίσυφοσ'],
    ['snake_case and #snake_case', 'snake', 'case', 'and', '#snake_case'],
    ['コーヒーを飲みたい', 'コーヒー', 'を', '飲', 'みたい'],
    ['我喜欢喝咖啡', '我', '喜欢', '喝', '咖啡'],
    ['ฉันชอบกาแฟ', 'ฉัน', 'ชอบ', 'กาแฟ'],
    ['＃東京グルメ ｃａｆé', '#東京グルメ', 'café'],
    ['오늘 커피 한잔', '오늘', '커피', '한잔'],
    ['\u{1f1e9}\u{1f1ea}\u{1f44d}\u{1f3fd} \u{1d11e}', '\u{1f1e9}\u{1f1ea}', '\u{1f44d}'],
    ["+espresso... !!! _ # @ '", 'espresso'],
    [''],
  ];
  for (const [text, ...tokens] of cases) {
    test(text || 'of nothing', () => assert.deepEqual(tokensOf(text), tokens));
  }

  const pieces = fc.constantFrom(
    ...['#', '@', '_', "'", '\u2019', '&', '.', ' ', '\n', '+', 'www.', 'http://', 'https://', 'h', 'w', '7', '\u0301'],
    ...[
      'Coffee',
      'é',
      'ß',
      'İ',
      'ς',
      'コーヒー',
      '東京',
      '咖啡',
      'กาแฟ',
      '커피',
      'قهوة',
      'кофе',
      'कॉफ़ी',
      'ﬁ',
      '＃',
      '½',
    ],
    ...[
      '\u2615',
      '\ufe0f',
      '\u200d',
      '\u{1f1e9}',
      '\u{1f1ea}',
      '\u{1f44d}',
      '\u{1f3fd}',
      '\u{20000}',
      '\ud800',
      '\udc00',
    ],
  );
  const texts = fc.oneof(
    fc.array(pieces, { maxLength: 14 }).map((list) => list.join('')),
    fc.string({ unit: 'binary' }),
  );

  test('found by the fast path equal those of the plain one', () => {
    fc.assert(
      fc.property(texts, (text) => assert.deepEqual(tokensOf(text), plainTokens(text))),
      { numRuns: rounds(3000), seed: 7 },
    );
  });

  test('of a token are the token itself', () => {
    const spaced = texts.filter(
      (text) => !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text),
    );
    fc.assert(
      fc.property(spaced, (text) => {
        for (const token of tokensOf(text)) assert.deepEqual(tokensOf(token), [token]);
      }),
      { numRuns: rounds(2000), seed: 8 },
    );
  });

  test('are the same for folded text', () => {
    fc.assert(
      fc.property(texts, (text) => assert.deepEqual(tokensOf(foldText(text)), tokensOf(text))),
      { numRuns: rounds(1000), seed: 9 },
    );
  });
});
