import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mergeUploads } from '../../src/features/audiences/members/merge-uploads.ts';
import { readPacked } from '../../src/features/audiences/uploads/packed-format.ts';
import { LATER, NOW, newPeople } from './new-people.ts';

/** One way to keep who is in an audience. A batch is 15 uploads of 72,500 people with one new identifier each. */
export interface Keeper {
  merge(uploads: readonly Uint8Array<ArrayBuffer>[], last: number): void;
  /** Bytes on the disk. */
  size(): number;
}

const UPLOADS = 15;
const PEOPLE = 72_500;

function eachIdentifier(uploads: readonly Uint8Array[], act: (bytes: Uint8Array, at: number) => void): void {
  for (const bytes of uploads) readPacked(bytes, { operation() {}, person: (at) => act(bytes, at) });
}

/** A table of the embedded database, one transaction a batch; nobody is united with anybody. */
function table(folder: string): Keeper {
  const path = join(folder, 'table.db');
  const database = new DatabaseSync(path);
  database.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -200000;
    create table members (identifier blob primary key, member integer, effective_at integer, expires_at integer)
    without rowid`);
  const put = database.prepare(
    `insert into members values (?, ?, ${NOW}, ${LATER}) on conflict do update set expires_at = ${LATER}`,
  );
  let member = 0;
  return {
    merge(uploads) {
      database.exec('begin immediate');
      eachIdentifier(uploads, (bytes, at) => void put.run(bytes.subarray(at, at + 16), member++));
      database.exec('commit');
    },
    size: () => statSync(path).size,
  };
}

/** A map in memory, kept nowhere; nobody is united with anybody. */
function map(): Keeper {
  const members = new Map<string, number>();
  return {
    merge: (uploads) =>
      eachIdentifier(uploads, (bytes, at) => {
        members.set(Buffer.from(bytes.buffer, at, 16).toString('latin1'), members.size);
      }),
    size: () => 0,
  };
}

/** What the service does. */
function runs(folder: string): Keeper {
  const path = join(folder, 'it.runs');
  return {
    merge(uploads, last) {
      mergeUploads(path, { uploads: uploads.map((payload) => ({ accepted_at: NOW, payload })), last });
    },
    size: () => readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0),
  };
}

const KEEPERS: Readonly<Record<string, (folder: string) => Keeper>> = { runs, table, map };

const [name, batches] = process.argv.slice(2) as [string, string];
const folder = mkdtempSync(join(tmpdir(), 'barker-merging-'));
try {
  const keeper = KEEPERS[name]!(folder);
  for (let batch = 1; batch <= Number(batches); batch++) {
    const uploads = Array.from({ length: UPLOADS }, () => newPeople(PEOPLE));
    const startedAt = performance.now();
    const before = process.cpuUsage();
    keeper.merge(uploads, batch * UPLOADS);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(before);
    const millions = (batch * UPLOADS * PEOPLE) / 1e6;
    const memory = Math.round(process.memoryUsage.rss() / 1e6);
    process.stdout.write(
      `  ${name.padEnd(6)} ${millions.toFixed(1).padStart(5)} million: ${seconds.toFixed(2)} s a batch, ` +
        `${((user + system) / 1e6).toFixed(2)} s of the processor, ${memory} MB of memory, ${Math.round(keeper.size() / 1e6)} MB on the disk\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
