import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Reply } from '../rig/client.ts';
import type { Api, CallOptions } from './api.ts';
import { expectStatus } from './expect.ts';
import { type Rule, rule, Skipped } from './rule.ts';

/** Parameters of a call. */
export type Values = Readonly<Record<string, string | number | boolean>>;

// biome-ignore lint/suspicious/noExplicitAny: checks look into replies of every shape
export type Json = any;

/** The account that checks read and write. In a sandbox it is made for the run, and removed after it with all it has. */
export interface Account {
  readonly api: Api;
  readonly id: string;
  readonly isSandbox: boolean;
  /** Calls a path below the account, or an absolute one. Values are in the query of GET and DELETE, else in a form. */
  call(method: string, path: string, values?: Values, options?: Partial<CallOptions>): Promise<Reply>;
  /** Reads a path below the account, or an absolute one. */
  get(path: string, values?: Values): Promise<Reply>;
  /** Sends a JSON array to the batch endpoint of a kind of rows. */
  batch(kind: string, json: unknown): Promise<Reply>;
  /** Creates a row, and removes it after the check. */
  create(path: string, values?: Values): Promise<Json>;
  /** A funding instrument that is able to fund. @throws Skipped when there is none */
  instrument(): Promise<Json>;
  /** Creates a campaign. */
  campaign(values?: Values): Promise<Json>;
  /** Creates a line item with the objective ENGAGEMENTS, in a new campaign unless told. */
  lineItem(values?: Values): Promise<Json>;
  /** @throws Skipped outside a sandbox */
  onlyInSandbox(): void;
}

/** Ties a check of an account to a sentence. */
export function accountRule(id: string, check: (account: Account) => Promise<void>): Rule {
  return rule(id, async (api) => check(await openAccount(api)));
}

/** The account of a run, for one check. */
async function openAccount(api: Api): Promise<Account> {
  const { id, isSandbox } = await api.shared('account', makeAccount);
  return accountOn(api, id, isSandbox);
}

async function makeAccount(api: Api): Promise<{ readonly id: string; readonly isSandbox: boolean }> {
  const made = await callPatiently(api, { method: 'POST', path: '/12/accounts' });
  if (made.status === 405) return { id: await api.accountId(), isSandbox: false };
  const id: string = dataOf(made)[0].id;
  api.finally(() => callPatiently(api, { method: 'DELETE', path: `/12/accounts/${id}` }));
  return { id, isSandbox: true };
}

function accountOn(api: Api, id: string, isSandbox: boolean): Account {
  const call: Account['call'] = (method, path, values = {}, options = {}) => {
    const pairs = Object.entries(values).map(([name, value]) => [name, String(value)] as const);
    const isForm = pairs.length > 0 && (method === 'POST' || method === 'PUT');
    const query = pairs.length > 0 && !isForm ? `?${new URLSearchParams(pairs as unknown as [string, string][])}` : '';
    const absolute = path.startsWith('/') ? path : `/12/accounts/${id}/${path}`;
    return callPatiently(api, { method, path: absolute + query, ...(isForm && { form: pairs }), ...options });
  };
  const create: Account['create'] = async (path, values) => {
    const row = dataOf(await call('POST', path, values));
    if (!isSandbox) api.finally(() => call('DELETE', `${path}/${row.id}`));
    return row;
  };
  const account: Account = {
    api,
    id,
    isSandbox,
    call,
    get: (path, values) => call('GET', path, values),
    batch: (kind, json) => call('POST', `/12/batch/accounts/${id}/${kind}`, {}, { json }),
    create,
    instrument: () => api.shared('instrument', (shared) => findInstrument(accountOn(shared, id, isSandbox))),
    async campaign(values) {
      const { id: funding_instrument_id } = await account.instrument();
      return create('campaigns', { name: 'Conformance', funding_instrument_id, entity_status: 'PAUSED', ...values });
    },
    async lineItem(values) {
      const campaign_id = values?.campaign_id ?? (await account.campaign()).id;
      return create('line_items', { ...LINE_ITEM, ...values, campaign_id });
    },
    onlyInSandbox() {
      if (!isSandbox) throw new Skipped('only a sandbox has this call');
    },
  };
  return account;
}

/** A good line item but for its campaign. */
export const LINE_ITEM = {
  objective: 'ENGAGEMENTS',
  product_type: 'PROMOTED_POSTS',
  placements: 'ALL_ON_SERVICE',
  entity_status: 'PAUSED',
} as const;

/** A good funding instrument. */
export const CREDIT_CARD = { type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01T00:00:00Z' } as const;

async function findInstrument(account: Account): Promise<Json> {
  if (account.isSandbox) return account.create('funding_instruments', CREDIT_CARD);
  const found = dataOf(await account.get('funding_instruments')).find((row: Json) => row.able_to_fund);
  if (!found) throw new Skipped('the account has no funding instrument that is able to fund');
  return found;
}

/** Sends a call again, once, after the time that a 429 asks for. */
async function callPatiently(api: Api, options: CallOptions): Promise<Reply> {
  const reply = await api.call(options);
  if (reply.status !== 429) return reply;
  await wait(Number(reply.headers.get('retry-after')) * 1000);
  return api.call(options);
}

/** The data of a successful reply. */
export function dataOf(reply: Reply): Json {
  expectStatus(reply, 200);
  return reply.body.data;
}

/** The ids of a list. */
export function idsOf(reply: Reply): string[] {
  return dataOf(reply).map(({ id }: Json) => id);
}

/** The echo of a reply. */
export function echoOf(reply: Reply): Json {
  expectStatus(reply, 200);
  return reply.body.request.params;
}

/** Expects errors, in their order; of each, the members that are named. */
export function expectErrors(reply: Reply, status: number, ...errors: readonly Json[]): void {
  expectStatus(reply, status);
  assert.deepEqual(namedIn(reply.body.errors, errors), errors, reply.text);
}

/** Expects errors of the items of a batch; of each, the members that are named. */
export function expectItemErrors(reply: Reply, ...items: readonly (readonly Json[])[]): void {
  expectStatus(reply, 400);
  assert.ok(!('data' in reply.body), 'a failed batch has data');
  const found: readonly Json[] = reply.body.operation_errors;
  assert.deepEqual(
    found.map((errors, index) => namedIn(errors, items[index] ?? [])),
    items,
    reply.text,
  );
}

function namedIn(found: readonly Json[], expected: readonly Json[]): Json[] {
  return found.map((error, index) =>
    Object.fromEntries(Object.keys(expected[index] ?? error).map((name) => [name, error[name]])),
  );
}

/** An error of a parameter: `INVALID_PARAMETER` unless told. */
export function invalid(message: string, parameter?: string): Json {
  return { code: 'INVALID_PARAMETER', message, ...(parameter !== undefined && { parameter }) };
}

/** An error of a missing parameter. */
export function missing(parameter: string): Json {
  return { code: 'MISSING_PARAMETER', message: `"${parameter}" is a required parameter`, parameter };
}

/** An error of an entity rule. */
export function refused(attribute: string, message?: string): Json {
  return { code: 'INVALID', attribute, ...(message !== undefined && { message }) };
}
