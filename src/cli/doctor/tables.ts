import { existsSync } from 'node:fs';
import { RETENTION, type Retention } from '../../app/retention.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import { devFilePath } from '../../dev/dev-folder.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { type TableSize, tableSizes } from '../../storage/core/table-sizes.ts';
import { type Finding, ok, warning } from './finding.ts';

const DAY_S = 86_400;
/** Expired rows are removed within an hour, unless there are very many. */
const LATE_S = DAY_S;
const UNIT_MS = { ms: 1, s: 1000, days: DAY_S * 1000 } as const;

/** Measures the tables that grow, the largest first, and checks that rows are removed when they are old enough. */
export async function examineTables(driver: Driver, settings: Settings, now_ms: number): Promise<Finding[]> {
  // The clock of a development server may stand anywhere.
  const isDev = existsSync(devFilePath(settings.data_folder));
  const sizes = await tableSizes(driver, RETENTION);
  return Object.entries<Retention>(RETENTION)
    .map(([table, retention]) => ({ table, retention, size: sizes.get(table)! }))
    .filter(({ size }) => size.rows > 0)
    .sort((a, b) => b.size.bytes - a.size.bytes)
    .map(({ table, retention, size }) => findingOf(table, retention, { settings, size, now_ms: isDev ? 0 : now_ms }));
}

function findingOf(
  table: string,
  { as, kept_s, setting }: Retention,
  of: { readonly settings: Settings; readonly size: TableSize; readonly now_ms: number },
): Finding {
  const { rows, bytes, oldest } = of.size;
  const at_ms = oldest === null ? undefined : as === 'text' ? instantMs(String(oldest)) : Number(oldest) * UNIT_MS[as];
  const seconds = kept_s(of.settings);
  const since = at_ms === undefined ? '' : ` since ${formatInstant(at_ms)}`;
  const period =
    seconds === 0 ? 'kept until they end' : seconds === Infinity ? 'kept for ever' : `kept for ${durationOf(seconds)}`;
  const message = `${table}: ${rows} row${rows === 1 ? '' : 's'}${since}, ${(bytes / 1e6).toFixed(1)} MB; ${period}${setting ? ` (${setting})` : ''}`;
  if (at_ms === undefined || of.now_ms - at_ms <= (seconds + LATE_S) * 1000) return ok(message);
  return warning(message, 'old rows are not removed: does a worker run? Its log says why jobs fail');
}

function durationOf(seconds: number): string {
  if (seconds >= 2 * DAY_S) return `${Math.round(seconds / DAY_S)} days`;
  return seconds >= 7200 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 60)} minutes`;
}
