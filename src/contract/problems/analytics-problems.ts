import type { ProblemRow } from './problems.ts';

/** Errors of statistics. @source analytics 4 */
export const analyticsProblems = {
  NOT_MIDNIGHT: {
    when: 'a bound of days that is not midnight in the time zone of the account',
    ads: [400, 'INVALID_TIME_WINDOW', "Expect time to be midnight in the account's local timezone for day granularity"],
  },
  STATS_WINDOW_TOO_LONG: {
    when: 'a time range that is too long for statistics',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time can be a maximum of {days}.days+1.hours after the start_time'],
  },
  SEGMENTATION_UNAVAILABLE: {
    when: 'segments of a kind of entity that has none',
    ads: [400, 'INVALID_PARAMETER', 'segmentation_type is not available for entity {entity}'],
  },
  TOO_MANY_JOBS: {
    when: 'too many jobs of an account that have not ended',
    ads: [400, 'TOO_MANY_JOBS', 'A maximum of {max} jobs can be in processing state'],
  },
} as const satisfies Record<string, ProblemRow>;
