import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { openMembers } from '../../src/features/audiences/members/member-runs.ts';
import { membersIn } from '../laws/members-in.ts';
import { longLog, membersOf, shown } from '../laws/membership-model.ts';

const SEED = 7;
/** In each round the process is killed when it has told so many merges. */
const MOMENTS = [1, 2, 3, 5, 8, 13];

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-merging-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts merging, and kills at a moment, in the middle of what comes next; the answer is the last merge that was told. */
async function mergeUntilKilled(path: string, moment: number): Promise<number> {
  const child = spawn(process.execPath, [resolve('test/faults/merging-process.ts'), path, String(SEED)]);
  let told = 0;
  let count = 0;
  const gone = new Promise<void>((done) => child.on('close', () => done()));
  for await (const line of createInterface({ input: child.stdout })) {
    told = Number(line);
    count += 1;
    if (count === moment) child.kill('SIGKILL');
  }
  await gone;
  return told;
}

describe('a killed merge', () => {
  test('keeps what was merged, complete, and continues from there', async () => {
    const path = join(folder, 'it');
    const log = longLog(SEED);
    let merged = 0;
    for (const moment of [...MOMENTS, Number.POSITIVE_INFINITY]) {
      const told = await mergeUntilKilled(path, moment);
      const file = openMembers(path);
      file?.close();
      assert.ok(file, 'the runs are sound');
      assert.ok(file.merged >= told && file.merged >= merged, 'nothing is lost that was merged');
      merged = file.merged;
      assert.deepEqual(shown(membersIn(path)), shown(membersOf(log.slice(0, merged))));
    }
    assert.equal(merged, log.length);
  });
});
