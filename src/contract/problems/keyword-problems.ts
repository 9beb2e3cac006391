import type { ProblemRow } from './problems.ts';

/** Errors of keyword insights. @source campaigns 15 and 2.2 */
export const keywordProblems = {
  TIME_WINDOW_EMPTY: {
    when: 'a range of time that ends before it begins, now at the latest',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time must be after the start_time'],
  },
  TIME_WINDOW_TOO_LONG: {
    when: 'a range of time that is longer than can be asked for',
    ads: [400, 'INVALID_TIME_WINDOW', 'The end_time can be a maximum of {days}.days after the start_time'],
  },
  KEYWORD_WITHOUT_WORDS: {
    when: 'a keyword in which there is nothing that posts could say',
    ads: [400, 'INVALID_PARAMETER', 'Expected keywords with letters, digits or emoji, got "{raw}" for {parameter}'],
  },
  NOT_A_COUNTRY: {
    when: 'a place that is not a country of the look-up',
    ads: [400, 'INVALID_PARAMETER', 'Expected the targeting value of a country, got "{raw}" for {parameter}'],
  },
} as const satisfies Record<string, ProblemRow>;
