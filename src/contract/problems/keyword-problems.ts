import type { ProblemRow } from './problems.ts';

/** Errors of keyword insights. @source campaigns 15 and 2.2 */
export const keywordProblems = {
  TIME_WINDOW_EMPTY: {
    when: 'end_time is not after start_time, or a range begins in the future: the parameter is empty, as it is about both',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time must be after the start_time'],
  },
  TIME_WINDOW_TOO_LONG: {
    when: 'end_time is too long after start_time: the parameter is empty, as it is about both',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time can be a maximum of {days}.days after the start_time'],
  },
  KEYWORD_WITHOUT_WORDS: {
    when: 'a keyword without letters, digits or emoji',
    ads: [400, 'INVALID_PARAMETER', 'Expected keywords with letters, digits or emoji, got "{raw}" for {parameter}'],
  },
  NOT_A_COUNTRY: {
    when: 'a location that is not a country',
    ads: [400, 'INVALID_PARAMETER', 'Expected the targeting value of a country, got "{raw}" for {parameter}'],
  },
} as const satisfies Record<string, ProblemRow>;
