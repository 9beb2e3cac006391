import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fixture, readFixture } from '../upgrades/fixture.ts';
import { onPlace, openPlace, type Place } from './databases.ts';

const FIXTURES = new URL('../upgrades/', import.meta.url);

/** Every release. */
export const releases: readonly string[] = readdirSync(FIXTURES).flatMap(
  (name) => /^(.*)\.json\.zst$/.exec(name)?.[1] ?? [],
);

/** The service of a release, and its replies. */
export function releaseOf(release: string): Fixture {
  return readFixture(new URL(`${release}.json.zst`, FIXTURES));
}

/** Fills an empty place with the service of a release. */
export async function installRelease(
  place: Place,
  { files, postgres }: Pick<Fixture, 'files' | 'postgres'>,
): Promise<void> {
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, path)), { recursive: true });
    writeFileSync(join(place.folder, path), Buffer.from(bytes, 'base64'));
  }
  if (place.databaseUrl !== '') await runOn(place, postgres);
}

/** Opens a place with the tables of a release, without rows. */
export async function openReleasedTables(release = '0.1.0'): Promise<Place> {
  const place = await openPlace();
  const { files, postgres, rows } = releaseOf(release);
  await installRelease(place, { files: { 'barker.db': files['barker.db']! }, postgres });
  const tables = Object.keys(rows).filter((table) => table !== 'schema_steps');
  await runOn(
    place,
    tables.map((table) => `delete from ${table}`),
  );
  return place;
}

/** Runs statements in one unit of work. */
export function runOn(place: Place, statements: readonly string[]): Promise<void> {
  return onPlace(place, (driver) =>
    driver.write(async (session) => {
      for (const sql of statements) await session.runRaw(sql);
    }),
  );
}
