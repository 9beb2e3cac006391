import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatCsv } from '../../src/base/csv.ts';
import { endOf, firstDay, lastDay, startOf } from '../../src/console/days.ts';
import { microsOf, moneyText } from '../../src/console/money.ts';
import { refusalText } from '../../src/console/parts/form-problems.ts';
import { invalid } from '../../src/contract/declare/rules.ts';
import { type InvalidReason, type ProblemName, wordingIn } from '../../src/contract/problems/problems.ts';
import { texts } from '../../src/texts/texts.ts';

describe('amounts', () => {
  test('are read as they are written', () => {
    for (const currency of ['USD', 'JPY', 'KWD'])
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), (units) => {
          const digits = { USD: 2, JPY: 0, KWD: 3 }[currency]!;
          const micros = units * 10 ** (6 - digits);
          const text = moneyText(micros, currency).replace(/[^\d.,]/g, '');
          assert.equal(microsOf(text, currency), micros, text);
        }),
      );
  });

  test('that are none are refused', () => {
    for (const text of ['', '-1', '1.2.3', '1,00', 'abc', '1e3', '0.001', '1,0000', '$5'])
      assert.equal(microsOf(text, 'USD'), undefined, text);
    assert.equal(microsOf('1.5', 'JPY'), undefined);
    assert.equal(microsOf(' 1,250.5 ', 'USD'), 1_250_500_000);
  });
});

describe('days of a flight', () => {
  test('come back as they were entered, on days on which clocks change too', () => {
    for (const zone of ['America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe'])
      for (const day of ['2026-03-08', '2026-11-01', '2026-04-05', '2026-02-28']) {
        assert.equal(firstDay(startOf(day, zone)!, zone), day);
        assert.equal(lastDay(endOf(day, zone)!, zone), day);
      }
    assert.deepEqual([firstDay(null, 'UTC'), startOf('', 'UTC'), endOf('', 'UTC')], ['', '', '']);
  });

  test('that are none are refused', () => {
    for (const day of ['2026-02-30x', '26-1-1', 'tomorrow', '2026-13-01']) {
      assert.equal(startOf(day, 'UTC'), undefined, day);
      assert.equal(endOf(day, 'UTC'), undefined, day);
    }
  });
});

test('CSV runs nothing in a spreadsheet, and keeps what it has', () => {
  const rows = [
    ['=1+1', 'a "quote"', -2.5],
    ['+x', '-y', '@z'],
    ['two\nlines', 'x;=1+1', '\tx', ''],
  ];
  assert.equal(formatCsv(rows), `"'=1+1","a ""quote""",-2.5\r\n"'+x","'-y","'@z"\r\n"two\nlines","x;=1+1","'\tx",\r\n`);
});

describe('a refusal in words for people', () => {
  const REASONS = [
    'ENDS_BEFORE_START',
    'ENDED',
    'ONE_OF_A_KIND',
    'TOO_SMALL',
  ] as const satisfies readonly InvalidReason[];
  const placesOf = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

  test('has only values that the API has too', () => {
    for (const [name, template] of Object.entries(texts.refusals)) {
      const isReason = (REASONS as readonly string[]).includes(name);
      const message = isReason ? '' : wordingIn('ads', name as ProblemName)[2];
      const known = ['parameter', ...placesOf(message)];
      for (const place of placesOf(template)) assert.ok(known.includes(place), `${name} has no ${place}`);
    }
  });

  test('calls fields as the form does', () => {
    const refusal = { problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } } as const;
    assert.equal(refusalText(refusal), 'Last day must be after First day');
    assert.equal(refusalText({ problem: 'MISSING_PARAMETER', parameter: 'text' }), 'Text is missing');
    assert.equal(refusalText(invalid('end_time', 'Expected', 'ENDED')), 'The last day has passed');
    assert.equal(refusalText(invalid('end_time', 'Expected more')), 'Expected more');
  });

  test('is the message of the API where there are no other words', () => {
    const refusal = { problem: 'NOT_AN_ID', parameter: 'card', words: { raw: '?' } } as const;
    assert.equal(refusalText(refusal), 'Expected an id, got "?" for card');
  });
});
