import { text } from 'node:stream/consumers';
import type { Operation } from '../../../contract/declare/operation.ts';
import { readStats } from './read-stats.ts';
import { statsDocument } from './stats-document.ts';
import { emptyReason } from './stats-hints.ts';
import {
  checkRole,
  checkStats,
  STATS_AND_ORGANIC_READERS,
  STATS_PROBLEMS,
  statsParameters,
  statsQueryOf,
  statsRequestOf,
} from './stats-parameters.ts';
import { statsSchema } from './stats-schemas.ts';

const DAYS_MAX = 7;

/**
 * Delivery and cost of entities, synchronously.
 * @source analytics 2 to 6; decision 955
 */
export const getStats: Operation = {
  id: 'stats.get',
  method: 'GET',
  path: '/12/stats/accounts/:account_id',
  description: `Get what up to 20 entities delivered and cost in up to ${DAYS_MAX} days.`,
  group: 'stats',
  groupDescription: 'What ads delivered and cost.',
  family: 'ads',
  roles: STATS_AND_ORGANIC_READERS,
  rate: 'analytics_sync',
  parameters: statsParameters,
  body: 'form',
  shape: 'bare',
  reply: statsSchema,
  problems: STATS_PROBLEMS,
  validate: (input, account) => checkStats(input, account, DAYS_MAX),
  async perform(call) {
    const { services, account, input } = call;
    checkRole(call, input.entity);
    await services.delivery.settle(account!);
    const request = statsRequestOf(input, account!.timezone);
    const query = statsQueryOf(request, account!);
    const stats = await readStats(services.store, query);
    return {
      data: await text(statsDocument([stats], query.groups, request)),
      hint: () => emptyReason(services.store, query, stats),
    };
  },
};
