import { addSeconds } from '../../base/instants.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { JobKind, PlannedJob } from '../../contract/store/jobs.ts';
import type { WriteTransaction } from '../../storage/unit-of-work.ts';

/** Maximum number of rows of a table that one unit of work removes, because other writes wait for it. */
export const REMOVED_AT_ONCE = 2000;

/** The declaration of an expiry job. */
interface ExpiryRules<Setting> {
  readonly name: string;
  readonly key: string;
  /** Seconds between two runs. */
  readonly period_s: number;
  /** The setting that `remove` depends on. */
  settingOf(services: Services): Setting;
  /** Removes at most `REMOVED_AT_ONCE` rows of each table; returns how many of each. */
  remove(tx: WriteTransaction, setting: Setting, now: string): Promise<readonly number[]>;
}

/** A kind of jobs that remove expired rows. Its job is planned once, and then plans itself. */
export interface ExpiryJobKind<Setting> extends JobKind<Setting> {
  plannedAt(run_at: string): PlannedJob;
}

/** Removes expired rows in batches: again at once after a full batch, otherwise after the period. */
export function expiryJob<Setting>(rules: ExpiryRules<Setting>): ExpiryJobKind<Setting> {
  const { name, key, period_s } = rules;
  const plannedAt = (run_at: string): PlannedJob => ({ kind: name, key, run_at });
  return {
    name,
    isHousekeeping: true,
    plannedAt,
    prepare: async (_, services) => rules.settingOf(services),
    async store(tx, _, setting, now) {
      const removed = await rules.remove(tx, setting, now);
      const isMore = removed.includes(REMOVED_AT_ONCE);
      await tx.jobs.plan(plannedAt(isMore ? now : addSeconds(now, period_s)));
      return removed.reduce((sum, rows) => sum + rows);
    },
  };
}
