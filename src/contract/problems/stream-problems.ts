import type { ProblemRow } from './problems.ts';

/** Errors of streams and their connections. @source activity 18 */
export const streamProblems = {
  STREAM_CONNECTIONS_MAX: {
    when: 'the application has its maximum of open streams: 2 unless the setting application_stream_connections_max says otherwise',
    problem: [429, 'streaming-connection', 'This stream is currently at the maximum allowed connection limit.'],
  },
  OUTSIDE_LOG: {
    when: 'a time outside the event log: too long ago, or in the future',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not between {min} and {max}'],
  },
} as const satisfies Record<string, ProblemRow>;
