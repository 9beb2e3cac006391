import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { backUp } from '../../src/backup/backup.ts';
import { migrate } from '../../src/storage/core/migrate.ts';
import { sourceOn } from '../rig/copies.ts';
import { onPlace } from '../rig/databases.ts';
import { openReleasedTables, runOn } from '../rig/releases.ts';

describe('an upgrade from 0.1.0 to leases of webhooks', () => {
  const NOW = '2026-03-02T17:04:55Z';
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
      const place = await openReleasedTables();
      try {
        await runOn(place, rows);
        await onPlace(place, async (driver) => {
          await migrate(driver, NOW);
          const found = await driver.read(async (session) => [
            await session.allRaw('select node, leased_until, fencing_number, settled_position from webhooks'),
            await session.allRaw('select kind, "key", run_at from jobs where kind = \'webhook replay\''),
          ]);
          assert.deepEqual(JSON.parse(JSON.stringify(found)), [
            [{ node: null, leased_until: null, fencing_number: 0, settled_position: position }],
            [{ kind: 'webhook replay', key: '5', run_at: NOW }],
          ]);
          await assert.rejects(
            driver.read((session) => session.allRaw('select * from webhook_progress')),
            /webhook_progress/,
          );
        });
      } finally {
        await place.remove();
      }
    });
  }

  test('comes before a backup', async () => {
    const place = await openReleasedTables();
    try {
      await onPlace(place, (driver) =>
        assert.rejects(
          backUp(sourceOn(place, driver, Date.parse(NOW)), join(place.folder, 'a.tar.zst')),
          /^SchemaTooNew: the database has migrations that this version does not know: 0001-foundation, /,
        ),
      );
    } finally {
      await place.remove();
    }
  });
});
