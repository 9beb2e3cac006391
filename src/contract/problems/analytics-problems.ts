import type { ProblemRow } from './problems.ts';

/** Errors of statistics. @source analytics 4 */
export const analyticsProblems = {
  NOT_MIDNIGHT: {
    when: 'start_time or end_time is not midnight in the time zone of the account, for days: one error for each, with an empty parameter',
    ads: [400, 'INVALID_TIME_WINDOW', "Expect time to be midnight in the account's local timezone for day granularity"],
  },
  STATS_WINDOW_TOO_LONG: {
    when: 'end_time is too long after start_time for statistics: the parameter is empty, as it is about both',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time can be a maximum of {days}.days+1.hours after the start_time'],
  },
  SEGMENTATION_UNAVAILABLE: {
    when: 'segments of a kind of entity that has none',
    ads: [400, 'INVALID_PARAMETER', 'segmentation_type is not available for entity {entity}'],
  },
  TOO_MANY_JOBS: {
    when: 'an account has 100 jobs that have not ended',
    ads: [400, 'TOO_MANY_JOBS', 'A maximum of {max} jobs can be in processing state'],
  },
} as const satisfies Record<string, ProblemRow>;
