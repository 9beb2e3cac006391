import { formatInstant } from '../base/instants.ts';
import type { AuditRecord } from '../contract/store/audit.ts';
import { applyMigrations } from '../storage/core/migrate.ts';
import type { Session } from '../storage/core/session.ts';
import { auditOn } from '../storage/tables/audit.ts';
import { afterRestore } from '../storage/transfer/after-restore.ts';
import { readArchive } from './archive-reader.ts';
import { type Source, sendAll } from './backup.ts';
import { databaseSink } from './fill-database.ts';
import type { Head } from './pieces.ts';
import type { Sent } from './send-database.ts';
import { fillTarget, type Target } from './target.ts';

/** How a restore is done. */
export interface Restoring {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Unix seconds; signed requests from before are refused afterwards. */
  readonly requests_not_before: number;
  readonly progress: (line: string) => void;
  /** What auditors are told. */
  readonly record: AuditRecord;
}

/** What came of filling a database. */
export interface Restored {
  /** Steps of the schema that this release has and the copy had not. */
  readonly stepsApplied: readonly string[];
}

/** Fills an empty target from an archive, brings its schema up to date, and makes it fit for the present. */
export async function restore(path: string, head: Head, target: Target, restoring: Restoring): Promise<Restored> {
  const { progress, requests_not_before } = restoring;
  const now = formatInstant(restoring.now);
  return fillTarget(target, async (session) => {
    await readArchive(path, databaseSink(session, { folder: target.folder, now, progress }));
    const stepsApplied = await applyMigrations(session, now);
    await afterRestore(session, { restored_at: now, backup_made_at: head.made_at, requests_not_before });
    await auditOn(session).append([restoring.record]);
    await gatherStatistics(session);
    return { stepsApplied };
  });
}

/**
 * Copies a database that nobody serves into an empty target, without an archive in between. Nothing has happened since, so
 * nothing is changed but for the record of the copy. Files are copied when the data folder is another one.
 */
export async function copyAll(
  source: Source,
  target: Target,
  record: AuditRecord,
): Promise<Restored & { readonly sent: Sent }> {
  const now = formatInstant(source.now);
  const release = await source.driver.acquireServerLock();
  try {
    return await fillTarget(target, async (session) => {
      const sink = databaseSink(session, { folder: target.folder, now, progress: source.progress });
      const sent = await sendAll(source, sink, { withFiles: target.takesFiles });
      const stepsApplied = await applyMigrations(session, now);
      await auditOn(session).append([record]);
      await gatherStatistics(session);
      return { sent, stepsApplied };
    });
  } finally {
    await release();
  }
}

/** The server plans by what it knows of its tables, which is nothing yet. */
async function gatherStatistics(session: Session): Promise<void> {
  if (session.statements.dialect === 'postgres') await session.all({ sql: 'analyze', bind: () => [] }, {});
}
