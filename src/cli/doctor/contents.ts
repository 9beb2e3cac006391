import { existsSync } from 'node:fs';
import { RETENTION, type Retention } from '../../app/retention.ts';
import { unclaimedScheme } from '../../base/callback-schemes.ts';
import { formatInstant, instantMs } from '../../base/instants.ts';
import { DEAD_AFTER_S } from '../../contract/store/nodes.ts';
import type { Publisher } from '../../contract/store/publishers.ts';
import { devFilePath } from '../../dev/dev-folder.ts';
import { listAllApplications } from '../../features/auth/applications/list-applications.ts';
import { registeredCallbacks } from '../../features/auth/callback-urls.ts';
import type { Settings } from '../../settings.ts';
import type { Driver } from '../../storage/core/driver.ts';
import { type TableSize, tableSizes } from '../../storage/core/table-sizes.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
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

/** Maximum number of listed callbacks. */
const NAMED_MAX = 5;

/** Finds callbacks that were registered before the rules refused their scheme; they still work. @source decision 601 */
export async function examineCallbacks(tx: ReadTransaction, schemes: readonly string[]): Promise<Finding[]> {
  const found = (await listAllApplications(tx)).flatMap((application) =>
    registeredCallbacks(application)
      .filter((callback) => unclaimedScheme(callback, schemes) !== undefined)
      .map((callback) => `${callback} of ${application.consumer_key} (${application.name})`),
  );
  if (found.length === 0) return [];
  const named = found.slice(0, NAMED_MAX).join(', ');
  const more = found.length > NAMED_MAX ? ` and ${found.length - NAMED_MAX} more` : '';
  return [
    warning(
      `callbacks have a scheme that any app on a device can claim: ${named}${more}`,
      'have their owners register a scheme with a dot, such as com.example.app, or list the scheme in callback_schemes',
    ),
  ];
}

const GUIDE = 'docs/operate.md, "Delivering ads"';

/** Checks that ads are delivered in production, and that somebody shows ads where they are served. */
export function examineDelivery(
  { delivery_production, delivery_sandbox }: Pick<Settings, 'delivery_production' | 'delivery_sandbox'>,
  publishers: readonly Publisher[],
): Finding[] {
  const findings: Finding[] = [];
  if (delivery_production === 'off')
    findings.push(warning('no ads are delivered in production', `set delivery_production to served: ${GUIDE}`));
  for (const [environment, mode] of [
    ['production', delivery_production],
    ['sandbox', delivery_sandbox],
  ] as const) {
    if (mode !== 'served') continue;
    const count = publishers.filter((each) => each.environment === environment && each.disabled_at === null).length;
    const advice = `register one: barker publisher create NAME --environment ${environment}`;
    findings.push(
      count === 0
        ? warning(`no publisher may show ads of ${environment}`, advice)
        : ok(`${count === 1 ? '1 publisher' : `${count} publishers`} may show ads of ${environment}`),
    );
  }
  return findings;
}

/** A webhook changes hands within a few seconds. */
const FREE_S = 60;

/** Checks that live servers include a worker, deliver to all webhooks, and that no event waits for one of them since before a time. */
export async function examineWebhooks(tx: ReadTransaction, overdue: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const live = await tx.nodes.listLive('', DEAD_AFTER_S);
  const { free, workers } = await tx.webhookLeases.findShares({ silence_s: DEAD_AFTER_S, free_s: FREE_S });
  if (live.length > 0 && workers === 0) {
    const advice = 'start one: jobs, webhooks and new events wait for it';
    findings.push(warning('no running server has the role worker', advice));
  } else if (free > 0 && workers > 0) {
    const advice = 'do the servers run the same release? Their logs say why they do not take them';
    findings.push(warning(`no server delivers to ${free} webhooks`, advice));
  }
  const settled = await tx.webhookLeases.findSettled();
  const [first] = settled === undefined ? [] : await tx.events.list({ after: settled, limit: 1 });
  if (first && first.created_at < overdue) {
    const advice = 'is the server running? Its log says why deliveries cannot be stored';
    findings.push(warning(`events since ${first.created_at} are not settled for every webhook`, advice));
  }
  return findings;
}

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
