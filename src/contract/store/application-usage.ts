/** How many calls of an application ended in one way. */
export interface UsageCount {
  readonly application_id: string;
  /** The id of an operation. */
  readonly operation: string;
  /** The HTTP status of the replies. */
  readonly status: number;
  /** The name of the first problem; empty where there was none. */
  readonly problem: string;
  readonly calls: number;
}

/** The same in an hour. */
export interface HourlyUsage extends UsageCount {
  /** UTC text of its beginning. */
  readonly hour: string;
}

/** The calls of applications by hour. */
export interface ApplicationUsage {
  /** Adds to what is counted already. */
  add(counts: readonly HourlyUsage[]): Promise<void>;
  /** What applications have done since the beginning of an hour, added up; the most frequent first. */
  listSince(applications: readonly string[], hour: string, limit: number): Promise<UsageCount[]>;
  /** Removes at most `max` counts of earlier hours; returns how many. */
  removeBefore(hour: string, max: number): Promise<number>;
}
