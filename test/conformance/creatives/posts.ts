import assert from 'node:assert/strict';
import {
  type Account,
  accountRule,
  dataOf,
  echoOf,
  expectErrors,
  idsOf,
  invalid,
  type Json,
  missing,
  type Values,
} from '../account.ts';
import { type Rule, Skipped } from '../rule.ts';
import { POLL } from './cards.ts';
import { cardImage } from './media.ts';

const BLANK = { code: 'POST_CANNOT_BE_BLANK', message: 'A post needs text or media' };
const DAY_MS = 86_400_000;

/** The time of the server, by what it stored last. */
async function serverTime(account: Account): Promise<number> {
  return Date.parse((await account.create('draft_posts', { text: 'Now' })).created_at);
}

function instant(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** A promoted-only post of the advertised user, which stays: posts cannot be deleted. @throws Skipped outside a sandbox */
async function publish(account: Account, values: Values): Promise<Json> {
  if (!account.isSandbox) throw new Skipped('a published post cannot be removed');
  return dataOf(await account.call('POST', 'post', values));
}

/** Checks of drafts: section 10. */
const draftRules: readonly Rule[] = [
  accountRule('creatives 10.2', async (account) => {
    const draft = await account.create('draft_posts', { text: 'Fresh roast', name: 'x'.repeat(80) });
    assert.equal(draft.nullcast, true);
    const reply = await account.call('PUT', `draft_posts/${draft.id}`, { name: 'x'.repeat(81) });
    expectErrors(reply, 400, invalid('Expected a maximum length of 80, got 81 for name', 'name'));
  }),
  accountRule('creatives 10.3', async (account) => {
    const users = dataOf(await account.get('promotable_users'));
    const full = users.find((row: Json) => row.promotable_user_type === 'FULL');
    assert.equal((await account.create('draft_posts', { text: 'Fresh' })).user_id, full.user_id);
    const message = `User 1 is not a promotable user of account ${account.id}`;
    const reply = await account.call('POST', 'draft_posts', { text: 'Fresh', as_user_id: '1' });
    expectErrors(reply, 400, { code: 'INVALID_USER_ID', message });
  }),
  accountRule('creatives 10.4', async (account) => {
    const blank: Values[] = [{ name: 'Blank' }, { text: ' ' }];
    for (const values of blank) {
      expectErrors(await account.call('POST', 'draft_posts', values), 400, BLANK);
    }
    const url = `https://shop.example/${'x'.repeat(100)}`;
    await account.create('draft_posts', { text: `${'x'.repeat(256)} ${url}` });
    const reply = await account.call('POST', 'draft_posts', { text: 'x'.repeat(281) });
    expectErrors(reply, 400, invalid('Expected a maximum length of 280, got 281 for text', 'text'));
  }),
  accountRule('creatives 10.6', async (account) => {
    const lost = await account.call('POST', 'draft_posts', { text: 'Fresh', card_uri: 'card://9' });
    expectErrors(lost, 404, { code: 'CARD_NOT_FOUND' });
    const malformed = await account.call('POST', 'draft_posts', { text: 'Fresh', card_uri: 'nope' });
    expectErrors(malformed, 400, invalid('Expected card://<number>, got "nope" for card_uri', 'card_uri'));
  }),
  accountRule('creatives 10.8', async (account) => {
    const { card_uri } = await account.create('cards/poll', POLL);
    const { id } = await account.create('draft_posts', { text: 'Fresh', card_uri });
    assert.equal(dataOf(await account.call('PUT', `draft_posts/${id}`, { card_uri: '' })).card_uri, null);
    expectErrors(await account.call('PUT', `draft_posts/${id}`, { text: '' }), 400, BLANK);
  }),
  accountRule('creatives 10.9', async (account) => {
    const members = ['id', 'name', 'text', 'user_id', 'nullcast', 'card_uri', 'media_keys', 'created_at', 'updated_at'];
    const draft = await account.create('draft_posts', { text: 'Fresh' });
    assert.deepEqual(Object.keys(draft).sort(), members.sort());
  }),
  accountRule('creatives 1.7.3', async (account) => {
    const { id } = await account.create('draft_posts', { text: 'Fresh' });
    const removed = dataOf(await account.call('DELETE', `draft_posts/${id}`));
    assert.deepEqual([removed.status, 'deleted' in removed], ['DELETED', false]);
    expectErrors(await account.get(`draft_posts/${id}`), 404, { code: 'NOT_FOUND' });
  }),
  accountRule('creatives 1.6.3', async (account) => {
    assert.match((await account.create('draft_posts', { text: 'Fresh' })).id, /^\d{1,19}$/);
  }),
  accountRule('creatives 1.1.2', async (account) => {
    const { id } = await account.create('draft_posts', { text: 'Fresh' });
    assert.equal(echoOf(await account.get(`draft_posts/${id}`)).account_id, account.id);
  }),
];

/** Checks of scheduled posts: section 11. */
const scheduledRules: readonly Rule[] = [
  accountRule('creatives 11.1', async (account) => {
    expectErrors(await account.call('POST', 'scheduled_posts', { text: 'Later' }), 400, missing('scheduled_at'));
    const scheduled_at = instant((await serverTime(account)) + DAY_MS);
    const made = await account.create('scheduled_posts', { text: 'Later', scheduled_at });
    assert.equal(dataOf(await account.get(`scheduled_posts/${made.id}`)).id, made.id);
    assert.ok(idsOf(await account.get('scheduled_posts')).includes(made.id));
  }),
  accountRule('creatives 11.2', async (account) => {
    const now = await serverTime(account);
    const tries = (time: number) =>
      account.call('POST', 'scheduled_posts', { text: 'Later', scheduled_at: instant(time) });
    const soon = invalid('Expected scheduled_at to be at least 1 minute ahead', 'scheduled_at');
    expectErrors(await tries(now), 400, soon);
    const late = invalid('Expected scheduled_at to be at most 365 days ahead', 'scheduled_at');
    expectErrors(await tries(now + 366 * DAY_MS), 400, late);
    const scheduled_at = instant(now + DAY_MS).replace(/\d\dZ$/, '59Z');
    const made = await account.create('scheduled_posts', { text: 'Later', scheduled_at });
    assert.match(made.scheduled_at, /:00Z$/);
  }),
  accountRule('creatives 11.3', async (account) => {
    const scheduled_at = instant((await serverTime(account)) + DAY_MS);
    const made = await account.create('scheduled_posts', { text: 'Later', scheduled_at });
    assert.deepEqual([made.scheduled_status, made.completed_at, made.post_id], ['SCHEDULED', null, null]);
  }),
  accountRule('creatives 11.4', async (account) => {
    const scheduled_at = instant((await serverTime(account)) + DAY_MS);
    const tries = (values: Values) => account.call('POST', 'scheduled_posts', { scheduled_at, ...values });
    expectErrors(await tries({}), 400, BLANK);
    const { status, body } = await tries({ text: 'Later', media_keys: 'nope' });
    assert.deepEqual([status, body.errors[0].code], [400, 'INVALID_MEDIA_ID']);
  }),
  accountRule('creatives 1.7.4', async (account) => {
    const scheduled_at = instant((await serverTime(account)) + DAY_MS);
    const { id } = await account.create('scheduled_posts', { text: 'Later', scheduled_at });
    assert.equal(dataOf(await account.call('DELETE', `scheduled_posts/${id}`)).scheduled_status, 'DELETED');
    expectErrors(await account.get(`scheduled_posts/${id}`), 404, { code: 'NOT_FOUND' });
  }),
  accountRule('creatives 12.1', async (account) => {
    const scheduled_at = instant((await serverTime(account)) + DAY_MS);
    const { id: scheduled_post_id } = await account.create('scheduled_posts', { text: 'Later', scheduled_at });
    const { id: line_item_id } = await account.lineItem();
    const made = await account.create('scheduled_promoted_posts', { line_item_id, scheduled_post_id });
    assert.deepEqual([made.scheduled_post_id, made.post_id], [scheduled_post_id, null]);
    expectErrors(await account.call('PUT', `scheduled_promoted_posts/${made.id}`), 405, { code: 'METHOD_NOT_ALLOWED' });
  }),
];

/** Checks of published and promoted posts: sections 13 and 14. */
const publishedRules: readonly Rule[] = [
  accountRule('creatives 13.1.2', async (account) => {
    expectErrors(await account.call('POST', 'post'), 400, BLANK);
  }),
  accountRule('creatives 13.1.3', async (account) => {
    const { card_uri } = await account.create('cards/poll', POLL);
    const values = { text: 'Menu', card_uri, media_keys: await cardImage(account) };
    const message = 'card_uri and media_keys are exclusive parameters';
    expectErrors(await account.call('POST', 'post', values), 400, { code: 'EXCLUSIVE_PARAMETERS', message });
  }),
  accountRule('creatives 13.1.8', async (account) => {
    const { user } = await publish(account, { text: 'Menu', trim_user: true });
    assert.deepEqual(Object.keys(user).sort(), ['id', 'id_str']);
  }),
  accountRule('creatives 13.1.9', async (account) => {
    const compat = await publish(account, { text: 'Menu' });
    assert.deepEqual([compat.text, 'full_text' in compat], ['Menu', false]);
    const extended = await publish(account, { text: 'Menu', post_mode: 'extended' });
    assert.deepEqual([extended.full_text, extended.display_text_range, 'text' in extended], ['Menu', [0, 4], false]);
  }),
  accountRule('creatives 13.1.12', async (account) => {
    const { created_at } = await publish(account, { text: 'Menu' });
    assert.match(created_at, /^[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/);
  }),
  accountRule('creatives 13.1.14', async (account) => {
    assert.ok(!('card_uri' in (await publish(account, { text: 'Menu' }))));
  }),
  accountRule('creatives 13.2.1', async (account) => {
    expectErrors(await account.get('posts'), 400, missing('post_type'));
    const { id } = await account.create('draft_posts', { text: 'Fresh' });
    const listed = async (post_type: string) => dataOf(await account.get('posts', { post_type, post_ids: id }));
    assert.deepEqual(
      (await listed('DRAFT')).map((row: Json) => row.post_id),
      [id],
    );
    assert.deepEqual(await listed('PUBLISHED'), []);
  }),
  accountRule('creatives 13.2.5', async (account) => {
    const { id } = await publish(account, { text: 'Menu' });
    const [row] = dataOf(await account.get('posts', { post_type: 'PUBLISHED', post_ids: id }));
    const further = ['nullcast', 'post_type', 'scheduled_at', 'scheduled_status', 'full_text', 'display_text_range'];
    for (const name of [...further, 'conversation_settings', 'post_id']) assert.ok(name in row, name);
    assert.ok(!('text' in row));
  }),
  accountRule('creatives 13.3.1', async (account) => {
    const { id } = await publish(account, { text: 'Menu' });
    assert.equal(dataOf(await account.call('PUT', `posts/${id}/name`, { name: 'Winter' })).name, 'Winter');
    assert.equal(dataOf(await account.call('PUT', `posts/${id}/name`, { name: '' })).name, null);
  }),
  accountRule('creatives 13.3.2', async (account) => {
    expectErrors(await account.call('PUT', 'posts/9/name', { name: 'x' }), 404, { code: 'POST_NOT_FOUND' });
  }),
  accountRule('creatives 13.4.1', async (account) => {
    const { id } = await account.create('draft_posts', { text: 'Fresh' });
    const rows = dataOf(await account.get('post_previews', { post_ids: `${id},9`, post_type: 'DRAFT' }));
    assert.deepEqual(
      rows.map((row: Json) => row.post_id),
      [id],
    );
    assert.match(rows[0].preview, /^<iframe /);
  }),
  accountRule('creatives 14.2', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const { status, body } = await account.call('POST', 'promoted_posts');
    assert.equal(status, 400);
    const parameters = body.errors.map(({ code, parameter }: Json) => `${code} ${parameter}`).sort();
    assert.deepEqual(parameters, ['MISSING_PARAMETER line_item_id', 'MISSING_PARAMETER post_ids']);
    const { id } = await publish(account, { text: 'Menu' });
    const lost = await account.call('POST', 'promoted_posts', { line_item_id, post_ids: `${id},9` });
    expectErrors(lost, 404, { code: 'POST_NOT_FOUND' });
    assert.deepEqual(idsOf(await account.get('promoted_posts', { line_item_ids: line_item_id })), []);
  }),
  accountRule('creatives 14.4', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const { id } = await publish(account, { text: 'Menu' });
    const promote = () => account.call('POST', 'promoted_posts', { line_item_id, post_ids: id });
    const made = await promote();
    assert.equal(dataOf(made)[0].post_id, id);
    assert.ok(!('total_count' in made.body));
    assert.deepEqual(idsOf(await promote()), idsOf(made));
  }),
  accountRule('creatives 14.6', async (account) => {
    const reply = await account.call('POST', 'promoted_posts', { line_item_id: 'zz9', post_ids: '9' });
    assert.deepEqual([reply.status, reply.body.errors[0].code], [404, 'LINE_ITEM_NOT_FOUND']);
  }),
  accountRule('creatives 14.8', async (account) => {
    const { id: line_item_id } = await account.lineItem({ objective: 'VIDEO_VIEWS' });
    const { id } = await publish(account, { text: 'Menu' });
    const reply = await account.call('POST', 'promoted_posts', { line_item_id, post_ids: id });
    expectErrors(reply, 400, { code: 'INVALID_POST' });
  }),
  accountRule('campaigns 12.1.5', async (account) => {
    const { id: line_item_id } = await account.lineItem();
    const reply = await account.call('POST', 'promoted_posts', { line_item_id, post_ids: 'x' });
    expectErrors(reply, 400, invalid('Expected Long, got "x" for post_ids', 'post_ids'));
  }),
];

/** Checks of sections 10 to 14. */
export const postRules: readonly Rule[] = [...draftRules, ...scheduledRules, ...publishedRules];
