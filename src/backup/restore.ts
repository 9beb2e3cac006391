import { formatInstant } from '../base/instants.ts';
import type { AuditRecord } from '../contract/store/audit.ts';
import { applyMigrations } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { auditOn } from '../storage/tables/audit.ts';
import { afterRestore } from '../storage/transfer/after-restore.ts';
import { readArchive } from './archive-reader.ts';
import { type BackupSource, exportAll } from './backup.ts';
import { databaseSink } from './database-sink.ts';
import type { ExportResult } from './export-database.ts';
import type { BackupHeader } from './format.ts';
import { fillTarget, type RestoreTarget } from './restore-target.ts';

/** How a restore is done. */
export interface RestoreOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Unix seconds; signed requests from before are refused afterwards. */
  readonly requests_not_before: number;
  readonly progress: (line: string) => void;
  /** What auditors are told. */
  readonly record: AuditRecord;
}

/** What came of filling a database. */
export interface RestoreResult {
  /** Steps of the schema that this release has and the copy had not. */
  readonly appliedSteps: readonly string[];
}

/** Fills an empty target from an archive, brings its schema up to date, and makes it fit for the present. */
export async function restore(
  path: string,
  head: BackupHeader,
  target: RestoreTarget,
  restoring: RestoreOptions,
): Promise<RestoreResult> {
  const { progress, requests_not_before } = restoring;
  const now = formatInstant(restoring.now);
  return fillTarget(target, async (session) => {
    await readArchive(path, databaseSink(session, { folder: target.folder, now, progress }));
    const appliedSteps = await applyMigrations(session, now);
    await afterRestore(session, { restored_at: now, backup_made_at: head.made_at, requests_not_before });
    await auditOn(session).append([restoring.record]);
    await gatherStatistics(session);
    return { appliedSteps };
  });
}

/**
 * Copies a database that nobody serves into an empty target, without an archive in between. Nothing has happened since, so
 * nothing is changed but for the record of the copy. Files are copied when the data folder is another one.
 */
export async function copyDatabase(
  source: BackupSource,
  target: RestoreTarget,
  record: AuditRecord,
): Promise<RestoreResult & { readonly sent: ExportResult }> {
  const now = formatInstant(source.now);
  const release = await source.driver.acquireServerLock();
  try {
    return await fillTarget(target, async (session) => {
      const sink = databaseSink(session, { folder: target.folder, now, progress: source.progress });
      const sent = await exportAll(source, sink, { withFiles: target.includesFiles });
      const appliedSteps = await applyMigrations(session, now);
      await auditOn(session).append([record]);
      await gatherStatistics(session);
      return { sent, appliedSteps };
    });
  } finally {
    await release();
  }
}

/** The server plans by what it knows of its tables, which is nothing yet. */
async function gatherStatistics(session: Session): Promise<void> {
  if (session.dialect === 'postgres') await session.allRaw('analyze');
}
