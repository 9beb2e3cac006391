import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Driver } from '../../src/storage/core/driver.ts';
import { migrate } from '../../src/storage/core/migrate.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import type { StatementProbe } from '../../src/storage/core/session.ts';
import { openSqlite } from '../../src/storage/core/sqlite.ts';
import { memoryFolder } from './memory-folder.ts';

/** Which database this run of the tests uses; the runner runs every file once for each. */
export const engine: 'sqlite' | 'postgres' = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

/** A place of one's own: a data folder, and on PostgreSQL a database. */
export interface Place {
  readonly folder: string;
  /** Empty for SQLite. */
  readonly databaseUrl: string;
  remove(): Promise<void>;
}

/** The database on the server of the tests that is only copied; its schema is up to date. */
const PATTERN = 'barker_pattern';

/** What has the schema already, made once a run: to copy it takes a tenth of the time that its steps take. */
export async function createTemplates(folder: string, server: string | undefined): Promise<void> {
  const made = new Date(0).toISOString();
  const sqlite = openSqlite({ file: join(folder, 'barker.db') });
  await migrate(sqlite, made);
  await sqlite.close();
  process.env.TEST_SQLITE_PATTERN = join(folder, 'barker.db');
  if (server === undefined) return;
  await administer(server, `create database ${PATTERN}`);
  const postgres = openPostgres({ url: databaseOf(server, PATTERN), connectionsMax: 1 });
  await migrate(postgres, made);
  await postgres.close();
}

/** What a place has beside what each has. */
export interface PlaceOptions {
  /** With the tables of the database. */
  readonly hasSchema?: boolean;
  /** In memory, where there is some to spare: for what ends together with this process. */
  readonly isInMemory?: boolean;
  /** With all that another place of the same kind has; nothing may work on that one meanwhile. */
  readonly like?: Place;
}

/** Makes an empty place for one of the databases, by default the one of this run. */
export async function openPlace(
  which: 'sqlite' | 'postgres' = engine,
  { hasSchema = false, isInMemory: isHasty = false, like }: PlaceOptions = {},
): Promise<Place> {
  const folder = mkdtempSync(join(isHasty ? memoryFolder() : tmpdir(), 'barker-test-'));
  if (like) cpSync(like.folder, folder, { recursive: true });
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (which === 'sqlite') {
    const pattern = process.env.TEST_SQLITE_PATTERN;
    if (hasSchema && pattern) copyFileSync(pattern, join(folder, 'barker.db'));
    return { folder, databaseUrl: '', remove: async () => removeFolder() };
  }
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('TEST_POSTGRES_URL names no server; start the tests with `npm test`');
  const name = `t_${process.pid}_${folder.slice(-6).toLowerCase()}`;
  const template = like ? new URL(like.databaseUrl).pathname.slice(1) : hasSchema ? PATTERN : undefined;
  // Files are copied as they are: to write them to the log too takes longer, and is for databases that are large.
  await administer(server, `create database "${name}" strategy file_copy${template ? ` template "${template}"` : ''}`);
  return {
    folder,
    databaseUrl: databaseOf(server, name),
    async remove() {
      removeFolder();
      await administer(server, `drop database "${name}" with (force)`);
    },
  };
}

/** Opens the database of a place, beside whatever else works on it. The probe is called before each statement. */
export function driverOn(
  { folder, databaseUrl }: Pick<Place, 'folder' | 'databaseUrl'>,
  { probe, connectionsMax = 3 }: { readonly probe?: StatementProbe; readonly connectionsMax?: number } = {},
): Driver {
  const probed = probe ? { probe } : {};
  if (databaseUrl === '') return openSqlite({ file: join(folder, 'barker.db'), ...probed });
  return openPostgres({ url: databaseUrl, connectionsMax, ...probed });
}

/** Opens the database of a place for one piece of work. */
export async function onPlace<T>(place: Pick<Place, 'folder' | 'databaseUrl'>, work: (driver: Driver) => Promise<T>) {
  const driver = driverOn(place);
  try {
    return await work(driver);
  } finally {
    await driver.close();
  }
}

function databaseOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
