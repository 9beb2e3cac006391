import assert from 'node:assert/strict';
import type { Reply } from '../../rig/client.ts';
import type { Api } from '../api.ts';
import { expectProblem, expectStatus } from '../expect.ts';
import { type Rule, rule } from '../rule.ts';
import { newFilter, newSubscription, newWord, SUBSCRIPTIONS, subscribe } from './steps.ts';

const BIO = 'profile.update.bio';
const NO_ID = '1';
const ALIASES = [
  ['profile.update.verified_badge', 'profile.update.verified'],
  ['profile.update.affiliate_badge', 'profile.update.affiliate'],
  ['profile.update.handle', 'profile.update.screenname'],
] as const;
const PASCAL = [
  ['ProfileBioUpdate', BIO],
  ['ProfileVerifiedBadgeUpdate', 'profile.update.verified'],
  ['ProfileAffiliateBadgeUpdate', 'profile.update.affiliate'],
  ['ProfileScreennameUpdate', 'profile.update.screenname'],
  ['SpacesStart', 'spaces.start'],
  ['SpacesEnd', 'spaces.end'],
] as const;

/** Expects a problem invalid-request, whose first message fits. */
function expectInvalid(reply: Reply, message: RegExp): void {
  expectProblem(reply, 400, 'invalid-request');
  assert.match(reply.body.errors[0].message, message);
}

/** Subscribes to the profile of the user, with other members. */
function subscribeBio(api: Api, more: object): Promise<Reply> {
  return subscribe(api, { event_type: BIO, filter: newFilter(api), ...more });
}

/** A call about one subscription with the bearer token. */
async function about(api: Api, method: string, id: string, json?: unknown): Promise<Reply> {
  return api.call({ method, path: `${SUBSCRIPTIONS}/${id}`, json, as: await api.bearer() });
}

/** The user of some keys. */
const userOf = ({ access_token }: { readonly access_token?: string }): string => access_token!.split('-', 1)[0]!;

/** Checks of names and of creating subscriptions: 16.1, 17.1 and 17.2. */
const creationRules: readonly Rule[] = [
  rule('activity 0.1.1', async (api) => {
    for (const type of ['bio', 'verified', 'affiliate', 'screenname']) {
      const event_type = `profile.update.${type}`;
      expectStatus(await subscribe(api, { event_type, filter: newFilter(api) }), 200);
    }
    for (const event_type of ['spaces.start', 'spaces.end']) {
      expectStatus(await subscribe(api, { event_type, filter: { keyword: newWord() } }), 200);
    }
  }),
  rule('activity 16.1.1', async (api) => {
    const reply = await subscribeBio(api, { event_type: 'Profile.Update.Bio' });
    expectInvalid(reply, /event_type/);
  }),
  rule('activity 16.1.2', async (api) => {
    for (const [alias, name] of ALIASES) {
      assert.equal((await newSubscription(api, { event_type: alias })).event_type, name);
    }
  }),
  rule('activity 16.1.3', async (api) => {
    for (const [alias, name] of PASCAL) {
      assert.equal((await newSubscription(api, { event_type: alias })).event_type, name);
    }
  }),
  rule('activity 16.1.4', async (api) => {
    const { headers } = await subscribeBio(api, { event_type: 'ProfileBioUpdate' });
    assert.equal(headers.get('deprecation'), '@1773792000');
    assert.equal(headers.get('link'), `<${api.url}/docs/activity>; rel="deprecation"`);
  }),
  rule('activity 16.1.5', async (api) => {
    const reply = await subscribeBio(api, { event_type: 'profile.update.nothing' });
    expectInvalid(reply, /profile\.update\.bio/);
    assert.deepEqual(reply.body.errors[0].parameters, { event_type: ['profile.update.nothing'] });
  }),
  rule('activity 17.1.1', async (api) => {
    expectStatus(await subscribeBio(api, {}), 200);
    expectStatus(await subscribe(api, { event_type: BIO, filter: newFilter(api) }, { as: api.user }), 200);
  }),
  rule('activity 17.1.2', async (api) => {
    const [own, other] = [api.keysOf('messages_'), api.keysOf('messages_other_')];
    const to = (user_id: string) => ({ event_type: 'dm.received', filter: { user_id, keyword: newWord() } });
    expectStatus(await subscribe(api, to(userOf(own)), { as: own }), 200);
    expectProblem(await subscribe(api, to(api.userId), { as: api.user }), 403, 'oauth1-permissions');
    expectProblem(await subscribe(api, to(userOf(other)), { as: own }), 403, 'client-forbidden');
    expectProblem(await subscribe(api, to(userOf(own))), 403, 'unsupported-authentication');
  }),
  rule('activity 17.1.4', async (api) => {
    const mine = await subscribe(api, { event_type: BIO, filter: newFilter(api) }, { as: api.user });
    expectStatus(mine, 200);
    const id: string = mine.body.data.subscription.subscription_id;
    const ofApplication = (await newSubscription(api)).subscription_id;
    const idsFor = async (as: Parameters<typeof subscribe>[2]): Promise<string[]> => {
      const { body } = await api.call({ path: `${SUBSCRIPTIONS}?max_results=1000`, ...as });
      return body.data.map((each: { subscription_id: string }) => each.subscription_id);
    };
    const asUser = await idsFor({ as: api.user });
    assert.deepEqual([asUser.includes(id), asUser.includes(ofApplication)], [true, false]);
    const asApplication = await idsFor({ as: await api.bearer() });
    assert.deepEqual([asApplication.includes(id), asApplication.includes(ofApplication)], [true, true]);
    const path = `${SUBSCRIPTIONS}/${ofApplication}`;
    expectStatus(await api.call({ method: 'DELETE', path }), 404);
  }),
  rule('activity 17.1.5', async (api) => {
    expectProblem(await api.call({ path: '/2/activity/stream' }), 403, 'unsupported-authentication');
  }),
  rule('activity 17.2.1', async (api) => {
    expectInvalid(await subscribe(api, { event_type: BIO }), /filter/);
    expectInvalid(await subscribeBio(api, { event_type: undefined }), /event_type/);
    expectInvalid(await subscribeBio(api, { note: 'a' }), /note/);
    for (const tag of ['', 'x'.repeat(201)]) expectInvalid(await subscribeBio(api, { tag }), /tag/);
    expectStatus(await subscribeBio(api, { tag: 'x'.repeat(200) }), 200);
  }),
  rule('activity 17.2.2', async (api) => {
    expectInvalid(await subscribeBio(api, { filter: {} }), /filter/);
    expectInvalid(await subscribeBio(api, { filter: { ...newFilter(api), note: 'a' } }), /note/);
  }),
  rule('activity 17.2.3', async (api) => {
    expectInvalid(await subscribeBio(api, { filter: { keyword: newWord() } }), /user_id/);
    for (const user_id of ['ada', '', '12345678901234567890', 5]) {
      expectInvalid(await subscribeBio(api, { filter: { user_id } }), /user_id/);
    }
    expectStatus(await subscribe(api, { event_type: 'spaces.start', filter: { keyword: newWord() } }), 200);
  }),
  rule('activity 17.2.4', async (api) => {
    for (const keyword of ['', 'x'.repeat(151)]) {
      expectInvalid(await subscribeBio(api, { filter: { user_id: api.userId, keyword } }), /keyword/);
    }
    const longest = newWord().padEnd(150, 'x');
    expectStatus(await subscribeBio(api, { filter: { user_id: api.userId, keyword: longest } }), 200);
  }),
  rule('activity 17.2.5', async (api) => {
    const as = api.keysOf('messages_');
    const filter = { user_id: userOf(as), keyword: newWord() };
    for (const [input, kept] of [
      ['sent', 'sent'],
      ['inbound', 'received'],
      ['both', 'both'],
    ]) {
      const json = { event_type: 'dm.read', filter: { ...filter, direction: input } };
      const reply = await subscribe(api, json, { as });
      expectStatus(reply, 200);
      assert.equal(reply.body.data.subscription.filter.direction, kept);
    }
    expectInvalid(await subscribeBio(api, { filter: { ...newFilter(api), direction: 'sent' } }), /direction/);
    const wrong = { event_type: 'dm.read', filter: { ...filter, direction: 'sideways' } };
    expectInvalid(await subscribe(api, wrong, { as }), /direction/);
  }),
  rule('activity 17.2.6', async (api) => {
    const as = api.keysOf('messages_');
    for (const [event_type, direction] of [
      ['dm.sent', 'received'],
      ['dm.received', 'sent'],
    ]) {
      const filter = { user_id: userOf(as), direction };
      expectInvalid(await subscribe(api, { event_type, filter }, { as }), /direction/);
    }
  }),
  rule('activity 17.2.8', async (api) => {
    expectInvalid(await subscribeBio(api, { webhook_id: NO_ID }), /^WebhookIdInvalid: /);
    expectInvalid(await subscribeBio(api, { webhook_id: 'none' }), /webhook_id/);
  }),
  rule('activity 17.2.9', async (api) => {
    const filter = newFilter(api);
    const { status, body } = await subscribeBio(api, { filter, tag: 'of a check' });
    assert.equal(status, 200);
    const { subscription } = body.data;
    const members = ['subscription_id', 'event_type', 'filter', 'tag', 'created_at', 'updated_at'];
    assert.deepEqual(Object.keys(subscription).sort(), members.sort());
    assert.deepEqual([subscription.event_type, subscription.filter, subscription.tag], [BIO, filter, 'of a check']);
    assert.ok(body.meta.total_subscriptions >= 1);
  }),
  rule('activity 17.2.10', async (api) => {
    const { filter } = await newSubscription(api);
    const message = /^Duplicate subscription: a subscription with this event_type and filter already exists\.$/;
    expectInvalid(await subscribeBio(api, { filter }), message);
  }),
  rule('activity 17.2.11', async (api) => {
    const { filter } = await newSubscription(api, { tag: 'one' });
    expectInvalid(await subscribeBio(api, { event_type: 'ProfileBioUpdate', filter, tag: 'two' }), /^Duplicate/);
  }),
  rule('activity 17.2.13', async (api) => {
    expectInvalid(await subscribe(api, { event_type: BIO }), /^\$\.filter: is missing but it is required$/);
  }),
  rule('activity 17.2.14', async (api) => {
    const reply = await subscribeBio(api, { filter: { user_id: NO_ID } });
    expectProblem(reply, 400, 'invalid-request');
    assert.deepEqual(reply.body.errors[0].parameters, { 'filter.user_id': [NO_ID] });
  }),
  rule('activity 17.2.15', async (api) => {
    const reply = await subscribe(api, undefined, { body: '{"event_type":', type: 'application/json' });
    expectStatus(reply, 400);
    assert.deepEqual([reply.body.title, reply.body.detail], ['Invalid Request', 'Invalid JSON']);
  }),
];

/** Checks of lists, changes and removals: 17.3 to 17.6. */
const changeRules: readonly Rule[] = [
  rule('activity 17.3.1', async (api) => {
    const as = await api.bearer();
    for (const max_results of ['0', '1001', 'many']) {
      const reply = await api.call({ path: `${SUBSCRIPTIONS}?max_results=${max_results}`, as });
      expectInvalid(reply, /max_results/);
    }
    expectStatus(await api.call({ path: `${SUBSCRIPTIONS}?max_results=1000`, as }), 200);
  }),
  rule('activity 17.3.2', async (api) => {
    const ids = [(await newSubscription(api)).subscription_id, (await newSubscription(api)).subscription_id];
    const { body } = await api.call({ path: `${SUBSCRIPTIONS}?max_results=1000`, as: await api.bearer() });
    assert.deepEqual(body.data.map((each: { subscription_id: string }) => each.subscription_id).slice(-2), ids);
    assert.equal(body.meta.result_count, body.data.length);
    assert.ok(body.meta.total_subscriptions >= 2);
  }),
  rule('activity 17.3.3', async (api) => {
    await newSubscription(api);
    await newSubscription(api);
    const as = await api.bearer();
    const first = await api.call({ path: `${SUBSCRIPTIONS}?max_results=1`, as });
    const { next_token } = first.body.meta;
    assert.match(next_token, /^[0-9a-v]{16,}$/);
    const second = await api.call({ path: `${SUBSCRIPTIONS}?max_results=1000&pagination_token=${next_token}`, as });
    assert.equal(second.body.meta.next_token, undefined);
    assert.notEqual(second.body.data[0].subscription_id, first.body.data[0].subscription_id);
  }),
  rule('activity 17.4.1', async (api) => {
    const { subscription_id } = await newSubscription(api, { tag: 'one' });
    const changed = await about(api, 'PUT', subscription_id, { tag: 'two' });
    assert.equal(changed.body.data.subscription.tag, 'two');
    const removed = await about(api, 'PUT', subscription_id, { tag: null });
    assert.equal('tag' in removed.body.data.subscription, false);
    expectProblem(await about(api, 'PUT', subscription_id, {}), 400, 'invalid-request');
  }),
  rule('activity 17.4.2', async (api) => {
    const { subscription_id, filter } = await newSubscription(api);
    for (const json of [{ event_type: BIO }, { filter }, { tag: 'a', filter }]) {
      expectProblem(await about(api, 'PUT', subscription_id, json), 400, 'invalid-request');
    }
  }),
  rule('activity 17.4.3', async (api) => {
    const { subscription_id } = await newSubscription(api);
    const { status, body } = await about(api, 'PUT', subscription_id, { tag: 'a' });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body.data), ['subscription', 'total_subscriptions']);
    assert.equal(body.data.total_subscriptions, body.meta.total_subscriptions);
  }),
  rule('activity 17.4.4', async (api) => {
    expectProblem(await about(api, 'PUT', NO_ID, { tag: 'a' }), 404, 'resource-not-found');
  }),
  rule('activity 17.5.1', async (api) => {
    const { subscription_id } = await newSubscription(api);
    const { status, body } = await about(api, 'DELETE', subscription_id);
    assert.deepEqual([status, body.data], [200, { deleted: true }]);
    assert.equal(typeof body.meta.total_subscriptions, 'number');
    expectProblem(await about(api, 'DELETE', subscription_id), 404, 'resource-not-found');
  }),
  rule('activity 17.5.2', async (api) => {
    const as = await api.bearer();
    const removeAll = (ids: string) => api.call({ method: 'DELETE', path: `${SUBSCRIPTIONS}?ids=${ids}`, as });
    const id = (await newSubscription(api)).subscription_id;
    const mixed = await removeAll(`${id},${NO_ID}`);
    expectStatus(mixed, 200);
    assert.deepEqual(mixed.body.data, [{ subscription_id: id, deleted: true }]);
    assert.deepEqual([mixed.body.errors[0].subscription_id, mixed.body.errors[0].reason], [NO_ID, 'NotFound']);
    const whole = await removeAll((await newSubscription(api)).subscription_id);
    assert.equal('errors' in whole.body, false);
    const tooMany = await removeAll(Array.from({ length: 101 }, (_, index) => String(index + 1)).join(','));
    expectProblem(tooMany, 400, 'invalid-request');
  }),
  rule('activity 21.2.7', async (api) => {
    const { body } = await about(api, 'DELETE', NO_ID);
    const { value, detail, title, resource_type, parameter, resource_id } = body.errors[0];
    assert.deepEqual(
      [value, resource_id, parameter, resource_type, title],
      [...[NO_ID, NO_ID, 'subscription_id'], ...['subscription', 'Not Found Error']],
    );
    assert.equal(detail, `Could not find subscription with subscription_id: [${NO_ID}].`);
  }),
];

/** Checks of section 17, and of names. */
export const subscriptionRules: readonly Rule[] = [...creationRules, ...changeRules];
