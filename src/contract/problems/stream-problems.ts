import type { ProblemRow } from './problems.ts';

/** Errors of streams and their connections. @source activity gaps 18 */
export const streamProblems = {
  STREAM_CONNECTIONS_MAX: {
    when: 'the application holds as many streams open as it may',
    problem: [429, 'streaming-connection', 'This stream is currently at the maximum allowed connection limit.'],
  },
  OUTSIDE_LOG: {
    when: 'a time of which the log of events holds nothing: too long ago, or still to come',
    problem: [400, 'invalid-request', 'The `{parameter}` value [{raw}] is not between {min} and {max}'],
  },
} as const satisfies Record<string, ProblemRow>;
