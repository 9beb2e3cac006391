import { operations } from '../../src/app/dependencies.ts';
import type { Clock } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { clientOf, type Reply } from '../rig/client.ts';
import type { Home } from './load.ts';
import type { Site } from './sites.ts';

/** Rows of each list that are read one by one too. */
const ONE_BY_ONE = 5;

/** Lists of an account that say nothing without a parameter. */
const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'posts.list': { post_type: 'PUBLISHED' },
  'curated_categories.list': { country_codes: 'US' },
};
const MOST: Readonly<Record<string, number>> = { media_library: 50 };

/**
 * What a service answers to every read of lists, to reads of their first rows, to keyword insights and to an estimate of an audience,
 * by what was asked. Media is read too. The clock has to be the same in what is compared.
 */
export async function readEverything(site: Site, { path, audience }: Home, clock: Clock, day: string) {
  const client = clientOf(site.sandbox, site.keys, clock, () => {});
  const found = new Map<string, string>();
  const read = async (what: string, params: Record<string, string | number> = {}): Promise<Reply> => {
    const reply = await client.call('GET', what, { params });
    const key = `${what} ${JSON.stringify(params)}`;
    if (reply.status !== 200) throw new Error(`${key}: ${reply.status} ${reply.text}`);
    found.set(key, reply.text);
    return reply;
  };
  for (const operation of operations.filter(isListOfAccount)) {
    const list = operation.path.replace('/12/accounts/:account_id', path);
    const group = operation.id.replace('.list', '');
    const { with_deleted, count } = operation.parameters;
    let cursor: string | undefined;
    do {
      const { data, next_cursor } = (
        await read(list, {
          ...REQUIRED[operation.id],
          ...(with_deleted && { with_deleted: 'true' }),
          ...(count && { count: MOST[group] ?? 200 }),
          ...(cursor && { cursor }),
        })
      ).body;
      if (!cursor && operations.some(({ id }) => id === `${group}.get`)) {
        for (const row of data.slice(0, ONE_BY_ONE)) {
          await read(`${list}/${row.media_key ?? row.id}`, with_deleted ? { with_deleted: 'true' } : {});
        }
      }
      cursor = next_cursor ?? undefined;
    } while (cursor);
  }
  for (const what of ['/2/users/me', '/1.1/account/verify_credentials.json', '/12/accounts', path]) await read(what);
  await read(`${path}/custom_audiences/${audience}/targeted`);
  const at = Date.parse(`${day}T00:00:00Z`);
  const span = { start_time: formatInstant(at - 6 * 86_400_000), end_time: formatInstant(at + 86_400_000) };
  for (const granularity of ['DAY', 'HOUR']) {
    await read('/12/insights/keywords/search', { granularity, keywords: 'coffee', ...span });
  }
  const asked = ['coffee', 'love', 'night', 'time'].map((word) => criterion('BROAD_KEYWORD', word));
  for (const json of [asked, [criterion('CUSTOM_AUDIENCE', audience)]]) {
    const { status, text } = await client.call('POST', `${path}/audience_estimate`, { json });
    if (status !== 200) throw new Error(`audience_estimate: ${status} ${text}`);
    found.set(`audience_estimate ${JSON.stringify(json)}`, text);
  }
  return found;
}

const criterion = (targeting_type: string, targeting_value: string) => ({
  targeting_type,
  targeting_value,
  operator_type: 'EQ',
});

function isListOfAccount({ id, method, path, family, parameters }: Operation): boolean {
  const isOne = /^\/12\/accounts\/:account_id\/[^:]+$/.test(path) && id.endsWith('.list') && method === 'GET';
  const lacks = Object.entries(parameters).some(([name, { isRequired }]) => isRequired && !REQUIRED[id]?.[name]);
  return isOne && family === 'ads' && !lacks;
}
