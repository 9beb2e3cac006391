import { CODE_STEP_S, CODE_STEPS_OFF } from '../../contract/store/second-factors.ts';
import type { Session } from '../core/session.ts';
import { execRaw } from './table-schema.ts';

/** More numbers of a sequence than can have been used since a backup: later ones are free. @source decision 455 */
const LOST_MAX = 1_000_000_000;

/**
 * Tables of short-lived or one-time credentials, which may have been used or revoked since the backup.
 * @source decision 455
 */
const SHORT_LIVED = [
  'sessions',
  'request_tokens',
  'password_links',
  'operator_links',
  'operator_sessions',
  'sent_forms',
  'recovery_codes',
];

/** Files that were built and stored elsewhere: the objects may belong to a database that is in use. @source decision 795 */
const DERIVED = ['derived_files', 'unused_objects', 'keyword_index'];

/** The last time step whose one-time code may have been used. */
const lastStep = (restored_at: string): number =>
  Math.floor(Date.parse(restored_at) / 1000 / CODE_STEP_S) + CODE_STEPS_OFF;

/** The record of a restore. Times are UTC texts. */
export interface RestoreRecord {
  readonly restored_at: string;
  readonly backup_made_at: string;
  /** Unix seconds; requests that were signed earlier are refused. @source decision 454 */
  readonly requests_not_before: number;
}

/**
 * Adapts restored rows to the present. Ids and event positions that were issued since the backup are known to others,
 * so none is issued again. Sessions that were ended, and links and codes that were used since, must not become valid
 * again, and logins under way start over.
 * @source decision 455
 */
export async function afterRestore(session: Session, record: RestoreRecord): Promise<void> {
  await execRaw(session, 'update sequences set next = next + cast(? as bigint)', [String(LOST_MAX)]);
  for (const table of SHORT_LIVED) await execRaw(session, `delete from ${table}`);
  await forgetDerivedFiles(session);
  const { restored_at, backup_made_at, requests_not_before } = record;
  const useCodes = 'update second_factors set last_step = cast(? as bigint) where last_step < cast(? as bigint)';
  const step = String(lastStep(restored_at));
  await execRaw(session, useCodes, [step, step]);
  const into =
    'insert into restores (restored_at, backup_made_at, requests_not_before) values (?, ?, cast(? as bigint))';
  await execRaw(session, into, [restored_at, backup_made_at, String(requests_not_before)]);
}

/** Forgets files that were not copied, so that they are built anew. @source decision 795 */
export async function forgetDerivedFiles(session: Session): Promise<void> {
  for (const table of DERIVED) await execRaw(session, `delete from ${table}`);
}
