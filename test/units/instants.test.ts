import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatInstant, instantMs, parseInstant } from '../../src/base/instants.ts';

describe('instants', () => {
  const read: [string, string][] = [
    ['2026-03-02T17:04:55Z', '2026-03-02T17:04:55Z'],
    ['2026-03-02', '2026-03-02T00:00:00Z'],
    ['2026-03-02T17:04:55', '2026-03-02T17:04:55Z'],
    ['2026-03-02T17:04:55+01:00', '2026-03-02T16:04:55Z'],
    ['2026-03-02T17:04:55+0100', '2026-03-02T16:04:55Z'],
    ['2026-03-02T17:04:55+01', '2026-03-02T16:04:55Z'],
    ['2026-03-02T17:04:55-05:45', '2026-03-02T22:49:55Z'],
    ['2026-03-02T17:04:55-00:00', '2026-03-02T17:04:55Z'],
    ['2026-12-31T23:59:59-01:00', '2027-01-01T00:59:59Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00Z'],
    ['2026-03-02T17:04:55.999Z', '2026-03-02T17:04:55Z'],
    ['2026-03-02T17:04:55,5Z', '2026-03-02T17:04:55Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2000-02-29', '2000-02-29T00:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['0099-12-31T23:59:59Z', '0099-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['2026-03-02T00:00:00+18:00', '2026-03-01T06:00:00Z'],
  ];
  for (const [text, expected] of read) {
    test(`${text} is ${expected}`, () => assert.equal(parseInstant(text), expected));
  }

  const unreadable = [
    '',
    'now',
    '2026',
    '2026-03',
    '2026-3-2',
    '20260302',
    '2026-03-02T17:04',
    '2026-03-02 17:04:55Z',
    '2026-03-02t17:04:55z',
    '2026-03-02T17:04:55ZZ',
    ' 2026-03-02',
    '2026-03-02\n',
    '2026-03-02T24:00:00Z',
    '2026-03-02T23:60:00Z',
    '2026-03-02T23:59:60Z',
    '2026-00-10',
    '2026-13-10',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-01-00',
    '2026-01-32',
    '0000-01-01',
    '-001-01-01',
    '10000-01-01',
    '2026-03-02T17:04:55+19:00',
    '2026-03-02T17:04:55+01:60',
    '2026-03-02T17:04:55+1',
    '2026-03-02T17:04:55.Z',
    '2026-03-02Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
  ];
  for (const text of unreadable) {
    test(`${JSON.stringify(text)} cannot be parsed`, () => assert.equal(parseInstant(text), undefined));
  }

  test('parsing inverts formatting, and text order is time order', () => {
    const seconds = [-62_135_596_800, -1, 0, 1, 59, 951_782_400, 1_772_471_095, 253_402_300_799];
    const texts = seconds.map((second) => formatInstant(second * 1000));
    assert.deepEqual([...texts].sort(), texts);
    texts.forEach((text, index) => {
      assert.equal(parseInstant(text), text);
      assert.equal(instantMs(text), seconds[index]! * 1000);
    });
  });

  test('fractions of a second are cut off, also before 1970', () => {
    assert.equal(formatInstant(1999), '1970-01-01T00:00:01Z');
    assert.equal(formatInstant(-1), '1969-12-31T23:59:59Z');
    assert.equal(formatInstant(1000), '1970-01-01T00:00:01Z');
    assert.equal(formatInstant(0), '1970-01-01T00:00:00Z');
  });
});
