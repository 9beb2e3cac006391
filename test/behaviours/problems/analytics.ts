import { addStatsJob } from '../stats-job.ts';
import { type Case, home, invalid, type Params, world } from './setting.ts';

const RANGE = { start_time: '2026-03-01', end_time: '2026-03-02' };
const ASKED = { entity: 'LINE_ITEM', entity_ids: 'zz9', granularity: 'DAY', placement: 'ALL_ON_SERVICE', ...RANGE };

const ask = (method: 'GET' | 'POST', changes: Params = {}) =>
  world.sandbox.call(method, `/12/stats/${method === 'GET' ? '' : 'jobs/'}accounts/${home.account}`, {
    params: { ...ASKED, metric_groups: 'ENGAGEMENT', ...changes },
  });

const window = (message: string) => ({ code: 'INVALID_TIME_WINDOW', message, parameter: '' });

/** Problems of statistics. */
export const analyticsProblems: readonly Case[] = [
  {
    name: 'NOT_MIDNIGHT',
    input: 'midnight of UTC',
    send: () => ask('GET', { start_time: '2026-03-01T00:00:00Z' }),
    status: 400,
    errors: [window("Expect time to be midnight in the account's local timezone for day granularity")],
  },
  {
    name: 'STATS_WINDOW_TOO_LONG',
    input: 'eight days',
    send: () => ask('GET', { end_time: '2026-03-09' }),
    status: 400,
    errors: [window('The end_time can be a maximum of 7.days+1.hours after the start_time')],
  },
  {
    name: 'SEGMENTATION_UNAVAILABLE',
    input: 'segments of what nobody pays for',
    send: () => ask('POST', { entity: 'ORGANIC_POST', segmentation_type: 'AGE' }),
    status: 400,
    errors: [invalid('segmentation_type', 'segmentation_type is not available for entity ORGANIC_POST')],
  },
  {
    name: 'TOO_MANY_JOBS',
    input: 'a hundred others',
    async send() {
      for (let job = 0; job < 100; job++) await addStatsJob(world, home.account);
      return ask('POST');
    },
    status: 400,
    errors: [{ code: 'TOO_MANY_JOBS', message: 'A maximum of 100 jobs can be in processing state' }],
  },
];
