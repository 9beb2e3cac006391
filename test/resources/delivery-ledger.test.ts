import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DeliveryChange, DeliveryDay } from '../../src/contract/store/delivery-ledger.ts';
import type { ReadTransaction, WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
  // The service removes by itself what is too old.
  await world.service.jobs.stop();
});
after(() => world.close());

type Ledger<Transaction extends ReadTransaction> = Transaction['deliveryLedger'];
const write = <T>(work: (ledger: Ledger<WriteTransaction>) => Promise<T>) =>
  world.service.store.write((tx) => work(tx.deliveryLedger));
const read = <T>(work: (ledger: Ledger<ReadTransaction>) => Promise<T>) =>
  world.service.store.read((tx) => work(tx.deliveryLedger));

const dayOf = (account_id: string, line_item_id: string, day: string, changes: Partial<DeliveryDay> = {}) => ({
  ...{ account_id, line_item_id, creative_id: 'creative', placement: 'ALL_ON_SERVICE', day },
  ...{ hours: Uint8Array.of(24), impressions: 10, billed: 2, spend_local_micro: 3_000_000 },
  ...{ settled_until: `${day}T10:00:00Z`, changed_at: `${day}T10:00:00Z` },
  ...changes,
});
const changeOf = (account_id: string, recorded_hour: string, applies_from: string, applies_until: string) =>
  ({
    ...{ account_id, recorded_hour, line_item_id: 'a', creative_id: 'creative', placement: 'ALL_ON_SERVICE' },
    ...{ applies_from, applies_until },
  }) satisfies DeliveryChange;

describe('the delivery ledger', () => {
  test('lists days by line items and range, and replaces the same day', async () => {
    const account = 'ledger-days';
    const days = [
      dayOf(account, 'a', '2026-03-01'),
      dayOf(account, 'a', '2026-03-02'),
      dayOf(account, 'b', '2026-03-01'),
      dayOf(account, 'c', '2026-03-01'),
    ];
    await write((ledger) => ledger.saveDays([...days, dayOf('ledger-other', 'a', '2026-03-01')]));
    const later = dayOf(account, 'a', '2026-03-02', {
      impressions: 12,
      hours: Uint8Array.of(24, 0, ...Array(24).fill(1)),
    });
    await write((ledger) => ledger.saveDays([later]));
    const list = async (from: string, until: string, line_items?: string[]) =>
      (await read((ledger) => ledger.listDays({ account, from, until, ...(line_items && { line_items }) }))).map(
        (row) => ({ ...row, hours: new Uint8Array(row.hours) }),
      );
    assert.deepEqual(await list('2026-03-01', '2026-03-03'), [days[0], later, days[2], days[3]]);
    assert.deepEqual(await list('2026-03-01', '2026-03-02', ['c', 'a', 'a', 'none']), [days[0], days[3]]);
    assert.deepEqual(await list('2026-03-02', '2026-03-02'), []);
    assert.deepEqual(await list('2026-03-01', '2026-03-03', []), []);
  });

  test('adds up what line items delivered, beyond 32 bits', async () => {
    const account = 'ledger-totals';
    const spend_local_micro = 4_000_000_000_000_000;
    await write((ledger) =>
      ledger.saveDays([
        dayOf(account, 'b', '2026-03-01', { spend_local_micro }),
        dayOf(account, 'b', '2026-03-02', { spend_local_micro, placement: 'TREND' }),
        dayOf(account, 'a', '2026-03-01'),
      ]),
    );
    const a = { line_item_id: 'a', impressions: 10, billed: 2, spend_local_micro: 3_000_000 };
    const b = { line_item_id: 'b', impressions: 20, billed: 4, spend_local_micro: 2 * spend_local_micro };
    assert.deepEqual(await read((ledger) => ledger.listTotals(account)), [a, b]);
    assert.deepEqual(await read((ledger) => ledger.listTotals(account, ['b', 'none'])), [b]);
  });

  test('adds up to the largest amount, whatever rows have', async () => {
    const account = 'ledger-largest';
    const spend_local_micro = Number.MAX_SAFE_INTEGER;
    const days = ['2026-03-01', '2026-03-02'].map((day) => dayOf(account, 'a', day, { spend_local_micro }));
    await write((ledger) => ledger.saveDays(days));
    const [totals] = await read((ledger) => ledger.listTotals(account));
    assert.deepEqual(totals, { line_item_id: 'a', impressions: 20, billed: 4, spend_local_micro });
  });

  test('keeps audiences by time, and the cursor of an account', async () => {
    const account_id = 'ledger-audiences';
    const audience = (subject: string, day: number, people: number) => ({
      ...{ account_id, subject, applies_from: `2026-03-0${day}T00:00:00Z`, people },
      ...{ shares: { GENDER: { '1': people, UNKNOWN: 0 } }, question_hash: 'question', directory_mark: 'mark' },
    });
    await write((ledger) => ledger.saveAudiences([audience('b', 1, 5), audience('a', 2, 7), audience('a', 1, 9)]));
    await write((ledger) => ledger.saveAudiences([audience('a', 1, 8)]));
    const [first, second, third] = [audience('a', 1, 8), audience('a', 2, 7), audience('b', 1, 5)];
    assert.deepEqual(await read((ledger) => ledger.listAudiences(account_id)), [first, second, third]);
    assert.deepEqual(await read((ledger) => ledger.listAudiences(account_id, ['b'])), [third]);

    assert.equal(await read((ledger) => ledger.findCursor(account_id)), undefined);
    const cursor = { account_id, settled_until: '2026-03-01T00:00:00Z', seed: 'seed', knobs: null, plan: null };
    await write((ledger) => ledger.saveCursor(cursor));
    await write(async (ledger) => {
      assert.deepEqual(await ledger.lockCursor(account_id), cursor);
      await ledger.saveCursor({ ...cursor, settled_until: '2026-03-02T00:00:00Z' });
    });
    const moved = { ...cursor, settled_until: '2026-03-02T00:00:00Z' };
    assert.deepEqual(await read((ledger) => ledger.findCursor(account_id)), moved);
  });

  test('keeps segments, and the people who saw line items', async () => {
    const account_id = 'ledger-people';
    const segment = (value: string) => ({
      ...{ account_id, line_item_id: 'a', creative_id: 'creative', placement: 'ALL_ON_SERVICE', day: '2026-03-01' },
      ...{ segmentation: 'GENDER', value, hours: Uint8Array.of(24) },
    });
    await write((ledger) =>
      ledger.saveSegments([segment('2'), segment('1'), { ...segment('x'), segmentation: 'AGE' }]),
    );
    const range = { account: account_id, from: '2026-03-01', until: '2026-03-03' };
    const segments = await read((ledger) => ledger.listSegments({ ...range, segmentation: 'GENDER' }));
    assert.deepEqual(
      segments.map(({ value }) => value),
      ['1', '2'],
    );
    const view = (person: string, line_item_id: string, day = '2026-03-01') => ({
      ...{ account_id, person, line_item_id, day, impressions: 2 },
    });
    await write((ledger) => ledger.addImpressions([view('p', 'a'), view('p', 'a'), view('q', 'a'), view('p', 'b')]));
    await write((ledger) => ledger.addImpressions([view('p', 'a'), view('r', 'b', '2026-03-03')]));
    const reach = (line_items?: string[]) =>
      read((ledger) => ledger.findReach({ ...range, ...(line_items && { line_items }) }));
    assert.deepEqual(await reach(['a']), { people: 2, impressions: 8 });
    assert.deepEqual(await reach(), { people: 2, impressions: 10 });
    assert.deepEqual(await reach([]), { people: 0, impressions: 0 });
    const views = await read((ledger) => ledger.listImpressions(account_id, ['p', 'r'], '2026-03-01'));
    assert.deepEqual(
      views.map(({ person, line_item_id, impressions }) => [person, line_item_id, impressions]),
      [
        ['p', 'a', 6],
        ['p', 'b', 2],
        ['r', 'b', 2],
      ],
    );
  });

  test('joins changes of one hour, and lists them by the hour in which they were stored', async () => {
    const account = 'ledger-changes';
    const [ten, eleven] = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'];
    const first = changeOf(account, ten, '2026-03-01T09:50:00Z', '2026-03-01T10:05:00Z');
    await write((ledger) => ledger.saveChanges([first]));
    await write((ledger) =>
      ledger.saveChanges([
        changeOf(account, ten, '2026-03-01T10:05:00Z', '2026-03-01T10:10:00Z'),
        changeOf(account, eleven, '2026-03-01T10:10:00Z', '2026-03-01T11:00:00Z'),
      ]),
    );
    const list = (from: string, until: string) => read((ledger) => ledger.listChanges(account, from, until));
    assert.deepEqual(await list(ten, eleven), [{ ...first, applies_until: '2026-03-01T10:10:00Z' }]);
    assert.equal((await list(ten, '2026-03-01T12:00:00Z')).length, 2);
    assert.deepEqual(await list(eleven, eleven), []);
  });

  test('removes what is too old, some at a time', async () => {
    const account = 'ledger-expiry';
    const days = ['2020-01-01', '2020-01-02', '2020-01-03'];
    await write((ledger) =>
      ledger.addImpressions(
        days.map((day) => ({ account_id: account, line_item_id: 'a', person: 'p', day, impressions: 1 })),
      ),
    );
    await write((ledger) =>
      ledger.saveChanges(
        days.map((day) => changeOf(account, `${day}T00:00:00Z`, `${day}T00:00:00Z`, `${day}T00:30:00Z`)),
      ),
    );
    const remove = (...which: Parameters<WriteTransaction['removeOldest']>) =>
      world.service.store.write((tx) => tx.removeOldest(...which));
    assert.equal(await remove('delivery_views', '2020-01-03', 1), 1);
    assert.equal(await remove('delivery_views', '2020-01-03', 10), 1);
    assert.equal(await remove('delivery_changes', '2020-01-02T00:00:00Z', 10), 1);
    const left = await read((ledger) => ledger.listImpressions(account, ['p'], '2020-01-01'));
    assert.deepEqual(
      left.map(({ day }) => day),
      ['2020-01-03'],
    );
    const changes = await read((ledger) => ledger.listChanges(account, '2020-01-01T00:00:00Z', '2021-01-01T00:00:00Z'));
    assert.deepEqual(
      changes.map(({ recorded_hour }) => recorded_hour),
      ['2020-01-02T00:00:00Z', '2020-01-03T00:00:00Z'],
    );
  });
});
