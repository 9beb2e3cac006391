import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import type { RecordsReading, RecordsWriting } from '../../src/contract/store/records.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { fundingInstruments } from '../../src/features/ads/funding-instruments.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { trackingTags } from '../../src/features/ads/tracking-tags.ts';
import { RowCache } from '../../src/storage/core/row-cache.ts';

const instruments = fundingInstruments as unknown as AnyResource;

/** Rows by id, and how often they were read. */
function rowsOf(...rows: Partial<Row>[]) {
  let reads = 0;
  const stored = new Map(rows.map((row) => [row.id as string, row]));
  const records = {
    async get(_: unknown, key: { id: string }) {
      reads += 1;
      return stored.get(key.id);
    },
    async getMany(_: unknown, __: string, ids: readonly string[]) {
      reads += 1;
      return ids.map((id) => stored.get(id)).filter((row) => row !== undefined);
    },
    async update(_: unknown, key: { id: string }, changes: object) {
      stored.set(key.id, { ...stored.get(key.id), ...changes });
    },
    async updateAll(_: unknown, __: string, ids: readonly string[], changes: object) {
      for (const id of ids) stored.set(id, { ...stored.get(id), ...changes });
    },
    async remove(_: unknown, key: { id: string }) {
      stored.delete(key.id);
    },
    async lockAccount() {},
  } as unknown as RecordsWriting;
  return { records, reads: () => reads };
}

const key = (id: string, account = 'a') => ({ account, id });
const shown = { deleted: 'shown' } as const;
const hidden = { deleted: 'hidden' } as const;

describe('cached rows', () => {
  const row = { id: 'f1', account_id: 'a', deleted: 0 as const, currency: 'USD' };

  test('are read once', async () => {
    const { records, reads } = rowsOf(row, { ...row, id: 'f2' });
    const remembered = new RowCache();
    const read = (): RecordsReading => remembered.cachedReads(records, remembered.version());
    assert.deepEqual(await read().get(instruments, key('f1'), shown), row);
    assert.deepEqual(await read().get(instruments, key('f1'), hidden), row);
    assert.equal(reads(), 1);
    assert.deepEqual((await read().getMany(instruments, 'a', ['f1', 'f2'], hidden)).map(({ id }) => id).sort(), [
      'f1',
      'f2',
    ]);
    assert.equal(reads(), 2);
    await read().getMany(instruments, 'a', ['f2', 'f1'], hidden);
    assert.equal(reads(), 2);
  });

  test('are found only in their account, and hidden when they are deleted', async () => {
    const { records } = rowsOf({ ...row, deleted: 1 });
    const remembered = new RowCache();
    const read = (): RecordsReading => remembered.cachedReads(records, remembered.version());
    assert.equal(await read().get(instruments, key('f1'), hidden), undefined);
    assert.equal((await read().get(instruments, key('f1'), shown))?.id, 'f1');
    assert.equal(await read().get(instruments, key('f1'), hidden), undefined);
    assert.deepEqual(await read().getMany(instruments, 'a', ['f1'], hidden), []);
    const { records: none } = rowsOf();
    assert.equal(
      await remembered.cachedReads(none, remembered.version()).get(instruments, key('f1', 'b'), shown),
      undefined,
    );
  });

  const changes: Readonly<Record<string, (writes: RecordsWriting) => Promise<void>>> = {
    update: (writes) => writes.update(instruments, key('f1'), { currency: 'EUR' }),
    updateAll: (writes) => writes.updateAll(instruments, 'a', ['f1'], { currency: 'EUR' }),
    remove: (writes) => writes.remove(instruments, key('f1')),
  };
  for (const [name, change] of Object.entries(changes)) {
    test(`are dropped by ${name}, at once in its own unit`, async () => {
      const { records } = rowsOf(row);
      const remembered = new RowCache();
      const currency = async (reading: RecordsReading) =>
        ((await reading.get(instruments, key('f1'), shown)) as { currency?: string } | undefined)?.currency;
      const read = () => currency(remembered.cachedReads(records, remembered.version()));
      assert.equal(await read(), 'USD');
      const changed = new Set<string>();
      const writes = remembered.trackedWrites(records, changed);
      assert.equal(await currency(writes), 'USD');
      await change(writes);
      const expected = name === 'remove' ? undefined : 'EUR';
      assert.equal(await currency(writes), expected);
      remembered.invalidate(changed);
      assert.equal(await read(), expected);
    });
  }

  test('are not cached from a unit that began before a change', async () => {
    const { records, reads } = rowsOf(row);
    const remembered = new RowCache();
    const early = remembered.cachedReads(records, remembered.version());
    remembered.invalidate(new Set(['funding_instrument:f9']));
    await early.get(instruments, key('f1'), shown);
    await early.getMany(instruments, 'a', ['f1'], shown);
    assert.equal(reads(), 2);
    await remembered.cachedReads(records, remembered.version()).get(instruments, key('f1'), shown);
    assert.equal(reads(), 3);
  });

  test('are read once by a unit that writes, alone or in lists, until it changes or locks anything', async () => {
    const { records, reads } = rowsOf(row, { ...row, id: 'f2' });
    const unit = new RowCache().trackedWrites(records, new Set());
    await unit.get(instruments, key('f1'), shown);
    assert.equal((await unit.getMany(instruments, 'a', ['f1'], shown))[0]?.id, 'f1');
    assert.equal(reads(), 1);
    await unit.getMany(instruments, 'b', ['f1'], shown);
    assert.equal(reads(), 2, 'what is of another account is not known');
    assert.equal((await unit.getMany(instruments, 'a', ['f1', 'f2'], shown)).length, 2);
    assert.equal(reads(), 3);
    await unit.update(instruments, key('f1'), { deleted: 1 });
    assert.equal(await unit.get(instruments, key('f1'), hidden), undefined);
    assert.equal(reads(), 4);
    assert.deepEqual(await unit.getMany(instruments, 'a', ['f1'], hidden), []);
    assert.equal(reads(), 4, 'it is known to be deleted');
    await unit.lockAccount('a');
    await unit.getMany(instruments, 'a', ['f1'], shown);
    assert.equal(reads(), 5);
    await unit.get(instruments, key('f1'), shown);
    await unit.get(campaigns as unknown as AnyResource, key('f2'), { deleted: 'shown', lock: true });
    await unit.getMany(instruments, 'a', ['f1'], shown);
    assert.equal(reads(), 8);
  });

  test('are hidden while their parent is deleted, and not read again for that', async () => {
    const line = { id: 'l1', account_id: 'a', deleted: 0 as const, campaign_id: 'c1' };
    const { records, reads } = rowsOf(line, { id: 'c1', account_id: 'a', deleted: 0 });
    const remembered = new RowCache();
    const read = () => remembered.cachedReads(records, remembered.version()).get(lineItems, key('l1'), hidden);
    // The line item is read first, then its campaign, then neither.
    for (const count of [1, 2, 2]) {
      assert.equal((await read())?.id, 'l1');
      assert.equal(reads(), count);
    }
    const changed = new Set<string>();
    await remembered.trackedWrites(records, changed).update(campaigns, key('c1'), { deleted: 1 });
    remembered.invalidate(changed);
    assert.equal(await read(), undefined);
    assert.equal(reads(), 3);
    assert.equal(
      (await remembered.cachedReads(records, remembered.version()).get(lineItems, key('l1'), shown))?.id,
      'l1',
    );
    assert.equal(reads(), 3);
  });

  test('rows of other resources are not cached', async () => {
    const { records, reads } = rowsOf(row);
    const remembered = new RowCache();
    const changed = new Set<string>();
    for (let round = 1; round <= 2; round++) {
      await remembered.cachedReads(records, remembered.version()).get(trackingTags, key('f1'), shown);
      assert.equal(reads(), round);
    }
    await remembered.trackedWrites(records, changed).update(trackingTags as unknown as AnyResource, key('f1'), {});
    assert.equal(changed.size, 0);
  });
});
