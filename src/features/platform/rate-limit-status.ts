import { Type } from '../../base/json-schema.ts';
import { callerOf } from '../../contract/declare/callers.ts';
import { itemsOf, listOf, text } from '../../contract/declare/fields.ts';
import type { Operation, OperationWindow } from '../../contract/declare/operation.ts';

const VERSION = '/1.1';

/**
 * The current rate limit windows of the caller, for the calls of version 1.1. The call counts against its own window
 * only.
 * @source authentication 11.4
 */
export const rateLimitStatus: Operation = {
  id: 'application.rate_limit_status',
  method: 'GET',
  path: '/1.1/application/rate_limit_status',
  aliases: ['/1.1/application/rate_limit_status.json'],
  description: 'Get the rate limits of the caller and what is left of them, by resource family.',
  group: 'users',
  family: 'numeric',
  credential: 'user-or-bearer',
  rate: 'profiles',
  parameters: {
    resources: listOf(text({ max: 50 }), { max: 50 }).describe('Only these resource families.'),
  },
  body: 'form',
  shape: 'bare',
  reply: Type.Closed({
    rate_limit_context: Type.Union([
      Type.Closed({ access_token: Type.String() }),
      Type.Closed({ application: Type.String() }),
    ]),
    resources: Type.Record(
      Type.String({ pattern: '^[a-z_]+$' }),
      Type.Record(
        Type.String({ pattern: '^/' }),
        Type.Closed({ limit: Type.Integer(), remaining: Type.Integer({ minimum: 0 }), reset: Type.Integer() }),
      ),
    ),
  }),
  problems: [],
  async perform({ caller, rateWindows, input }) {
    const requestedFamilies = input.resources == null ? undefined : new Set(itemsOf(input.resources as string));
    const rate_limit_context =
      caller.kind === 'user'
        ? { access_token: caller.token }
        : { application: callerOf(caller, 'application').application.consumer_key };
    const resources = byFamily(await rateWindows(), requestedFamilies);
    return { data: JSON.stringify({ rate_limit_context, resources }) };
  },
};

type Families = Record<string, Record<string, Omit<OperationWindow, 'path'>>>;

/** Groups windows by family: `/1.1/users/show` is `/users/show` in the family `users`. */
function byFamily(windows: readonly OperationWindow[], requestedFamilies: ReadonlySet<string> | undefined): Families {
  const families: Families = {};
  for (const { path, ...window } of windows) {
    if (!path.startsWith(`${VERSION}/`)) continue;
    const name = path.slice(VERSION.length);
    const family = name.split('/')[1]!;
    if (requestedFamilies && !requestedFamilies.has(family)) continue;
    families[family] = { ...families[family], [name]: window };
  }
  return families;
}
