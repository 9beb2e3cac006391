import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startOfDay } from '../../src/base/zones.ts';

describe('the start of a day in a time zone', () => {
  const input: [string, string, string][] = [
    ['2026-03-02', 'UTC', '2026-03-02T00:00:00Z'],
    ['2026-03-02', 'America/Los_Angeles', '2026-03-02T08:00:00Z'],
    ['2026-07-02', 'America/Los_Angeles', '2026-07-02T07:00:00Z'],
    ['2026-03-08', 'America/Los_Angeles', '2026-03-08T08:00:00Z'],
    ['2026-03-09', 'America/Los_Angeles', '2026-03-09T07:00:00Z'],
    ['2026-11-01', 'America/Los_Angeles', '2026-11-01T07:00:00Z'],
    ['2026-11-02', 'America/Los_Angeles', '2026-11-02T08:00:00Z'],
    ['2026-03-29', 'Europe/London', '2026-03-29T00:00:00Z'],
    ['2026-10-25', 'Europe/London', '2026-10-24T23:00:00Z'],
    ['2026-03-02', 'Asia/Kolkata', '2026-03-01T18:30:00Z'],
    ['2026-03-02', 'Asia/Kathmandu', '2026-03-01T18:15:00Z'],
    ['2026-03-02', 'Pacific/Kiritimati', '2026-03-01T10:00:00Z'],
    ['2026-03-02', 'Pacific/Pago_Pago', '2026-03-02T11:00:00Z'],
    // The clock goes from 23:59:59 to 01:00:00: the day begins an hour late.
    ['2024-04-26', 'Africa/Cairo', '2024-04-25T22:00:00Z'],
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00Z'],
    // The clock goes back from 24:00 to 23:00: the day begins after the second midnight.
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00Z'],
    // A whole day was left out.
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00Z'],
  ];
  for (const [date, zone, expected] of input) {
    test(`${date} in ${zone}`, () => assert.equal(startOfDay(date, zone), expected));
  }

  test('an unknown zone throws', () => {
    assert.throws(() => startOfDay('2026-03-02', 'Nowhere/Town'), RangeError);
  });
});
