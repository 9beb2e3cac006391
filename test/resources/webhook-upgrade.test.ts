import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { migrate } from '../../src/storage/core/migrate.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { onPlace, openPlace } from '../rig/databases.ts';

describe('an upgrade to leases of webhooks', () => {
  const OLDER = migrations.filter(({ name }) => name < '0033');
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
});
