import { type Account, accountRule, dataOf, expectErrors, invalid } from '../account.ts';
import { expectStatus } from '../expect.ts';
import type { Rule } from '../rule.ts';
import { cellsOf } from '../sentences.ts';

/** The lists that a row of section 1.2 is about, with what they require. */
const COUNTED: Readonly<Record<string, readonly string[]>> = {
  'creatives 1.2.1': ['account_media'],
  'creatives 1.2.2': ['cards'],
  'creatives 1.2.4': ['cards/poll', 'cards/image_conversation', 'cards/video_conversation'],
  'creatives 1.2.5': ['media_library'],
  'creatives 1.2.6': ['draft_posts', 'scheduled_posts'],
  'creatives 1.2.7': ['posts?post_type=PUBLISHED'],
  'creatives 1.2.9': ['promoted_posts'],
  'creatives 1.2.10': ['scheduled_promoted_posts'],
  'creatives 1.2.11': ['media_creatives'],
  'creatives 1.2.12': ['preroll_call_to_actions'],
  'creatives 1.2.13': ['promotable_users'],
  'creatives 1.2.14': ['custom_audiences'],
};

const countRules = Object.entries(COUNTED).map(([id, paths]) =>
  accountRule(id, async (account) => {
    const [, range, , , , totals, sorts] = cellsOf(id);
    const max = Number(/1 to (\d+)/.exec(range!)![1]);
    for (const path of paths) {
      const read = (name: string, value: string | number) =>
        account.get(`${path}${path.includes('?') ? '&' : '?'}${name}=${value}`);
      const message = `Expected int between 1 and ${max}, got "${max + 1}" for count`;
      expectErrors(await read('count', max + 1), 400, invalid(message, 'count'));
      expectStatus(await read('count', max), 200);
      const hasTotal = 'total_count' in (await read('with_total_count', 'true')).body;
      if (hasTotal !== (totals === 'yes')) throw new Error(`${path}: total_count is ${hasTotal ? '' : 'not '}there`);
      if (sorts === 'yes') expectStatus(await read('sort_by', 'created_at-asc'), 200);
    }
  }),
);

/** Checks of lists and methods: sections 1.2 and 1.3. */
export const listRules: readonly Rule[] = [
  ...countRules,
  accountRule('creatives 1.2.18', async (account: Account) => {
    const ids = Array.from({ length: 201 }, (_, index) => `z${index.toString(36)}`);
    const message = 'A maximum of 200 items may be provided for custom_audience_ids';
    const reply = await account.get('custom_audiences', { custom_audience_ids: ids.join() });
    expectErrors(reply, 400, invalid(message, 'custom_audience_ids'));
    const known = { custom_audience_ids: ids.slice(0, 200).join() };
    if (dataOf(await account.get('custom_audiences', known)).length > 0) throw new Error('unknown ids are listed');
  }),
  accountRule('creatives 1.2.19', async (account) => {
    for (const path of ['cards', 'custom_audiences'])
      expectStatus(await account.get(path, { sort_by: 'name-asc' }), 200);
    expectStatus(await account.get('promoted_posts', { sort_by: 'paused-desc' }), 200);
    const error = { code: 'INVALID_PARAMETER', parameter: 'sort_by' };
    expectErrors(await account.get('promoted_posts', { sort_by: 'name-asc' }), 400, error);
  }),
  accountRule('creatives 1.3.22', async (account) => {
    const error = { code: 'METHOD_NOT_ALLOWED' };
    for (const path of [
      'cards/poll/zz9',
      'promoted_posts/zz9',
      'scheduled_promoted_posts/zz9',
      'media_creatives/zz9',
    ]) {
      expectErrors(await account.call('PUT', path), 405, error);
    }
    expectErrors(await account.call('POST', 'account_media'), 405, error);
  }),
];
