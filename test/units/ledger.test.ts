import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { statusesOf } from '../../src/engine/declared-problems.ts';
import { unseenBy } from '../rig/ledger.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-ledger-'));
});
after(() => rmSync(folder, { recursive: true }));

describe('the ledger', () => {
  test('reports every status and problem when nothing was seen', () => {
    const unseen = unseenBy(operations, false, folder);
    for (const operation of operations) {
      for (const status of statusesOf(operation)) assert.ok(unseen.includes(`${operation.id} ${status}`));
      for (const name of operation.problems) assert.ok(unseen.includes(`${operation.id} ${name}`));
    }
    for (const name of ['TLS_REQUIRED', 'ROUTE_UNKNOWN', 'INTERNAL']) {
      for (const family of ['ads', 'numeric']) assert.ok(unseen.includes(`${family} ${name}`));
    }
  });

  test('reports what remains when some was seen, in whichever process', () => {
    const all = unseenBy(operations, false, folder);
    writeFileSync(join(folder, '1.txt'), `${all.slice(0, 5).join('\n')}\n`);
    writeFileSync(join(folder, '2.txt'), `${all.slice(5, -1).join('\n')}\n`);
    assert.deepEqual(unseenBy(operations, false, folder), all.slice(-1));
  });

  test('of samples, takes what was seen of an operation for all of its shape', () => {
    const [one, alike] = operations.filter(({ id }) => /^(campaigns|line_items)\.list$/.test(id));
    const other = operations.find(({ id }) => id === 'campaigns.create')!;
    const own = mkdtempSync(join(tmpdir(), 'barker-ledger-'));
    writeFileSync(join(own, '1.txt'), `${one!.id} 401\n`);
    const unseen = (isSample: boolean, { id }: { id: string }): boolean =>
      unseenBy(operations, isSample, own).includes(`${id} 401`);
    assert.deepEqual([unseen(true, one!), unseen(true, alike!), unseen(true, other)], [false, false, true]);
    assert.deepEqual([unseen(false, one!), unseen(false, alike!)], [false, true]);
    rmSync(own, { recursive: true });
  });
});
