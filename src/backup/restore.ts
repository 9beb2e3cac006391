import { formatInstant } from '../base/instants.ts';
import type { AuditRecord } from '../contract/store/audit.ts';
import { applyMigrations } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { Audit } from '../storage/tables/audit.ts';
import { moveAllToLog } from '../storage/tables/event-outbox.ts';
import { afterRestore } from '../storage/transfer/after-restore.ts';
import { readArchive } from './archive-reader.ts';
import { type BackupSource, exportAll } from './backup.ts';
import { databaseSink } from './database-sink.ts';
import type { ExportResult } from './export-database.ts';
import type { BackupHeader } from './format.ts';
import { fillTarget, type RestoreTarget } from './restore-target.ts';

/** The options of a restore. */
export interface RestoreOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Unix seconds; signed requests with an earlier timestamp are refused afterwards. @source decision 454 */
  readonly requests_not_before: number;
  readonly progress: (line: string) => void;
  /** The record for the audit log. */
  readonly record: AuditRecord;
}

/** The result of filling a database. */
export interface RestoreResult {
  /** Migrations of this release that the copy did not have. */
  readonly appliedSteps: readonly string[];
}

/**
 * Fills an empty target from an archive, applies missing migrations, and invalidates what must not outlive a restore.
 * Events without positions get them: the ids that order them belong to the database that they come from.
 * @source decision 455, 760
 */
export async function restore(
  path: string,
  head: BackupHeader,
  target: RestoreTarget,
  restoring: RestoreOptions,
): Promise<RestoreResult> {
  const { progress, requests_not_before } = restoring;
  const now = formatInstant(restoring.now);
  return fillTarget(target, async (session) => {
    await readArchive(path, databaseSink(session, { folder: target.folder, objects: target.objects, now, progress }));
    const appliedSteps = await applyMigrations(session, now);
    await afterRestore(session, { restored_at: now, backup_made_at: head.made_at, requests_not_before });
    await moveAllToLog(session);
    await new Audit(session).append([restoring.record]);
    await gatherStatistics(session);
    return { appliedSteps };
  });
}

/**
 * Copies a database that no server uses into an empty target, without an archive. Nothing can have changed since, so
 * everything stays valid; events without positions get them, and a record of the copy is added. Files are copied if the data folder is another one.
 * @source decision 458, 760
 */
export async function copyDatabase(
  source: BackupSource,
  target: RestoreTarget,
  record: AuditRecord,
): Promise<RestoreResult & { readonly sent: ExportResult }> {
  const now = formatInstant(source.now);
  const release = await source.driver.acquireServerLock({ isShared: false });
  try {
    return await fillTarget(target, async (session) => {
      const sink = databaseSink(session, {
        folder: target.folder,
        objects: target.objects,
        now,
        progress: source.progress,
      });
      const sent = await exportAll(source, sink, {
        withNonces: target.includesFiles,
        withMedia: target.objects !== undefined,
      });
      const appliedSteps = await applyMigrations(session, now);
      await moveAllToLog(session);
      await new Audit(session).append([record]);
      await gatherStatistics(session);
      return { sent, appliedSteps };
    });
  } finally {
    await release();
  }
}

/** PostgreSQL plans queries by table statistics, which new tables lack. */
async function gatherStatistics(session: Session): Promise<void> {
  if (session.dialect === 'postgres') await session.allRaw('analyze');
}
