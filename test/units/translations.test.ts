import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { updatedPo } from '../../build/docs/translations.ts';
import { findLanguageBy } from '../../src/base/language.ts';
import { fillIn } from '../../src/base/messages.ts';
import { microsOf, moneyText } from '../../src/console/money.ts';
import { acceptedLanguage } from '../../src/http/pages/page-language.ts';
import { english, texts } from '../../src/texts/texts.ts';
import { parsePo } from '../../src/texts/translations.ts';

const file = readFileSync(new URL('../../src/texts/de.po', import.meta.url), 'utf8');
const entries = parsePo(file);

let spoken = 'en';
findLanguageBy(() => spoken);
/** What is made of texts in German. */
function inGerman<T>(make: () => T): T {
  spoken = 'de';
  try {
    return make();
  } finally {
    spoken = 'en';
  }
}

describe('the German texts', () => {
  test('are of the English texts of today: npm run generate', () => {
    assert.equal(updatedPo(file), file);
  });

  test('are complete, and none is of an older English text', () => {
    const open = entries.filter(({ target, isFuzzy }) => target === '' || isFuzzy);
    assert.deepEqual(
      open.map(({ context }) => context),
      [],
    );
  });

  test('have the values of the English ones', () => {
    const wrong = entries.filter(({ context, source, target }) => {
      const [needed, used] = [valuesOf(source), valuesOf(target)];
      const text: unknown = context.split('.').reduce((group: never, key) => group?.[key], english as never);
      const given = typeof text === 'function' ? Array.from({ length: text.length }, (_, at) => String(at)) : [];
      const isKnown = (name: string): boolean => needed.has(name) || given.includes(name);
      return ![...needed].every((name) => used.has(name)) || ![...used].every(isKnown);
    });
    assert.deepEqual(wrong, []);
  });

  test('have both forms of each plural', () => {
    const plurals = entries.filter(({ target }) => target.includes(', plural,'));
    assert.ok(plurals.length > 10);
    for (const { context, target } of plurals)
      for (const choice of target.split(', plural,').slice(1)) assert.match(choice, /one \{.* ?other \{/, context);
  });

  test('have German quotation marks, and no straight ones', () => {
    const wrong = entries.filter(({ target }) => /[“"](?![^<]*>)/.test(target.replaceAll(/„[^„“]*“/g, '')));
    assert.deepEqual(wrong, []);
  });
});

/** The names of the values that a message shows or chooses by. */
function valuesOf(message: string): Set<string> {
  const names = new Set<string>();
  const values = new Proxy({}, { get: (_, name) => names.add(String(name)) && 2 });
  fillIn(message, values);
  return names;
}

describe('texts of pages', () => {
  test('are in the language of the page when they are read', () => {
    const words = texts.campaigns;
    assert.equal(words.title, 'Campaigns');
    assert.equal(
      inGerman(() => words.title),
      'Kampagnen',
    );
    assert.equal(
      inGerman(() => texts.login.as('Ada & Co', 'ada').render()),
      'Als <strong>Ada &#38; Co</strong> (@ada).',
    );
    assert.deepEqual(
      inGerman(() => Object.entries(texts.review.names)[0]),
      ['campaign', 'Budget'],
    );
    assert.equal(texts.errors.reasons.page[0], 'This page does not exist');
    assert.equal(
      inGerman(() => texts.errors.reasons.page[0]),
      'Diese Seite gibt es nicht',
    );
  });

  test('are never read while modules are loaded', async () => {
    const early = new Set<string>();
    findLanguageBy(() => {
      const caller = /(src\/(?!base|texts)[^:]+:\d+)/.exec(new Error().stack ?? '');
      if (caller) early.add(caller[1]!);
      return 'en';
    });
    for (const module of globSync('src/{console,http,dev,features/auth,app}/**/*.ts')) {
      const hasText = /texts\/texts\.ts/.test(readFileSync(module, 'utf8'));
      if (hasText) await import(new URL(`../../${module}`, import.meta.url).href);
    }
    findLanguageBy(() => spoken);
    assert.deepEqual([...early], []);
  });
});

describe('a message', () => {
  const messages: [message: string, values: Record<string, string | number | boolean>, text: string, de?: string][] = [
    ['{name} is {state}.', { name: 'A', state: 'on' }, 'A is on.'],
    ['{n, plural, =0 {none} one {{n} ad} other {{n} ads}} left', { n: 0 }, 'none left'],
    ['{n, plural, =0 {none} one {{n} ad} other {{n} ads}} left', { n: 1 }, '1 ad left'],
    ['{n, plural, =0 {none} one {{n} ad} other {{n} ads}} left', { n: 12_345 }, '12,345 ads left', '12.345 ads left'],
    ['{0}{1, select, true { (sandbox)} other {}}', { 0: 'x', 1: true }, 'x (sandbox)'],
    ['{0}{1, select, true { (sandbox)} other {}}', { 0: 'x', 1: false }, 'x'],
    ['{0} of {1}', { 0: 'x' }, 'x of {1}'],
  ];
  for (const [message, values, text, de = text] of messages) {
    test(`${message} with ${JSON.stringify(values)}`, () => {
      assert.equal(fillIn(message, values), text);
      assert.equal(
        inGerman(() => fillIn(message, values)),
        de,
      );
    });
  }

  for (const message of ['{name', 'a } b', '{n, plural, one {x}']) {
    test(`${message} is refused`, () => {
      assert.throws(() => fillIn(message, { n: 1 }), SyntaxError);
    });
  }
});

describe('amounts in German', () => {
  test('are written as Germans write them', () => {
    assert.equal(
      inGerman(() => moneyText(1_250_500_000, 'EUR')),
      '1.250,50\u00a0€',
    );
  });

  for (const [text, micros] of [
    ['1.250,50', 1_250_500_000],
    ['1250,5', 1_250_500_000],
    ['1.250', 1_250_000_000],
    ['0,01', 10_000],
    ['1,250.50', undefined],
    ['12.50', undefined],
    ['1.2500', undefined],
    ['0,001', undefined],
  ] as const) {
    test(`${text} is read as ${micros} micros`, () => {
      assert.equal(
        inGerman(() => microsOf(text, 'EUR')),
        micros,
      );
    });
  }
});

describe('the language of a browser', () => {
  for (const [header, language] of [
    ['de', 'de'],
    ['de-CH, fr;q=0.9', 'de'],
    ['fr, de;q=0.5, en;q=0.8', 'en'],
    ['en;q=0, DE-at', 'de'],
    ['fr, *', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    test(`${header}: ${language}`, () => {
      assert.equal(acceptedLanguage(header), language);
    });
  }
});
