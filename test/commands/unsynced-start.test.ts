// On either database: SQLite has the files that are synced.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { ephemeralRun } from '../../src/cli/dev/ephemeral.ts';
import { startDev } from '../../src/cli/dev.ts';
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

/** Starts a server, commits once, and closes it. @returns how often files were synced until it was ready, and for the commit. */
async function syncsOf(context: TestContext, flags: Readonly<Record<string, unknown>>): Promise<[number, number]> {
  const syncs = await countSyncs(context);
  const run = ephemeralRun();
  const settings = loadSettings({
    ...{ mode: 'dev', environment: {}, readFile: () => '' },
    flags: { ...run.defaults, log_level: 'silent', ...flags },
  });
  const { service } = await startDev(settings, { reset: false, hasContents: true, isTemporary: run.begin(settings) });
  const untilReady = syncs();
  await service.jobs.stop();
  const before = syncs();
  await service.store.write((tx) => tx.takeNumbers('user', 900_000_001, 1));
  const forOne = syncs() - before;
  await service.close();
  return [untilReady, forOne];
}

describe('a development server', () => {
  test('syncs the new world once, before it answers, and then each commit', async (context) => {
    const [untilReady, forOne] = await syncsOf(context, { data_folder: given });
    // Its jobs begin when the world is there, and store that they have. The world is stored in some forty commits, and
    // eight files of its pictures and videos.
    assert.ok(untilReady > 8 && untilReady < 18, `${untilReady}`);
    assert.equal(forOne, 1);
  });

  test('syncs nothing in a folder that it removes when it ends', async (context) => {
    assert.deepEqual(await syncsOf(context, {}), [0, 0]);
  });
});
