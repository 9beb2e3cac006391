import { existsSync } from 'node:fs';
import { instantMs } from '../../base/instants.ts';
import { devFilePath } from '../../dev/dev-folder.ts';
import { type Finding, ok, warning } from './finding.ts';

/** A nightly backup may take two hours longer than that of the night before; `deploy/alerts.yaml` has the same limit. */
const LATE_H = 26;
const HOUR_MS = 3_600_000;
const ADVICE = 'run barker backup every night: docs/operate.md, "Nightly backups"';

/**
 * Checks when a backup was last verified; nothing for the folder of a development server.
 * @param now Unix milliseconds
 */
export function examineBackup(verified_at: string | undefined, now: number, dataFolder: string): Finding[] {
  if (existsSync(devFilePath(dataFolder))) return [];
  if (verified_at === undefined) return [warning('no backup of this database was ever verified', ADVICE)];
  const age_h = Math.max(0, Math.floor((now - instantMs(verified_at)) / HOUR_MS));
  const message = `the last verified backup is ${age_h} h old (${verified_at})`;
  return [now - instantMs(verified_at) > LATE_H * HOUR_MS ? warning(message, ADVICE) : ok(message)];
}
