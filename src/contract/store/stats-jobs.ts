/** How far a job for statistics is. @source analytics 8 */
export const STATS_JOB_STATUSES = ['PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED'] as const;

/** A job whose result is a file with statistics. Times are UTC texts. */
export interface StatsJob {
  /** 16 decimal digits, as text: below 2^53, so that every client can read it as a number. */
  readonly id: string;
  readonly account_id: string;
  readonly status: (typeof STATS_JOB_STATUSES)[number];
  readonly entity: string;
  readonly entity_ids: readonly string[];
  readonly start_time: string;
  readonly end_time: string;
  readonly granularity: string;
  readonly placement: string;
  readonly metric_groups: readonly string[];
  readonly segmentation_type: string | null;
  readonly country: string | null;
  readonly platform: string | null;
  /** The last component of the path of the file, unguessable; null until there is a file. */
  readonly file_name: string | null;
  /** The object with the file; null when it is not there yet, or not there any more. */
  readonly object_key: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}
