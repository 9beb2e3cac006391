import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from './patience.ts';
import type { OwnPostgres } from './postgres.ts';

/** A database server that has everything that another one has acknowledged, and can take its place. */
export interface Standby {
  readonly port: number;
  /** Makes it the primary; resolves when it takes writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** Files of a running server that are not those of a copy. */
const LEFT_OUT = /\/(postmaster\.(pid|opts)|pg_wal\/[^/]+|pg_replslot\/[^/]+)$/;

/** Starts a standby of a server, to which every commit waits to be copied from now on. */
export async function startStandby(primary: OwnPostgres, port: number): Promise<Standby> {
  const client = new pg.Client({ connectionString: primary.url });
  // When the start fails, the server ends before the connection.
  client.on('error', () => {});
  await client.connect();
  const parent = mkdtempSync(join(tmpdir(), 'barker-standby-'));
  // The server runs as a user of its own when the tests run as root.
  chmodSync(parent, 0o777);
  const folder = join(parent, 'db');
  const { rows } = await client.query("select setting from pg_settings where name = 'data_directory'");
  const source = rows[0].setting as string;
  await client.query("alter system set synchronous_standby_names = ''");
  await client.query("select pg_backup_start('standby', true)");
  cpSync(source, folder, { recursive: true, filter: (file) => !LEFT_OUT.test(file) });
  const stopped = await client.query('select labelfile from pg_backup_stop(false)');
  writeFileSync(join(folder, 'backup_label'), stopped.rows[0].labelfile);
  writeFileSync(join(folder, 'standby.signal'), '');
  const conninfo = `host=127.0.0.1 port=${new URL(primary.url).port} user=postgres password=postgres application_name=standby`;
  appendFileSync(join(folder, 'postgresql.auto.conf'), `\nprimary_conninfo = '${conninfo}'\n`);
  const { uid, gid } = statSync(source);
  for (const file of filesOf(folder)) chownSync(file, uid, gid);
  const program = readlinkSync(`/proc/${primary.pid()}/exe`);
  const child = spawn(program, ['-D', folder, '-p', String(port)], { uid, gid, stdio: 'ignore' });
  await untilFound(client, "select 1 from pg_stat_replication where state = 'streaming'", child);
  await client.query("alter system set synchronous_standby_names = '*'");
  await client.query('select pg_reload_conf()');
  await untilFound(client, "select 1 from pg_stat_replication where sync_state = 'sync'", child);
  await client.end();
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return {
    port,
    async promote() {
      const own = new pg.Client({ connectionString: Object.assign(new URL(primary.url), { port: String(port) }).href });
      await own.connect();
      await own.query("alter system set synchronous_standby_names = ''");
      await own.query('select pg_promote(true, 60)');
      await own.query('select pg_reload_conf()');
      await own.end();
    },
    async stop() {
      child.kill('SIGINT');
      await gone;
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

function filesOf(folder: string): string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...inside];
}

/** Waits until a query finds something. */
async function untilFound(client: pg.Client, sql: string, child: ChildProcess): Promise<void> {
  await until('the standby has started', async () => {
    if (child.exitCode !== null) throw new Error(`the standby did not start: ${child.exitCode}`);
    return (await client.query(sql)).rowCount !== 0;
  });
}
