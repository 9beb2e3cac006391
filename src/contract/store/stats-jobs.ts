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
  /** The last component of the path of the file, which nobody can guess; null until there is a file. */
  readonly file_name: string | null;
  /** The object with the file; null when it is not there yet, or not there any more. */
  readonly object_key: string | null;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A page of the jobs of an account, newest first. */
export interface StatsJobQuery {
  readonly account: string;
  /** Only these. */
  readonly ids: readonly string[] | undefined;
  /** Only those about this kind of entity. */
  readonly entity?: string | undefined;
  /** Time and id of the last job of the previous page. */
  readonly after: readonly [created_at: string, id: string] | undefined;
  readonly limit: number;
}

/** The jobs for statistics of all accounts. */
export interface StatsJobs {
  add(job: StatsJob): Promise<void>;
  find(account: string, id: string): Promise<StatsJob | undefined>;
  findByFileName(name: string): Promise<StatsJob | undefined>;
  page(query: StatsJobQuery): Promise<StatsJob[]>;
  /** How many jobs of an account have not ended. */
  countUnfinished(account: string): Promise<number>;
  /** Changes a job that has a status; returns whether there is one. */
  change(
    job: Pick<StatsJob, 'account_id' | 'id' | 'status'>,
    changes: Partial<Pick<StatsJob, 'status' | 'file_name' | 'object_key' | 'expires_at' | 'updated_at'>>,
  ): Promise<boolean>;
  /** Those of these keys of objects that a job names. */
  listNamedKeys(keys: readonly string[]): Promise<string[]>;
  /** Removes jobs that were created before a time, whose files are gone; returns how many. */
  removeBefore(created_at: string, max: number): Promise<number>;
}
