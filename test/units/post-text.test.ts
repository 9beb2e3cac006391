import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { entitiesOf } from '../../src/base/entities.ts';
import { displayUrl } from '../../src/base/entity-shapes.ts';
import { detectLanguage } from '../../src/features/ads/posts/detect-language.ts';
import { countedLength } from '../../src/features/ads/posts/post-fields.ts';

describe('entities of a text', () => {
  /** A text, and each of its entities as kind and what it says. */
  const input: [text: string, ...entities: [kind: string, text: string][]][] = [
    ['nothing at all'],
    ['#one and #two_2', ['hashtag', 'one'], ['hashtag', 'two_2']],
    ['#2026 is a number, #y2026 is not', ['hashtag', 'y2026']],
    ['a#no &#no /#no ##yes', ['hashtag', 'yes']],
    ['\uff03\u6771\u4eac, #\u00e9t\u00e9!', ['hashtag', '\u6771\u4eac'], ['hashtag', '\u00e9t\u00e9']],
    ['@ada, (@ben) \uff20eve', ['mention', 'ada'], ['mention', 'ben'], ['mention', 'eve']],
    ['ada@example.com @@ada @ada@ben @sixteen_letters_'],
    ['@fifteen_letters', ['mention', 'fifteen_letters']],
    ['$LUM $brk.a $toolongname $5 a$no', ['symbol', 'LUM'], ['symbol', 'brk.a']],
    ['see http://example.com.', ['url', 'http://example.com']],
    ['(https://example.com/a_(b)) ok', ['url', 'https://example.com/a_(b)']],
    ['https://example.com/#tag/@user?q=$LUM', ['url', 'https://example.com/#tag/@user?q=$LUM']],
    ['https://EXAMPLE.com/\u00e9,', ['url', 'https://EXAMPLE.com/\u00e9']],
    ['example.com http://localhost/ http://1.2.3.4/ https:// xhttps://example.com'],
    ['"https://example.com"\nhttps://example.org', ['url', 'https://example.com'], ['url', 'https://example.org']],
  ];
  for (const [text, ...expected] of input) {
    test(JSON.stringify(text), () => {
      assert.deepEqual(
        entitiesOf(text).map(({ kind, text: said }) => [kind, said]),
        expected,
      );
    });
  }

  test('have positions in code points, including their marker', () => {
    const text = '\u{1f600}\u{1f600} #\u{20bb7}a https://example.com/x @b';
    const points = [...text];
    const cut = entitiesOf(text).map(({ start, end }) => points.slice(start, end).join(''));
    assert.deepEqual(cut, ['#\u{20bb7}a', 'https://example.com/x', '@b']);
  });

  test('are found quickly in long and hostile texts', () => {
    for (const part of ['#', '@a', '1', 'http://', 'https://a.b/(', '$A', '\u{1f600}', '...)))']) {
      const text = part.repeat(20_000);
      assert.ok(entitiesOf(text).length <= 20_000);
      assert.ok(countedLength(text) > 0);
    }
  });
});

describe('the length of a text', () => {
  const input: [text: string, length: number][] = [
    ['', 0],
    ['abc', 3],
    ['\u{1f600}\u00e9', 2],
    ['e\u0301', 2],
    ['a\nb', 3],
    ['https://a.io', 23],
    [`https://example.com/${'x'.repeat(300)}`, 23],
    ['see https://a.io and http://b.io.', 4 + 23 + 5 + 23 + 1],
    [`https://example.com/${'x'.repeat(4000)}`, 4020],
  ];
  for (const [text, length] of input) {
    test(`${text.slice(0, 40)}: ${length}`, () => assert.equal(countedLength(text), length));
  }
});

describe('the language of a text', () => {
  const input: [text: string, language: string][] = [
    ['Swipe through our winter menu', 'en'],
    ['Open until noon today', 'en'],
    ['Wir haben jetzt auch am Sonntag offen', 'de'],
    ['Nos prix sont dans le menu', 'fr'],
    ['El caf\u00e9 de la casa es para todos', 'es'],
    ['\u65e5\u672c\u8a9e\u306e\u6587\u7ae0', 'ja'],
    ['\u4e2d\u6587\u53e5\u5b50', 'zh'],
    ['\ud55c\uad6d\uc5b4 \ubb38\uc7a5', 'ko'],
    ['\u041f\u0440\u0438\u0432\u0435\u0442', 'ru'],
    ['Sale!', 'und'],
    ['\u{1f600} 100 #the @of https://the.of/the', 'und'],
    ['', 'und'],
  ];
  for (const [text, language] of input) {
    test(`${text}: ${language}`, () => assert.equal(detectLanguage(text), language));
  }
});

test('display URLs have no scheme or www, and are truncated', () => {
  assert.equal(displayUrl('https://www.example.com/'), 'example.com');
  assert.equal(displayUrl('http://example.com/a/very/long/path/of/words'), 'example.com/a/very/long/pa\u2026');
});
