import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { appliedMigrations, checkSchema } from '../../src/storage/core/migrate.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import { browserOf, outlineOf, typed } from '../rig/browser.ts';
import { sumsOf } from '../rig/copies.ts';
import { engine, onPlace, openPlace, type Place } from '../rig/databases.ts';
import { rawCall } from '../rig/raw.ts';
import { mediaIn, READ_FLAGS } from '../rig/reads.ts';
import { installRelease, releaseOf, releases } from '../rig/releases.ts';
import { openWorld, type World } from '../rig/world.ts';
import type { Fixture } from '../upgrades/fixture.ts';

/** Tables whose contents are in others today. */
const DROPPED = ['webhook_progress'];

test('there is a fixture of every release', () => {
  assert.ok(releases.includes('0.1.0'));
});

for (const release of releases) {
  describe(`a service of release ${release}`, () => {
    let fixture: Fixture;
    let place: Place;
    let world: World;
    before(async () => {
      fixture = releaseOf(release);
      place = await openPlace();
      await installRelease(place, fixture);
      world = await openWorld({ place, start: new Date(fixture.now).toISOString(), flags: READ_FLAGS });
      // Indexes that are made again.
      await world.service.jobs.runDue();
    });
    after(async () => {
      await world?.close();
    });

    test('keeps every row', async () => {
      const sums = await onPlace(place, sumsOf);
      for (const [table, rows] of Object.entries(fixture.rows)) {
        if (DROPPED.includes(table)) continue;
        assert.ok((sums[table]?.rows ?? 0) >= rows, `${table} has ${sums[table]?.rows} rows of ${rows}`);
      }
      await onPlace(place, (driver) => checkSchema(driver));
    });

    test('answers every read as before', async () => {
      for (const [id, call] of Object.entries(fixture.calls)) {
        const wanted = fixture.answers[id];
        if (wanted === undefined) continue;
        const { status, text } = await rawCall(world.service.sandboxUrl, world.clock, call);
        assert.equal(status, 200, `${id}: ${text}`);
        assert.deepEqual(dataOf(text), dataOf(wanted), id);
      }
    });

    test('serves its media', async () => {
      const media = await mediaIn(world, new Map(Object.entries(fixture.answers)));
      assert.deepEqual(Object.fromEntries(media), servedToday(fixture.media));
    });

    test('lets its users log in', async () => {
      for (const [name, password] of [
        [world.keys.username!, world.keys.password!],
        [world.keys.other_username!, world.keys.other_password!],
      ] as const) {
        const user = browserOf(world.service.url);
        assert.equal((await user.submit(await user.get('/login'), typed({ name, password }))).status, 303);
        assert.equal(outlineOf((await user.get('/login')).html).heading, 'You are logged in');
      }
    });

    test('accepts writes', async () => {
      const made = await world.sandbox.call('POST', '/12/accounts');
      assert.equal(made.status, 200, made.text);
    });

    if (engine === 'sqlite') {
      test('was copied before its schema changed', async () => {
        const [name, ...others] = readdirSync(join(place.folder, 'backups'));
        assert.match(name!, /^before-.*Z\.db$/);
        assert.deepEqual(others, []);
        const copy = openSqlite({ file: join(place.folder, 'backups', name!) });
        const steps = await copy.read(appliedMigrations);
        const { campaigns } = await sumsOf(copy);
        await copy.close();
        assert.equal(steps.length, fixture.rows.schema_steps);
        assert.equal(campaigns!.rows, fixture.rows.campaigns);
      });
    }
  });
}

/** What later releases say otherwise on purpose: addresses of posters end in what they are; those of before are served too. */
const ON_PURPOSE = /(_thumb\/\d+\/img\/[0-9a-f]+)\.\w+/g;

/** What is told of rows: envelopes may gain members from one release to the next. Streams are lines. */
function dataOf(text: string): unknown {
  if (!text.startsWith('{')) return text;
  const body = JSON.parse(text.replace(ON_PURPOSE, '$1'));
  return 'data' in body ? body.data : body;
}

/** The media of a fixture as they are served today: the body of a reply that finds nothing has other words than in that release. */
function servedToday(media: Fixture['media']): Fixture['media'] {
  const bytes = Buffer.from('Media not found').toString('base64');
  return Object.fromEntries(
    Object.entries(media).map(([url, served]) => [url, served.status === 404 ? { ...served, bytes } : served]),
  );
}
