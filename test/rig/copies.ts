import type { BackupSource } from '../../src/backup/backup.ts';
import type { RestoreTarget } from '../../src/backup/restore-target.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { AuditRecord } from '../../src/contract/store/audit.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { loadRows } from '../../src/storage/transfer/load-rows.ts';
import { readTable, type TableChecksum } from '../../src/storage/transfer/read-rows.ts';
import type { TransferRow } from '../../src/storage/transfer/row-lines.ts';
import { type Column, readTableSchemas, type TableSchema } from '../../src/storage/transfer/table-schema.ts';
import type { Place } from './databases.ts';

/** The master key of copies in tests. */
export const COPY_KEYS = { k1: Buffer.alloc(32, 0xab) };

/** What auditors are told of a restore. */
export const RECORD: AuditRecord = {
  ...{ id: 'a1', at: '2026-03-02T17:05:55.000Z', event: 'command', outcome: 'done', command: 'restore' },
  ...{ actor: 'operator:barker', sudo_user: null, origin: 'host', transaction_id: null, targets: ['database'] },
};

/** A place as what a copy is made from. */
export function sourceOn(place: Pick<Place, 'folder' | 'databaseUrl'>, driver: Driver, now: number): BackupSource {
  const objects = { store: folderObjects(place.folder, secureRandom), folder: place.folder };
  return { driver, folder: place.folder, objects, keys: COPY_KEYS, release: 'test', now, progress: () => {} };
}

/** A place as what a copy is written to. */
export function targetOn({ folder, databaseUrl }: Pick<Place, 'folder' | 'databaseUrl'>): RestoreTarget {
  return { folder, databaseUrl, includesFiles: true, objects: folderObjects(folder, secureRandom) };
}

/** What each table holds. */
export function sumsOf(driver: Driver): Promise<Record<string, TableChecksum>> {
  return driver.read(async (session) => {
    const sums: Record<string, TableChecksum> = {};
    for (const table of await readTableSchemas(session))
      sums[table.name] = await readTable(session, table, async () => {});
    return sums;
  });
}

const TEXTS = [
  '',
  ' ',
  'null',
  '\u{1f600} "quoted" \\ {,}\n\t',
  'é'.normalize('NFD'),
  '\ufffe',
  "it's; -- no",
  '\\x00',
];
const INTEGERS = ['0', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993', '1000000000000000'];
const BYTES = [Buffer.alloc(0), Buffer.from([0, 255, 10, 92]), Buffer.from('\\x00'), Buffer.alloc(70_000, 0x5a)];

/** Rows of difficult values in every table: extremes, blobs, and nulls wherever the schema takes them. */
export async function fillEveryTable(driver: Driver, rows: number): Promise<void> {
  await driver.write(async (session) => {
    for (const table of await readTableSchemas(session)) {
      // A copy moves the rows of the outbox to the log.
      if (['schema_steps', 'event_outbox'].includes(table.name)) continue;
      const nullable = await nullableColumns(session, table);
      const made = Array.from({ length: rows }, (_, index) =>
        table.columns.map((column, at) => {
          if (nullable.has(column.name) && (index + at) % 3 === 0) return null;
          return difficultValue(table, column, index, at);
        }),
      );
      await loadRows(session, table, made as TransferRow[]);
    }
  });
}

/** Values of a column differ from row to row, for the sake of unique indexes. */
function difficultValue(
  { name: table, key }: TableSchema,
  { name, type }: Column,
  index: number,
  at: number,
): string | Uint8Array {
  const isFirstOfKey = key[0] === name;
  if (type === 'text') return `${TEXTS[(index + at) % TEXTS.length]}${index}`;
  if (type === 'bytes') return BYTES[(index + at) % BYTES.length]!;
  // Sequences go on after a restore.
  const isSmall = isFirstOfKey || table === 'sequences';
  return isSmall || index >= INTEGERS.length ? String(index + 5) : INTEGERS[index]!;
}

async function nullableColumns(session: Parameters<typeof loadRows>[0], table: TableSchema): Promise<Set<string>> {
  const sql =
    session.dialect === 'sqlite'
      ? `select name from pragma_table_info('${table.name}') where "notnull" = 0`
      : `select column_name as name from information_schema.columns
         where table_name = '${table.name}' and is_nullable = 'YES' and table_schema = current_schema()`;
  const found = await session.allRaw<{ readonly name: string }>(sql);
  return new Set(found.map(({ name }) => name).filter((name) => !table.key.includes(name)));
}
