import type { ArchiveInspection, MasterKeys } from '../../backup/inspect-archive.ts';
import { CommandFailed } from '../failure.ts';
import { print, printError } from '../output.ts';

/** The contents of an archive, in lines. */
export function summaryOf({ head, contents }: ArchiveInspection): string[] {
  const { count, bytes } = contents.files;
  const rows = Object.values(contents.tables).reduce((total, table) => total + table.rows, 0);
  return [
    `backup made at ${head.made_at} by release ${head.release}, from ${head.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`,
    `schema: ${head.steps.length} migrations, the last is ${head.steps.at(-1)}`,
    `rows: ${rows} in ${Object.keys(contents.tables).length} tables`,
    `files: ${count} (${bytes} bytes)`,
  ];
}

/** Fails if the configured keys cannot decrypt the secrets: the server could then verify no signature. */
export function judgeKeys({ head, secrets }: ArchiveInspection, keys: MasterKeys, isVerifying: boolean): void {
  const closed = Object.entries(secrets).filter(([, { sealed, opened }]) => opened < sealed);
  const keyNames = closed.map(([id]) => (head.keys[id] ? `${id} (fingerprint ${head.keys[id]})` : id)).join(', ');
  if (closed.length === 0) {
    const ids = Object.keys(secrets).join(', ');
    print(ids === '' ? 'secrets: none\n' : `secrets: all can be decrypted with the configured master keys (${ids})\n`);
    return;
  }
  if (Object.keys(keys).length > 0) {
    throw new CommandFailed(`the configured master keys cannot decrypt secrets encrypted with: ${keyNames}`);
  }
  const message = `no master key is configured; the server will need ${keyNames}`;
  if (isVerifying) throw new CommandFailed(`${message}; the archive is otherwise valid`);
  printError(`barker: ${message}\n`);
}
