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
});
