import type { Reply } from '../rig/client.ts';
import type { JsonValue, Pool, Ref, Value } from './values.ts';

/** What the calls of a program have made or met so far, the last first. */
export type Met = Record<Pool, string[]>;

/** The far end of each pool is what does not exist, or exists elsewhere. */
export function nothingMet(user: string, receivers: string): Met {
  return {
    account: [user, 'nope'],
    instrument: ['nope'],
    campaign: ['nope'],
    line: ['nope'],
    criterion: ['nope'],
    child: ['nope'],
    card: ['nope'],
    talk: ['nope'],
    audience: ['nope'],
    granted: ['nope'],
    media: ['nope'],
    post: ['nope'],
    subscription: ['19'],
    webhook: ['19'],
    receiver: ['/a', '/b', '/b', '/c'].map((end) => receivers + end),
    message: ['1'],
    page: ['x'],
    cursor: ['x'],
  };
}

/** Which pool what a path answers with goes to. */
const POOLS: readonly (readonly [part: string, pool: Pool])[] = [
  ['/activity/subscriptions', 'subscription'],
  ['/2/webhooks', 'webhook'],
  ['/dm_conversations', 'message'],
  ['/campaigns', 'campaign'],
  ['/permissions', 'granted'],
  ['/do_not_reach_lists', 'granted'],
  ['_audiences', 'audience'],
  ['/cards/poll', 'talk'],
  ['/cards/video_conversation', 'talk'],
  ['/cards/image_conversation', 'talk'],
  ['/cards/all', 'talk'],
  ['/cards', 'card'],
  ['/funding', 'instrument'],
  ['/line_items', 'line'],
  ['/targeting_criteria', 'criterion'],
  ['/account_media', 'media'],
  ['/media_creatives', 'child'],
  ['/preroll_call_to_actions', 'child'],
  ['/tracking_tags', 'child'],
  ['/line_item_curated_categories', 'child'],
  ['/promoted_accounts', 'child'],
  ['/draft_posts', 'post'],
  ['/scheduled_posts', 'post'],
  ['/promoted_posts', 'post'],
  ['/scheduled_promoted_posts', 'post'],
  ['/post', 'post'],
];

/** Remembers what a reply tells of, so that later calls can refer to it. */
export function remember(path: string, { status, body }: Reply, met: Met): void {
  if (status >= 300 || body === undefined) return;
  if (body.next_cursor) met.cursor.unshift(body.next_cursor);
  if (body.meta?.next_token) met.page.unshift(body.meta.next_token);
  const [, pool] = POOLS.find(([part]) => path.includes(part)) ?? [];
  if (!pool) return;
  for (const row of [body.data].flat()) {
    const { id = row.dm_event_id ?? (row.subscription ?? row).subscription_id } = row;
    if (id && !met[pool].includes(id)) met[pool].unshift(id);
  }
}

/** What a call refers to. */
export function found({ pool, pick }: Ref, met: Met): string {
  return met[pool][pick % met[pool].length]!;
}

/** A value as it is sent. */
export function resolved(value: Value, met: Met): string | number | boolean {
  if (typeof value !== 'object') return value;
  return [value]
    .flat()
    .map((one) => found(one as Ref, met))
    .join(',');
}

/** A body as it is sent. */
export function resolvedJson(value: JsonValue, met: Met): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => resolvedJson(each, met));
  if ('pool' in value && 'pick' in value) return found(value as unknown as Ref, met);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolvedJson(each, met)]));
}
