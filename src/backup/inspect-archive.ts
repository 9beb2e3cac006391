import { keyFingerprint, opens, type SecretBox, sealingKeyId, secretBox } from '../base/secret-box.ts';
import { SEALED_COLUMNS } from '../contract/store/sealed-columns.ts';
import { migrationsNamed } from '../storage/core/migrate.ts';
import { parseRows, type TransferRow } from '../storage/transfer/row-lines.ts';
import type { TableSchema } from '../storage/transfer/table-schema.ts';
import { readArchive } from './archive-reader.ts';
import type { BackupHeader, BackupSink, BackupSummary } from './format.ts';

/** Master keys by key id. */
export type MasterKeys = Readonly<Record<string, Buffer>>;

/** The contents of a valid archive. */
export interface ArchiveInspection {
  readonly head: BackupHeader;
  readonly contents: BackupSummary;
  /** The number of secrets sealed with each key, by key id, and how many of them the configured keys open. */
  readonly secrets: Readonly<Record<string, { readonly sealed: number; readonly opened: number }>>;
}

/**
 * Reads a whole archive and writes nothing: verifies every checksum and every row, that this release knows the schema,
 * and which secrets the given keys open.
 * @throws ArchiveDamaged SchemaTooNew
 */
export async function inspectArchive(path: string, keys: MasterKeys): Promise<ArchiveInspection> {
  const box = boxOf(keys);
  const secrets: Record<string, { sealed: number; opened: number }> = {};
  let head: BackupHeader | undefined;
  let contents: BackupSummary | undefined;
  const look = (table: TableSchema, row: TransferRow): void => {
    for (const { sealed, isOpened } of secretsIn(table, row, box)) {
      const id = keyOf(sealed);
      const own = secrets[id] ?? { sealed: 0, opened: 0 };
      secrets[id] = own;
      own.sealed += 1;
      if (isOpened) own.opened += 1;
    }
  };
  const sink: BackupSink = {
    async header(found) {
      migrationsNamed(found.steps);
      head = found;
    },
    async rows(table, lines) {
      for (const row of parseRows(table.columns, lines)) look(table, row);
    },
    async file({ content }) {
      for await (const _ of content);
    },
    async end(found) {
      contents = found;
    },
  };
  await readArchive(path, sink);
  return { head: head!, contents: contents!, secrets };
}

/** The fingerprints of keys, with which an archive lists what opens it. */
export function keyFingerprints(keys: MasterKeys): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([id, key]) => [id, keyFingerprint(key)]));
}

function boxOf(keys: MasterKeys): SecretBox | undefined {
  const [currentKeyId] = Object.keys(keys);
  if (currentKeyId === undefined) return undefined;
  const random = (): never => {
    throw new Error('nothing is sealed here');
  };
  return secretBox({ currentKeyId, keys, random });
}

function* secretsIn(table: TableSchema, row: TransferRow, box: SecretBox | undefined) {
  for (const { table: name, column, key, context } of Object.values(SEALED_COLUMNS)) {
    if (name !== table.name) continue;
    const inColumn = (columnName: string) => row[table.columns.findIndex((each) => each.name === columnName)];
    const sealed = inColumn(column);
    if (typeof sealed !== 'string' || sealed === '') continue;
    yield { sealed, isOpened: box !== undefined && opens(box, sealed, context(String(inColumn(key)))) };
  }
}

/** The id of the key that sealed a text; a text that is not sealed counts under `unknown key`. */
function keyOf(sealed: string): string {
  try {
    return sealingKeyId(sealed);
  } catch {
    return 'unknown key';
  }
}
