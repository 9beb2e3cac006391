import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { openDriver } from '../../src/app/database.ts';
import { ephemeralRun } from '../../src/cli/dev/ephemeral.ts';
import { loadSettings } from '../../src/settings/load.ts';

const given = mkdtempSync(join(tmpdir(), 'barker-given-'));
after(() => rmSync(given, { recursive: true, force: true }));

/** Counts how often files are synced. */
async function countSyncs(context: TestContext): Promise<() => number> {
  const handle = await open(join(given, 'any'), 'w');
  const { mock } = context.mock.method(Object.getPrototypeOf(handle), 'datasync');
  await handle.close();
  return () => mock.callCount();
}

/** Writes to the database of an ephemeral run, and reads what is there. */
async function writeTo(flags: Readonly<Record<string, unknown>>): Promise<unknown> {
  const run = ephemeralRun();
  const settings = loadSettings({
    ...{ mode: 'dev', environment: {}, readFile: () => '' },
    flags: { ...run.defaults, ...flags },
  });
  const driver = await openDriver(settings, run.begin(settings));
  await driver.write((session) => session.runRaw('create table things (number integer) strict'));
  await driver.write((session) => session.runRaw('insert into things values (7)'));
  const [row] = await driver.read((session) => session.allRaw('select number from things'));
  await driver.close();
  return row?.number;
}

describe('an ephemeral run', () => {
  test('does not sync the database in its temporary folder, which is removed when the process ends', async (context) => {
    const syncs = await countSyncs(context);
    assert.equal(await writeTo({}), 7);
    assert.equal(syncs(), 0);
  });

  test('syncs the database in a folder that is given, which stays', async (context) => {
    const syncs = await countSyncs(context);
    assert.equal(await writeTo({ data_folder: given }), 7);
    assert.ok(syncs() >= 2, `${syncs()}`);
  });
});
