import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Which database this run of the tests uses; the runner runs every file once for each. */
export const engine: 'sqlite' | 'postgres' = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

/** A place of one's own: a data folder, and on PostgreSQL a database. */
export interface Place {
  readonly folder: string;
  /** Empty for SQLite. */
  readonly databaseUrl: string;
  remove(): Promise<void>;
}

/** Makes an empty place for one of the databases, by default the one of this run. */
export async function openPlace(which: 'sqlite' | 'postgres' = engine): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-test-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  if (which === 'sqlite') return { folder, databaseUrl: '', remove: async () => removeFolder() };
  const server = process.env.TEST_POSTGRES_URL;
  if (!server) throw new Error('TEST_POSTGRES_URL names no server; start the tests with `npm test`');
  const name = `t_${process.pid}_${folder.slice(-6).toLowerCase()}`;
  await administer(server, `create database "${name}"`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    folder,
    databaseUrl: url.href,
    async remove() {
      removeFolder();
      await administer(server, `drop database "${name}" with (force)`);
    },
  };
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
