import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { backUp } from '../../src/backup/backup.ts';
import { inspectArchive } from '../../src/backup/inspect-archive.ts';
import { restore } from '../../src/backup/restore.ts';
import { migrate } from '../../src/storage/core/migrate.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { COPY_KEYS, RECORD, sourceOn, targetOn } from '../rig/copies.ts';
import { onPlace, openPlace } from '../rig/databases.ts';

describe('an upgrade to leases of webhooks', () => {
  const OLDER = migrations.filter(({ name }) => name < '0033');
  const NOW = '2026-03-02T17:04:55Z';
  const NOW_MS = Date.parse(NOW);
  const WEBHOOK = `insert into webhooks (id, application_id, url, url_form, valid, created_at, validated_at, secret)
    values ('1', '1', 'https://a.test/', 'https://a.test/', 1, '${NOW}', '${NOW}', 'k1.x')`;
  const EVENTS_UNTIL_41 = "insert into sequences (name, next) values ('events', 42)";
  const PROGRESS = "insert into webhook_progress (name, position) values ('log', 17)";
  const REPLAY = `insert into replays
    (id, webhook_id, application_id, state, position, last_position, delivered, failed, created_at)
    values ('5', '1', '1', 'Running', 3, 9, 3, 0, '${NOW}')`;
  const cases: readonly (readonly [what: string, rows: readonly string[], position: number])[] = [
    ['carries the position of all webhooks into each', [WEBHOOK, EVENTS_UNTIL_41, PROGRESS, REPLAY], 17],
    ['begins at the end of the log if nothing was ever sent', [WEBHOOK, EVENTS_UNTIL_41, REPLAY], 41],
    ['begins at the beginning if nothing has happened', [WEBHOOK, REPLAY], 0],
  ];
  for (const [what, rows, position] of cases) {
    test(`${what}; replays go on`, async () => {
      const place = await openPlace();
      try {
        await onPlace(place, async (older) => {
          await migrate(older, NOW, OLDER);
          await older.write(async (session) => {
            for (const sql of rows) await session.runRaw(sql);
          });
          await migrate(older, NOW);
          const found = await older.read(async (session) => [
            await session.allRaw('select node, leased_until, fencing_number, settled_position from webhooks'),
            await session.allRaw('select kind, "key", run_at from jobs where kind = \'webhook replay\''),
          ]);
          assert.deepEqual(JSON.parse(JSON.stringify(found)), [
            [{ node: null, leased_until: null, fencing_number: 0, settled_position: position }],
            [{ kind: 'webhook replay', key: '5', run_at: NOW }],
          ]);
        });
      } finally {
        await place.remove();
      }
    });
  }

  test('leaves nothing of the position of all webhooks, also when a backup of before is restored', async () => {
    const [place, target] = [await openPlace(), await openPlace()];
    try {
      const archive = join(place.folder, 'older.tar.zst');
      await onPlace(place, async (older) => {
        await migrate(older, NOW, OLDER);
        await older.write(async (session) => {
          for (const sql of [WEBHOOK, EVENTS_UNTIL_41, PROGRESS]) await session.runRaw(sql);
        });
        await backUp(sourceOn(place, older, NOW_MS), archive);
        await migrate(older, NOW);
      });
      const { head } = await inspectArchive(archive, COPY_KEYS);
      const restoring = { now: NOW_MS + 60_000, requests_not_before: 0, progress: () => {}, record: RECORD };
      const { appliedSteps } = await restore(archive, head, targetOn(target), restoring);
      assert.ok(appliedSteps.includes('0041-no-webhook-progress'));
      for (const each of [place, target]) {
        await onPlace(each, async (driver) => {
          const positions = await driver.read((session) => session.allRaw('select settled_position from webhooks'));
          assert.deepEqual(JSON.parse(JSON.stringify(positions)), [{ settled_position: 17 }]);
          await assert.rejects(
            driver.read((session) => session.allRaw('select * from webhook_progress')),
            /webhook_progress/,
          );
        });
      }
    } finally {
      await Promise.all([place.remove(), target.remove()]);
    }
  });
});
