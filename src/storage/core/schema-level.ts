import { SchemaTooNew } from '../../contract/store/errors.ts';
import { programVersion } from '../../version.ts';
import { migrations as released } from '../migrations/all-migrations.ts';
import type { Migration } from '../migrations/schema-builder.ts';
import type { Session } from './session.ts';

/** A migration of the database. */
export interface AppliedMigration {
  readonly name: string;
  /** The oldest migration that a running server must know; empty if any may run. */
  readonly servers_from: string;
}

/** The last migration that this version knows: names are in order. @source decision 830 */
export const SCHEMA_LEVEL: string = released.at(-1)!.name;

/** The oldest migration that a running server must know; empty if any may run. */
export function serversFrom({ name, olderServers }: Migration): string {
  if (olderServers === 'continue') return '';
  return olderServers === 'stop' ? name : olderServers.from;
}

/** Reads the applied migrations, in order; none if the database is empty. */
export async function readApplied(session: Session): Promise<AppliedMigration[]> {
  const isThere =
    session.dialect === 'sqlite'
      ? "select 1 from sqlite_schema where name = 'schema_steps'"
      : "select 1 where to_regclass('schema_steps') is not null";
  if ((await session.allRaw(isThere)).length === 0) return [];
  // A database of an earlier version lacks the second column.
  const rows = await session.allRaw<Partial<AppliedMigration>>('select * from schema_steps order by name');
  return rows.map(({ name = '', servers_from = '' }) => ({ name, servers_from }));
}

/** Rejects migrations that this version is incompatible with; other unknown ones are accepted. @throws SchemaTooNew */
export function assertKnownEnough(applied: readonly AppliedMigration[], steps: readonly Migration[] = released): void {
  const level = steps.at(-1)!.name;
  const barring = applied.filter(({ servers_from }) => servers_from > level);
  if (barring.length === 0) return;
  throw new SchemaTooNew(
    `the database has migrations that only newer versions can work with: ${barring.map(({ name }) => name).join(', ')}; this one, ${programVersion}, knows migrations up to ${level}`,
  );
}
