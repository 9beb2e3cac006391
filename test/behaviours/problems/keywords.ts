import { type Case, invalid, type Params, world } from './setting.ts';

const search = (params: Params) =>
  world.sandbox.call('GET', '/12/insights/keywords/search', {
    params: { granularity: 'DAY', keywords: 'tea', start_time: '2026-03-01', ...params },
  });

const window = (message: string) => ({ code: 'INVALID_TIME_WINDOW', message, parameter: '' });

/** Problems of keyword insights. */
export const keywordProblems: readonly Case[] = [
  {
    name: 'TIME_WINDOW_EMPTY',
    input: 'an end before the start',
    send: () => search({ end_time: '2026-02-01' }),
    status: 400,
    errors: [window('The end_time must be after the start_time')],
  },
  {
    name: 'TIME_WINDOW_TOO_LONG',
    input: 'eight days',
    send: () => search({ start_time: '2026-02-01', end_time: '2026-02-09' }),
    status: 400,
    errors: [window('The end_time can be a maximum of 7.days after the start_time')],
  },
  {
    name: 'KEYWORD_WITHOUT_WORDS',
    input: 'signs alone',
    send: () => search({ keywords: 'tea,?!' }),
    status: 400,
    errors: [invalid('keywords', 'Expected keywords with letters, digits or emoji, got "?!" for keywords')],
  },
  {
    name: 'NOT_A_COUNTRY',
    input: 'a place that is none',
    send: () => search({ location: 'DE' }),
    status: 400,
    errors: [invalid('location', 'Expected the targeting value of a country, got "DE" for location')],
  },
];
