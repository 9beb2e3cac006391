import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { catalog } from '../../src/app/catalog.ts';
import { operations } from '../../src/app/dependencies.ts';
import { formatInstant } from '../../src/base/instants.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { AnyResource, Verb } from '../../src/contract/declare/resource.ts';
import { pollCards } from '../../src/features/ads/cards/poll-cards.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { findAdvertiserUserId } from '../../src/features/ads/promotable-users.ts';
import { CURATED_CATEGORIES } from '../../src/features/ads/reference/categories.ts';
import { targetingCriteria } from '../../src/features/ads/targeting-criteria.ts';
import { webEventTags } from '../../src/features/ads/web-event-tags.ts';
import { customAudiences } from '../../src/features/audiences/custom-audiences.ts';
import type { Client, Reply, Sent } from '../rig/client.ts';
import type { World } from '../rig/world.ts';
import { COMPONENTS, goodValue } from './samples.ts';
import { rowsOf, seed } from './seeds.ts';
import { addStatsJob } from './stats-job.ts';

export { goodValue, sampleOf } from './samples.ts';
export { seed } from './seeds.ts';

/** Every declared resource of the catalog. */
export const resources: readonly AnyResource[] = catalog.filter((entry): entry is AnyResource => 'fields' in entry);

/** Every operation that acts on an account, or on accounts. */
export const accountOperations: readonly Operation[] = operations.filter((each) => each.family === 'ads');

/** The operation of a resource for a verb, if it has one. */
export function operationOf(resource: AnyResource, verb: Verb | 'batch'): Operation | undefined {
  return operations.find((each) => each.id === `${resource.plural}.${verb}`);
}

/** A sandbox account for a test, and a client of its administrator. */
export interface TestAccount {
  readonly world: World;
  readonly client: Client;
  readonly account: string;
}

/** Creates a sandbox account, of user one unless another client is given. */
export async function openTestAccount(world: World, client: Client = world.sandbox): Promise<TestAccount> {
  const made = await client.call('POST', '/12/accounts');
  assert.equal(made.status, 200, made.text);
  const account = made.body.data[0].id;
  // Another world had the same ids.
  PARENTS.delete(account);
  // What some parameters ask of the account.
  await world.service.store.write((tx) =>
    tx.accountMembers.addFeatures(account, [
      'REACH_FREQUENCY_CAP',
      'PROMOTED_MEDIA_POLLS',
      'SHARE_AUDIENCE_OUTSIDE_BUSINESS',
    ]),
  );
  return { world, client, account };
}

/** A call to be sent. */
export interface Prepared {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
}

/** Sends a prepared call. */
export function send(client: Client, { method, path, sent }: Prepared): Promise<Reply> {
  return client.call(method, path, sent);
}

/** Fills in a path template; segments that are not named get the ids of the parent rows of the account. */
export function fill(template: string, names: Readonly<Record<string, string>>): string {
  const parents = PARENTS.get(names.account_id ?? '');
  return template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(names[name] ?? parents?.[name] ?? 'zz9'));
}

/** Ids of parent rows, by account and path parameter. */
const PARENTS = new Map<string, Record<string, string>>();

/** The id of a parent row of the account, by its path parameter. */
export function parentOf({ account }: TestAccount, parameter: string): string {
  return PARENTS.get(account)![parameter]!;
}

/** Creates the parent rows that a resource needs, once an account. */
export async function addParents(setup: TestAccount, { parent: below }: AnyResource): Promise<void> {
  if (!below || PARENTS.has(setup.account)) return;
  const { id } = await make(setup, customAudiences as unknown as AnyResource);
  PARENTS.set(setup.account, { custom_audience_id: id, tailored_audience_id: id });
}

/** The path of the collection of a resource of the test account. */
export function collection(setup: TestAccount, resource: AnyResource): string {
  return fill(operationOf(resource, 'list')!.path, { account_id: setup.account });
}

/** The collection as lists ask for it: of all parents that there are, where a list must name them. */
export async function listed(setup: TestAccount, resource: AnyResource): Promise<string> {
  const path = collection(setup, resource);
  const required = resource.list?.requiredFilters ?? [];
  if (required.length === 0) return path;
  const ids = (await rowsOf(setup, lineItems)).map(({ id }) => id).slice(0, 200);
  return `${path}?${new URLSearchParams({ line_item_ids: ids.join(',') || 'zz9' })}`;
}

/** Whether an operation of a resource takes a parameter. */
export function takes(resource: AnyResource, verb: Verb, parameter: string): boolean {
  return parameter in (operationOf(resource, verb)?.parameters ?? {});
}

/** The id of a serialized row, or its media key. */
export function idOf(row: { readonly id?: string; readonly media_key?: string }): string {
  return (row.id ?? row.media_key)!;
}

/** An id (or media key) that no row of the resource has. */
export function absentId(resource: AnyResource): string {
  return resource.key ? '3_9' : 'zz9';
}

/** Creates a line item; `kind` overrides its parameters. */
export async function lineItem(setup: TestAccount, kind: Record<string, string> = {}): Promise<string> {
  const operation = operationOf(lineItems, 'create')!;
  const params = { ...(await goodParameters(setup, operation)), ...kind };
  const reply = await setup.client.call('POST', collection(setup, lineItems), { params });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

/** What makes a line item one for videos before others. */
const PREROLL_LINE = {
  objective: 'PREROLL_VIEWS',
  product_type: 'MEDIA',
  goal: 'PREROLL',
  pay_by: 'VIEW_3S_100PCT',
  categories: 'IAB7',
};

/** What conversation cards need of each other's parameters. */
const CONVERSATION: Record<string, string> = {
  title: 'Sample',
  ...Object.fromEntries(
    ['second', 'third', 'fourth'].flatMap((each) => [
      [`${each}_cta`, '#Sample'],
      [`${each}_cta_post`, 'Sample'],
    ]),
  ),
};

/** What objects of JSON need that no text can say. */
const OBJECTS: Readonly<Record<string, object>> = { 'cards.create': { components: COMPONENTS } };

let audienceNumber = 1;
let mediaNumber = 1_730_000_000_000_000;

/** What makes a line item one for promoted accounts. */
export const ACCOUNT_LINE = { objective: 'FOLLOWERS', product_type: 'PROMOTED_ACCOUNT' };

/** What rows need of the rows that they point to. */
const NEEDS: Readonly<Record<string, (setup: TestAccount) => Promise<Record<string, string>>>> = {
  promoted_accounts: async (setup) => ({
    line_item_id: await lineItem(setup, ACCOUNT_LINE),
    user_id: await advertiser(setup),
  }),
  draft_posts: async (setup) => ({
    text: 'Sample',
    media_keys: '7_42',
    as_user_id: await advertiser(setup),
  }),
  scheduled_posts: async (setup) => ({
    text: 'Sample',
    media_keys: '7_42',
    as_user_id: await advertiser(setup),
  }),
  posts: async (setup) => ({ text: 'Sample', as_user_id: await advertiser(setup), media_keys: '7_42' }),
  promoted_posts: async (setup) => ({
    line_item_id: await lineItem(setup),
    post_ids: await publishedPost(setup),
  }),
  ...Object.fromEntries(
    ['draft_posts.list', 'scheduled_posts.list', 'posts.list'].map((id) => [
      id,
      async (setup: TestAccount) => ({ user_id: await advertiser(setup) }),
    ]),
  ),
  custom_audiences: async () => ({ name: `Sample ${audienceNumber++}` }),
  ...Object.fromEntries(
    ['custom_audience_permissions', 'tailored_audience_permissions'].map((plural) => [
      plural,
      async (setup: TestAccount) => ({ granted_account_id: await anotherAccount(setup) }),
    ]),
  ),
  do_not_reach_lists: async (setup) => {
    await dropList(setup);
    return {};
  },
  media_library: async () => ({ media_key: `7_${mediaNumber++}` }),
  poll_cards: async () => ({ third_choice: 'Third', fourth_choice: 'Fourth' }),
  video_conversation_cards: async () => CONVERSATION,
  image_conversation_cards: async () => CONVERSATION,
  media_creatives: async (setup) => ({ line_item_id: await lineItem(setup, PREROLL_LINE) }),
  preroll_call_to_actions: async (setup) => ({ line_item_id: await lineItem(setup, PREROLL_LINE) }),
  line_item_curated_categories: async (setup) => {
    const line_item_id = await lineItem(setup);
    const params = { line_item_id, targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' };
    const reply = await setup.client.call('POST', collection(setup, targetingCriteria), { params });
    assert.equal(reply.status, 200, reply.text);
    return { line_item_id };
  },
};

async function anotherAccount({ client }: TestAccount): Promise<string> {
  return (await client.call('POST', '/12/accounts')).body.data[0].id;
}

/** An account has one list at most: what was there makes room. */
async function dropList({ client, account }: TestAccount): Promise<void> {
  const path = `/12/accounts/${account}/do_not_reach_lists`;
  for (const { id } of (await client.call('GET', path)).body.data) await client.call('DELETE', `${path}/${id}`);
}

/** Valid `params` of a Create operation in a batch. */
export async function batchParameters(setup: TestAccount, resource: AnyResource): Promise<Record<string, unknown>> {
  const params = await goodParameters(setup, operationOf(resource, 'create')!);
  if (!resource.batch?.creating) return params;
  const leaf = { custom_audience_id: (await make(setup, resource)).id };
  const segments = { boolean_operator: 'OR', child_segments: [leaf] };
  return { ...params, audience_type: 'FLEXIBLE', segments };
}

/** A published post of the user whom the account advertises. */
async function publishedPost(setup: TestAccount): Promise<string> {
  const path = `/12/accounts/${setup.account}/post`;
  const reply = await setup.client.call('POST', path, { params: { text: 'Sample' } });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data.id;
}

async function advertiser(setup: TestAccount): Promise<string> {
  return setup.world.service.services.store.read((tx) => findAdvertiserUserId(tx, setup.account));
}

/** Good values for the required parameters of an operation; references point to rows made for it. */
export async function goodParameters(setup: TestAccount, operation: Operation): Promise<Record<string, string>> {
  const needs = NEEDS[operation.id.endsWith('.create') ? operation.group : operation.id];
  const needed = await needs?.(setup);
  const params: Record<string, string> = { ...needed };
  for (const [name, field] of Object.entries(operation.parameters)) {
    if (!field.isRequired || name in params) continue;
    const target = field.target?.() as AnyResource | undefined;
    params[name] = target ? (await make(setup, target)).id : goodValue(operation, name);
  }
  return params;
}

/** What is sent to an operation so that it succeeds, in the form that it takes. */
async function goodSent(setup: TestAccount, operation: Operation): Promise<Sent> {
  const params = await goodParameters(setup, operation);
  return operation.body === 'object' ? { json: { ...params, ...OBJECTS[operation.id] } } : { params };
}

/** Makes one row of a resource through the interface, as the administrator. */
export async function make(
  setup: TestAccount,
  resource: AnyResource,
): Promise<{ id: string } & Record<string, unknown>> {
  await addParents(setup, resource);
  const operation = operationOf(resource, 'create');
  if (!operation) return found(setup, resource, (await seed(setup, resource, 1)).at(-1)!.id);
  const sent = await goodSent(setup, operation);
  const reply = await setup.client.call('POST', fill(operation.path, { account_id: setup.account }), sent);
  assert.equal(reply.status, 200, `${operation.id}: ${reply.text}`);
  const [row] = [reply.body.data].flat();
  return { ...row, id: idOf(row) };
}

/** A row as the interface shows it. */
async function found(setup: TestAccount, resource: AnyResource, id: string): Promise<{ id: string }> {
  const path = fill(operationOf(resource, 'get')!.path, {
    account_id: setup.account,
    [resource.idParameter]: id,
  });
  const reply = await setup.client.call('GET', path);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.data;
}

/** A call of an operation that succeeds, by the administrator or a user whose id is given; rows that it needs are made. */
export async function goodCall(setup: TestAccount, operation: Operation, user?: string): Promise<Prepared> {
  const resource = resources.find((each) => operation.id.startsWith(`${each.plural}.`));
  const names: Record<string, string> = {
    account_id: setup.account,
    curated_category_id: CURATED_CATEGORIES[0]!.id,
  };
  if (resource) await addParents(setup, resource);
  if (resource?.scope === 'account' && operation.path.includes(`:${resource.idParameter}`)) {
    names[resource.idParameter] = (await make(setup, resource)).id;
  }
  if (operation.path.includes(':post_id')) names.post_id = await publishedPost(setup);
  if (operation.path.includes(':user_id')) names.user_id = user ?? (await administratorOf(setup));
  if (operation.id === 'cards_all.get') names.card_id = (await make(setup, pollCards)).id;
  if (operation.path.includes(':job_id')) names.job_id = await addStatsJob(setup.world, setup.account);
  const path = fill(operation.path, names);
  if (operation.id === 'audience_estimate.create') {
    return {
      method: operation.method,
      path,
      sent: { json: [{ targeting_type: 'INTEREST', targeting_value: '1001' }] },
    };
  }
  if (operation.id === 'conversions.send') {
    const { id: event_id } = await make(setup, webEventTags);
    const conversion_time = formatInstant(setup.world.clock.now());
    const conversions = [{ conversion_time, event_id, identifiers: [{ click_id: 'sample' }] }];
    return { method: operation.method, path, sent: { json: { conversions } } };
  }
  if (operation.body === 'bytes') {
    const person = { email: [hash('sha256', 'ada.park@example.com')] };
    return {
      method: operation.method,
      path,
      sent: { json: [{ operation_type: 'Update', params: { users: [person] } }] },
    };
  }
  if (operation.body === 'json') {
    const item = { operation_type: 'Create', params: await batchParameters(setup, resource!) };
    return { method: operation.method, path, sent: { json: [item] } };
  }
  return { method: operation.method, path, sent: await goodSent(setup, operation) };
}

/** Whoever made the account. */
function administratorOf({ world, account }: TestAccount): Promise<string> {
  return world.service.store.read((tx) => findAdvertiserUserId(tx, account));
}

/** Whoever sees the seeded rows: user two sees nothing but the accounts that were seeded. */
export function reader(setup: TestAccount, resource: AnyResource): Client {
  return resource.scope === 'user' ? setup.world.other : setup.client;
}
