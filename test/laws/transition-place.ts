import assert from 'node:assert/strict';
import { formatInstant } from '../../src/base/instants.ts';
import { changeUserStatus } from '../../src/features/platform/user-status.ts';
import { type Owner, openOwner } from '../resources/audience-calls.ts';
import { TAG } from '../resources/conversion-calls.ts';
import { insertUpload } from '../resources/media-calls.ts';
import { hashOf, persons, remove, update } from '../resources/people-calls.ts';
import { type Client, clientOf, type Reply } from '../rig/client.ts';
import { register } from '../rig/people.ts';
import { person, settlePeople } from '../rig/people-of-directory.ts';
import type { World } from '../rig/world.ts';

type Params = Readonly<Record<string, string | number | boolean>>;

/** Members of every audience, and everybody in the directory. */
export const MEMBERS = 100;
const PEOPLE = 300;

/** The user id of a person of the directory; the first ones are members. */
export const userOf = (number: number): string => String(1_000_000 + number);

/** Takes everybody into the directory. */
export async function settleEverybody(world: World): Promise<void> {
  const known = (number: number) => ({
    identifiers: Uint8Array.from([...Buffer.from(hashOf(number), 'hex').subarray(0, 15), 0]),
  });
  await settlePeople(
    world,
    Array.from({ length: PEOPLE }, (_, number) => person(userOf(number), known(number))),
  );
}

/** An account with a campaign, a line item and a promoted post, and what may happen to them. */
export interface Place {
  readonly world: World;
  client: Client;
  account: string;
  path: string;
  instrument: string;
  campaign: string;
  line: string;
  otherLine: string;
  /** Its creatives, in the order in which they were promoted. */
  promoted: string[];
  /** The account that owns the audience, where that is another one. */
  owner: Owner | undefined;
  audience: string;
  permission: string;
  flexible: string;
  criterion: string;
  list: string;
  card: string;
  media: string;
  accountMedia: string;
  tag: string;
  /** Who writes its posts: the user who opened the account. */
  author: string;
  call(method: string, end: string, params?: Params): Promise<Reply>;
  /** The `data` of a call that succeeds. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  made(end: string, params: Params): Promise<any>;
  remove(end: string): Promise<void>;
  campaign_(params: Params): Promise<void>;
  line_(params: Params): Promise<void>;
  /** Stores columns that no call changes, as commands do. */
  store(resource: string, id: string, changes: Record<string, string | number>): Promise<void>;
  /** UTC text some seconds from now. */
  now(seconds?: number): string;
  /** What the campaign has spent. */
  spent(): Promise<number>;
  target(audience: string, operator: string, type?: string): Promise<void>;
  grant(level: string): Promise<void>;
  revoke(): Promise<void>;
  deleteAudience(): Promise<void>;
  takeIn(from: number, to: number): Promise<void>;
  takeOut(from: number, to: number): Promise<void>;
  optOut(from: number, to: number): Promise<void>;
  optIn(from: number, to: number): Promise<void>;
  promote(post?: Params): Promise<void>;
  /** Promotes a post instead of the one that it begins with. */
  promoteOnly(post: Promise<Params>): Promise<void>;
  cardPost(kind: 'components' | 'poll'): Promise<Params>;
  picturePost(): Promise<Params>;
  bookBanner(): Promise<void>;
  secondLine(): Promise<void>;
  measure(): Promise<void>;
  suspend(suspended: 0 | 1): Promise<void>;
}

/** Audiences with the members, and line items that include or exclude them. */
export const audiencesOf = {
  /** Of the account itself. */
  own:
    (operator: string) =>
    async (place: Place): Promise<void> => {
      place.audience = await filled(place.world, place.path);
      await place.target(place.audience, operator);
    },
  /** Of another account, which shares it. */
  shared:
    (operator: string, type?: string) =>
    async (place: Place): Promise<void> => {
      await share(place);
      await place.target(place.audience, operator, type);
    },
  /** Built from a shared one. */
  built:
    (operator: string) =>
    async (place: Place): Promise<void> => {
      await share(place);
      place.flexible = await combine(place.world, place.account, place.audience);
      await place.target(place.flexible, operator);
    },
  /** Built by another account from what a third one shares with it, and shared in turn. */
  sharedBuilt:
    (operator: string) =>
    async (place: Place): Promise<void> => {
      const between = await openOwner(place.world);
      await share({ ...place, account: between.account }, place);
      place.flexible = await combine(place.world, between.account, place.audience);
      await between.grant(place.flexible, { account: place.account } as Owner);
      await place.target(place.flexible, operator);
    },
};

async function share(grantee: Pick<Place, 'world' | 'account'>, place: Place = grantee as Place): Promise<void> {
  const owner = await openOwner(grantee.world);
  place.owner = owner;
  place.audience = await filled(grantee.world, owner.path);
  const granted = await owner.grant(place.audience, { account: grantee.account } as Owner, 'READ_WRITE');
  assert.equal(granted.status, 200, granted.text);
  place.permission = granted.body.data.id;
}

let audiences = 0;

async function filled({ sandbox }: World, path: string): Promise<string> {
  const made = await sandbox.call('POST', `${path}/custom_audiences`, { params: { name: `Readers ${++audiences}` } });
  const id = made.body.data.id as string;
  await sent(sandbox.call('POST', `${path}/custom_audiences/${id}/users`, { json: [update(persons(0, MEMBERS))] }));
  return id;
}

async function combine({ sandbox, service }: World, account: string, leaf: string): Promise<string> {
  const segments = { boolean_operator: 'OR', child_segments: [{ custom_audience_id: leaf, negate: false }] };
  const params = { name: `Built ${++audiences}`, audience_type: 'FLEXIBLE', segments };
  const json = [{ operation_type: 'Create', params }];
  const made = await sent(sandbox.call('POST', `/12/batch/accounts/${account}/custom_audiences`, { json }));
  await service.jobs.runDue();
  return made.body.data[0].id;
}

async function sent(call: Promise<Reply>): Promise<Reply> {
  const reply = await call;
  assert.equal(reply.status, 200, reply.text);
  return reply;
}

/**
 * Opens an account that delivers.
 * @param criteria what the line item targets, whatever happens
 */
export async function openPlace(
  world: World,
  given: (place: Place) => Promise<void>,
  criteria: readonly Params[],
  { byNewUser = false }: { readonly byNewUser?: boolean } = {},
): Promise<Place> {
  const place = placeIn(world);
  const founder = byNewUser ? await register(world) : undefined;
  const { sandboxUrl, store } = world.service;
  const client = founder ? clientOf(sandboxUrl, founder, world.clock) : world.sandbox;
  const opened = await sent(client.call('POST', '/12/accounts'));
  place.account = opened.body.data[0].id;
  if (founder) {
    place.author = founder.user;
    const member = {
      account_id: place.account,
      user_id: world.keys.user_id!,
      role: 'ACCOUNT_ADMIN',
      post_composer: 1,
    } as const;
    await store.write(async (tx) => {
      await tx.accountMembers.put(member);
      tx.invalidate(`account:${place.account}`);
    });
  }
  place.path = `/12/accounts/${place.account}`;
  place.instrument = (
    await place.made('funding_instruments', { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' })
  ).id;
  place.campaign = (
    await place.made('campaigns', {
      ...{ name: 'Autumn', funding_instrument_id: place.instrument, standard_delivery: false },
      daily_budget_amount_local_micro: 500_000_000,
    })
  ).id;
  place.line = (await place.made('line_items', { ...LINE, campaign_id: place.campaign })).id;
  for (const criterion of criteria) await place.made('targeting_criteria', { line_item_id: place.line, ...criterion });
  await place.promote();
  await given(place);
  return place;
}

const FRESH = 'Fresh coffee https://landing.example/coffee';

const LINE = {
  ...{ name: 'Readers', product_type: 'PROMOTED_POSTS', placements: 'ALL_ON_SERVICE', objective: 'WEBSITE_CLICKS' },
  ...{
    goal: 'LINK_CLICKS',
    pay_by: 'IMPRESSION',
    start_time: '2026-03-01',
    end_time: '2026-04-01',
    bid_strategy: 'AUTO',
  },
};

function placeIn(world: World): Place {
  const { store, services } = world.service;
  const resources = Object.fromEntries(services.resources) as Record<string, never>;
  const settled = () => ({ id: place.account, environment: 'sandbox', timezone: 'America/Los_Angeles' }) as const;
  const upload = (json: unknown) => (path: string) => sent(world.sandbox.call('POST', path, { json: [json] }));
  const toList = async (json: unknown): Promise<void> => {
    await upload(json)(`/12/batch/accounts/${place.account}/do_not_reach_lists/${place.list}/users`);
    await world.service.jobs.runDue();
  };
  const place: Place = {
    world,
    client: world.sandbox,
    ...{ account: '', path: '', instrument: '', campaign: '', line: '', otherLine: '', promoted: [], owner: undefined },
    ...{ audience: '', permission: '', flexible: '', criterion: '', list: '', card: '', media: '', accountMedia: '' },
    ...{ tag: '', author: world.keys.user_id! },
    call: (method, end, params = {}) => place.client.call(method, `${place.path}${end && `/${end}`}`, { params }),
    made: async (end, params) => (await sent(place.call('POST', end, params))).body.data,
    remove: async (end) => void (await sent(place.call('DELETE', end))),
    campaign_: async (params) => void (await sent(place.call('PUT', `campaigns/${place.campaign}`, params))),
    line_: async (params) => void (await sent(place.call('PUT', `line_items/${place.line}`, params))),
    async store(resource, id, changes) {
      const account = resource === 'accounts' ? undefined : place.account;
      await services.delivery.settleBeforeChange(settled());
      await store.write(async (tx) => {
        await tx.records.update(resources[resource]!, { account, id }, changes);
        tx.invalidate(`account:${place.account}`);
      });
    },
    now: (seconds = 0) => formatInstant(world.clock.now() + seconds * 1000),
    async spent() {
      await services.delivery.settleBeforeChange(settled());
      const range = { account: place.account, from: '', until: '9' };
      const days = await store.read((tx) => tx.deliveryLedger.listDays(range));
      const sum = days.reduce((all, { spend_local_micro }) => all + spend_local_micro, 0);
      assert.ok(sum > 0, 'nothing has been spent');
      return sum;
    },
    async target(targeting_value, operator_type, targeting_type = 'CUSTOM_AUDIENCE') {
      const criterion = { line_item_id: place.line, targeting_type, targeting_value, operator_type };
      place.criterion = (await place.made('targeting_criteria', criterion)).id;
    },
    async grant(level) {
      const granted = await place.owner!.grant(place.audience, { account: place.account } as Owner, level);
      assert.equal(granted.status, 200, granted.text);
    },
    async revoke() {
      const path = `/custom_audiences/${place.audience}/permissions/${place.permission}`;
      await sent(place.owner!.call('DELETE', path));
    },
    async deleteAudience() {
      const path = `${place.owner?.path ?? place.path}/custom_audiences/${place.audience}`;
      await sent(world.sandbox.call('DELETE', path));
      await world.service.jobs.runDue();
    },
    async takeIn(from, to) {
      await upload(update(persons(from, to)))(`${place.path}/custom_audiences/${place.audience}/users`);
    },
    async takeOut(from, to) {
      await upload(remove(persons(from, to)))(`${place.path}/custom_audiences/${place.audience}/users`);
    },
    async optOut(from, to) {
      place.list = (await place.made('do_not_reach_lists', {})).id;
      await toList(update(persons(from, to)));
    },
    optIn: (from, to) => toList(remove(persons(from, to))),
    async promote(post = { text: FRESH }) {
      const { id } = await place.made('post', post);
      const [promoted] = await place.made('promoted_posts', { line_item_id: place.line, post_ids: id });
      place.promoted.push(promoted.id);
    },
    async promoteOnly(post) {
      await place.remove(`promoted_posts/${place.promoted.pop()}`);
      await place.promote(await post);
    },
    async cardPost(kind) {
      const components = [
        { type: 'MEDIA', media_key: '3_42' },
        { type: 'DETAILS', title: 'Coffee', destination: { type: 'WEBSITE', url: 'https://landing.example/card' } },
      ];
      const poll = { first_choice: 'Tea', second_choice: 'Coffee', duration_in_minutes: 10_000 };
      const isPoll = kind === 'poll';
      const sending = isPoll ? { params: { name: 'Drinks', ...poll } } : { json: { name: 'Drinks', components } };
      const { data } = (await sent(place.client.call('POST', `${place.path}/cards${isPoll ? '/poll' : ''}`, sending)))
        .body;
      place.card = data.id;
      return { text: isPoll ? FRESH : 'Fresh coffee', card_uri: data.card_uri };
    },
    async picturePost() {
      place.media = await insertUpload(world, 'POST_IMAGE', { expires_at: null });
      await place.made('media_library', { media_key: place.media });
      return { text: FRESH, media_keys: place.media };
    },
    async bookBanner() {
      await place.remove(`promoted_posts/${place.promoted.pop()}`);
      const media_key = await insertUpload(world, 'POST_IMAGE', { width: 320, height: 50, expires_at: null });
      await place.made('media_library', { media_key });
      place.accountMedia = (await sent(place.call('GET', 'account_media'))).body.data[0].id;
      const banner = { line_item_id: place.line, account_media_id: place.accountMedia };
      place.promoted.push(
        (await place.made('media_creatives', { ...banner, landing_url: 'https://landing.example/' })).id,
      );
    },
    async secondLine() {
      place.otherLine = (await place.made('line_items', { ...LINE, campaign_id: place.campaign })).id;
    },
    async measure() {
      place.tag = (await place.made('web_event_tags', TAG)).id;
      await place.line_({ primary_web_event_tag: place.tag });
    },
    async suspend(suspended) {
      await services.delivery.settleBeforeChange(settled());
      await store.write((tx) => changeUserStatus(tx, place.author, { suspended }));
    },
  };
  return place;
}
