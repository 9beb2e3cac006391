import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDriver } from '../../src/app/database.ts';
import { ArchiveDamaged } from '../../src/backup/archive-reader.ts';
import { backUp } from '../../src/backup/backup.ts';
import { inspectArchive } from '../../src/backup/inspect-archive.ts';
import { copyDatabase, restore } from '../../src/backup/restore.ts';
import { RestoreIncomplete, refuseIncompleteRestore } from '../../src/backup/restore-marker.ts';
import { TargetNotEmpty } from '../../src/backup/restore-target.ts';
import type { NewEvent } from '../../src/contract/store/events.ts';
import type { Settings } from '../../src/settings.ts';
import { tablesOfMigrations } from '../../src/storage/core/migrate.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { TableChecksum } from '../../src/storage/transfer/read-rows.ts';
import { TRANSIENT_TABLES } from '../../src/storage/transfer/table-schema.ts';
import { COPY_KEYS, fillEveryTable, RECORD, sourceOn, sumsOf, targetOn } from '../rig/copies.ts';
import { onPlace, openPlace, type Place } from '../rig/databases.ts';
import { logAfter } from '../rig/events.ts';

const ROWS = 20;
const NOW = Date.parse('2026-03-02T17:04:55Z');
const places: Place[] = [];
const place = async (...args: Parameters<typeof openPlace>): Promise<Place> => {
  const made = await openPlace(...args);
  places.push(made);
  return made;
};
after(async () => {
  for (const each of places) await each.remove();
});

const ENGINES = ['sqlite', 'postgres'] as const;
const other = { sqlite: 'postgres', postgres: 'sqlite' } as const;
const restoring = { now: NOW + 60_000, requests_not_before: NOW / 1000 + 360, progress: () => {}, record: RECORD };

/** Without what a restore changes on purpose. */
function unchanged(sums: Record<string, TableChecksum>): Record<string, TableChecksum> {
  const {
    sessions,
    request_tokens,
    password_links,
    operator_links,
    operator_sessions,
    sent_forms,
    recovery_codes,
    second_factors,
    ...rest
  } = sums;
  const { sequences, restores, audit_events, derived_files, unused_objects, keyword_index, ...others } = rest;
  return others;
}

/** Tables of earlier schemas. */
const DROPPED = ['webhook_progress'];

for (const engine of ENGINES) {
  describe(`the contents of ${engine}`, () => {
    let source: Place;
    let archive: string;
    let sums: Record<string, TableChecksum>;

    before(async () => {
      source = await place(engine, { hasSchema: true });
      archive = join(source.folder, 'a.tar.zst');
      mkdirSync(join(source.folder, 'nonces'));
      writeFileSync(join(source.folder, 'nonces', '2.log'), '1 7 abc\n');
      await onPlace(source, async (driver) => {
        await fillEveryTable(driver, ROWS);
        // Media of what was filled in is nowhere.
        await driver.write((session) => session.runRaw("update uploads set state = 'failed'"));
        sums = await sumsOf(driver);
        await backUp(sourceOn(source, driver, NOW), archive);
      });
    });

    test('have rows in every table of the schema', () => {
      const expected = tablesOfMigrations().filter((name) => ![...TRANSIENT_TABLES, ...DROPPED].includes(name));
      assert.deepEqual(Object.keys(sums).sort(), expected.sort());
      for (const [name, { rows }] of Object.entries(sums))
        if (name !== 'event_outbox') assert.ok(rows >= (name === 'schema_steps' ? 1 : ROWS), name);
    });

    test('are restored in the other database from an archive, and back again', async () => {
      const { head } = await inspectArchive(archive, COPY_KEYS);
      const second = await place(other[engine]);
      await restore(archive, head, targetOn(second), restoring);
      const again = join(second.folder, 'b.tar.gz');
      await onPlace(second, async (driver) => {
        const found = await sumsOf(driver);
        assert.deepEqual(unchanged(found), unchanged(sums));
        assert.equal(found.audit_events!.rows, ROWS + 1, 'the records that there were, and that of the restore');
        await backUp(sourceOn(second, driver, NOW + 120_000), again);
      });
      assert.equal(readFileSync(join(second.folder, 'nonces', '2.log'), 'utf8'), '1 7 abc\n');
      const third = await place(engine);
      const { head: secondHead } = await inspectArchive(again, COPY_KEYS);
      await restore(again, secondHead, targetOn(third), {
        ...restoring,
        now: NOW + 180_000,
        record: { ...RECORD, id: 'a2' },
      });
      await onPlace(third, async (driver) => assert.deepEqual(unchanged(await sumsOf(driver)), unchanged(sums)));
    });

    test('are copied to the other database without an archive; only the record of that is added', async () => {
      const target = await place(other[engine]);
      await onPlace(source, (driver) => copyDatabase(sourceOn(source, driver, NOW), targetOn(target), RECORD));
      const { audit_events, ...others } = sums;
      await onPlace(target, async (driver) => {
        const { audit_events: records, ...copied } = await sumsOf(driver);
        assert.deepEqual(copied, others);
        assert.equal(records!.rows, audit_events!.rows + 1);
      });
    });
  });
}

describe('a restore target', () => {
  let archive: string;
  let source: Place;
  before(async () => {
    source = await place('sqlite', { hasSchema: true });
    archive = join(source.folder, 'a.tar');
    await onPlace(source, async (driver) => {
      await fillEveryTable(driver, 3);
      await driver.write((session) => session.runRaw("update uploads set state = 'failed'"));
      await backUp(sourceOn(source, driver, NOW), archive);
    });
  });

  for (const engine of ENGINES) {
    test(`on ${engine} accepts a backup when its tables are empty, and refuses a second one`, async () => {
      const { head } = await inspectArchive(archive, {});
      const target = await place(engine, { hasSchema: true });
      await restore(archive, head, targetOn(target), restoring);
      const before = await onPlace(target, sumsOf);
      await assert.rejects(restore(archive, head, targetOn(target), restoring), TargetNotEmpty);
      assert.deepEqual(await onPlace(target, sumsOf), before);
    });

    test(`on ${engine} with an interrupted restore cannot be opened, and the next attempt clears it`, async () => {
      const { head } = await inspectArchive(archive, {});
      const target = await place(engine);
      // Interrupted at the end, when everything else has been written.
      const cut = join(source.folder, 'cut.tar');
      const whole = readFileSync(archive);
      writeFileSync(cut, whole.subarray(0, whole.indexOf('manifest.json')));
      await assert.rejects(restore(cut, head, targetOn(target), restoring), ArchiveDamaged);
      assert.throws(() => refuseIncompleteRestore(target.folder), RestoreIncomplete);
      const settings = { data_folder: target.folder, database_url: target.databaseUrl } as Settings;
      await assert.rejects(openDriver(settings), /a restore into .* was interrupted; run barker restore again/);
      assert.ok(!existsSync(join(target.folder, 'barker.db')));
      if (engine === 'postgres') assert.deepEqual(await onPlace(target, sumsOf), {});
      await restore(archive, head, targetOn(target), restoring);
      assert.doesNotThrow(() => refuseIncompleteRestore(target.folder));
      assert.ok((await onPlace(target, sumsOf)).campaigns!.rows > 0);
    });
  }

  test('with files in its data folder is refused', async () => {
    const { head } = await inspectArchive(archive, {});
    const target = await place('sqlite');
    mkdirSync(join(target.folder, 'media', 'ready', '7'), { recursive: true });
    writeFileSync(join(target.folder, 'media', 'ready', '7', 'whole'), 'x');
    await assert.rejects(
      restore(archive, head, targetOn(target), restoring),
      /the data folder is not empty \(.*whole\)/,
    );
  });
});

describe('a damaged archive', () => {
  test('is refused wherever a byte was changed, and wherever it was truncated', async () => {
    const source = await place('sqlite', { hasSchema: true });
    const [plain, packed] = ['a.tar', 'a.tar.zst'].map((name) => join(source.folder, name)) as [string, string];
    await onPlace(source, async (driver) => {
      await fillEveryTable(driver, 2);
      await driver.write((session) => session.runRaw("update uploads set state = 'failed'"));
      await backUp(sourceOn(source, driver, NOW), plain);
      await backUp(sourceOn(source, driver, NOW), packed);
    });
    const broken = join(source.folder, 'broken');
    for (const path of [plain, packed]) {
      const bytes = readFileSync(path);
      for (let number = 1; number < 6; number++) {
        const at = Math.floor((bytes.length * number) / 6);
        writeFileSync(broken, bytes.subarray(0, at));
        await assert.rejects(inspectArchive(broken, {}), ArchiveDamaged, `cut at ${at}`);
      }
    }
    // In the plain archive each byte of a row counts; compression would find it out by itself.
    const bytes = readFileSync(plain);
    for (const table of ['campaigns', 'users', 'jobs']) {
      const at = bytes.indexOf(`rows/${table}/`) + 512 + 3;
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      writeFileSync(broken, changed);
      await assert.rejects(inspectArchive(broken, {}), ArchiveDamaged, table);
    }
  });
});

describe('events without positions', () => {
  const NAMES = ['first', 'second', 'third'];
  const eventOf = (name: string): NewEvent => {
    return { event_type: 'spaces.end', user_id: '1', direction: null, text: null, payload: name };
  };
  let source: Place;
  let last: number;
  before(async () => {
    source = await place('postgres', { hasSchema: true });
    await onPlace(source, async (driver) => {
      const store = storeOn(driver);
      [last] = (await store.write((tx) => tx.events.appendInPlace([eventOf('in the log')], AT))) as [number];
      for (const name of NAMES) await store.write((tx) => tx.events.append([eventOf(name)], AT));
    });
  });
  const AT = '2026-03-02T17:00:00Z';

  /** What the log holds before anything else happens, and what happens next. */
  const logOf = (target: Place) =>
    onPlace(target, async (driver) => {
      const store = storeOn(driver);
      const found = await store.read((tx) => tx.events.list({ after: 0, limit: 10 }));
      await store.write((tx) => tx.events.append([eventOf('next')], AT));
      const all = await logAfter({ store }, 0);
      assert.deepEqual(all.slice(0, -1), found);
      assert.equal(all.at(-1)!.position, found.at(-1)!.position + 1);
      return found.map(({ payload, position }) => [payload, position]);
    });

  for (const engine of ENGINES) {
    test(`get them when they are restored on ${engine}, which no event can have had since the backup`, async () => {
      const archive = join(source.folder, `${engine}.tar`);
      await onPlace(source, (driver) => backUp(sourceOn(source, driver, NOW), archive));
      const { head } = await inspectArchive(archive, COPY_KEYS);
      const target = await place(engine);
      await restore(archive, head, targetOn(target), restoring);
      const log = await logOf(target);
      assert.deepEqual(
        log.map(([name]) => name),
        ['in the log', ...NAMES],
      );
      assert.equal(log[0]![1], last);
      const since = Number(log[1]![1]);
      assert.ok(since > last + 1_000_000);
      assert.deepEqual(
        log.slice(1).map(([, position]) => position),
        [since, since + 1, since + 2],
      );
    });

    test(`get the next ones when they are copied to ${engine}`, async () => {
      const target = await place(engine);
      await onPlace(source, (driver) => copyDatabase(sourceOn(source, driver, NOW), targetOn(target), RECORD));
      assert.deepEqual(
        await logOf(target),
        ['in the log', ...NAMES].map((name, index) => [name, last + index]),
      );
    });
  }
});
