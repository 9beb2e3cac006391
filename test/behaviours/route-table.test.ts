// On either database: what is tried here is decided before the database is asked.
// Of one node: the views of pages are counted by each.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import type { Page } from '../../src/contract/declare/pages.ts';
import { RATES, type RateSetting } from '../../src/contract/declare/rates.ts';
import { PREVIEW_PATH } from '../../src/features/ads/previews/preview-url.ts';
import { rateSettings } from '../../src/settings/rates.ts';
import { browserOf } from '../rig/browser.ts';
import { presenting } from '../rig/good-calls.ts';
import { register } from '../rig/people.ts';
import { LONGEST_WINDOW_S } from '../rig/rate-windows.ts';
import { rawCall } from '../rig/raw.ts';
import { sampled } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';
import { fill, openTestAccount } from './test-account.ts';

/** A number of its own for each limit, by which replies show what they counted. */
const LIMITS = Object.fromEntries(Object.keys(rateSettings).map((name, at) => [name, 1_000_000 + at])) as Readonly<
  Record<RateSetting, number>
>;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

let world: World;
let account: string;
before(async () => {
  world = await openWorld({
    nodes: 1,
    flags: { ...LIMITS, rate_page_views_per_15min: 1, rate_requests_per_address_per_min: 1_000_000 },
  });
  ({ account } = await openTestAccount(world));
});
after(() => world.close());

const allowed = (methods: readonly string[]): string =>
  [...methods.flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each])), 'OPTIONS'].sort().join(', ');
const allowOf = ({ headers }: Response): string => (headers.get('allow') ?? '').split(', ').sort().join(', ');

describe('every page', () => {
  /** Pages that strangers see without a limit: what others embed, and what reads nothing for them. */
  const UNLIMITED = [PREVIEW_PATH, '/logout', '/login/unsent'];
  const addressOf = ({ path }: Page): string => world.service.url + path.replaceAll(/:\w+/g, '1');

  test('that strangers see limits their views by address', async () => {
    const limited: string[] = [];
    for (const page of world.service.pages) {
      world.clock.advance(901);
      const stranger = browserOf(world.service.url);
      const statuses: number[] = [];
      for (let view = 0; view < 2; view++) {
        const { status } = await stranger.get(new URL(addressOf(page)).pathname);
        statuses.push(status);
      }
      const isShown = statuses[0] !== 303;
      assert.equal(statuses[1] === 429, isShown && !UNLIMITED.includes(page.path), `${page.path}: ${statuses}`);
      if (page.isRateLimited) limited.push(page.path);
    }
    assert.deepEqual(limited.slice(0, 2), ['/oauth/authorize', '/oauth/authenticate']);
  });

  test('has its methods and no others', async () => {
    for (const page of world.service.pages) {
      for (const method of [...METHODS, 'HEAD', 'OPTIONS']) {
        const isOne = (page.methods as readonly string[]).includes(method === 'HEAD' ? 'GET' : method);
        const reply = await fetch(addressOf(page), { method, redirect: 'manual' });
        await reply.arrayBuffer();
        const expected = method === 'OPTIONS' ? 204 : isOne ? reply.status : 405;
        assert.deepEqual([reply.status, reply.status === 405], [expected, !isOne && method !== 'OPTIONS'], page.path);
        assert.equal(allowOf(reply), isOne ? '' : allowed(page.methods), `${method} ${page.path}`);
      }
    }
  });
});

describe('every operation', () => {
  const here = operations.filter(({ onlyIn = 'sandbox' }) => onlyIn === 'sandbox');

  test('has its methods and no others', async () => {
    const paths = Map.groupBy(
      here.flatMap((operation) => [operation.path, ...(operation.aliases ?? [])].map((path) => ({ path, operation }))),
      ({ path }) => path,
    );
    const cases = [...paths].flatMap(([path, own]) =>
      METHODS.map((method) => ({
        ...{ path, method, isFormer: own.every(({ operation }) => operation.replacedBy !== undefined) },
        methods: [
          ...new Set(own.flatMap(({ operation: { method, allowsGet } }) => (allowsGet ? ['GET', method] : method))),
        ],
        family: own[0]!.operation.family,
      })),
    );
    const tried = sampled(
      cases,
      ({ method, methods, family, isFormer }) => `${method} ${methods} ${family} ${isFormer}`,
      ({ method, path }) => `${method} ${path}`,
    );
    for (const { path, method, methods, isFormer } of tried) {
      const reply = await fetch(world.service.sandboxUrl + fill(path, { account_id: account }), { method });
      await reply.arrayBuffer();
      const isOne = methods.includes(method);
      const refusal = isOne ? undefined : isFormer ? 404 : 405;
      assert.equal(
        [404, 405].find((each) => each === reply.status),
        refusal,
        `${method} ${path}: ${reply.status}`,
      );
      assert.equal(allowOf(reply), refusal === 405 ? allowed(methods) : '', `${method} ${path}`);
    }
  });

  test('has roles exactly where its path has an account', () => {
    for (const { id, path, roles } of operations) assert.equal(path.includes(':account_id'), roles !== undefined, id);
  });

  const tried = sampled(
    // It would delete the account of all.
    here.filter(({ id }) => id !== 'accounts.remove'),
    ({ rate, credential, deprecation, replacedBy }) =>
      `${rate} ${credential} ${deprecation !== undefined} ${replacedBy !== undefined}`,
    ({ id }) => id,
  );
  for (const operation of tried) {
    test(`${operation.id} counts as its rate says, and announces what is deprecated`, async () => {
      const { id, rate, method, path, roles, credential, replacedBy, deprecation } = operation;
      // Calls of the others may revoke what they are signed with.
      const keys = roles ? world.keys : await register(world);
      world.clock.advance(LONGEST_WINDOW_S);
      const present = await presenting(world, keys, credential);
      // A stream that is opened as it should be would not end.
      const query = operation.shape === 'stream' ? `?${Object.keys(operation.parameters)[0]}=%20` : '';
      const target = fill(path, { account_id: account }) + query;
      const call = (origin: string) => rawCall(origin, world.clock, { method, target, ...present() });
      const { headers, text } = await call(world.service.sandboxUrl);
      const { perAccount, setting, ofBothListeners } = RATES[rate];
      const limit = LIMITS[perAccount ? RATES.user_quota.setting : setting];
      assert.equal(Number(headers.get('x-rate-limit-limit')), limit, `${id}: ${text}`);
      assert.equal(Number(headers.get('x-rate-limit-remaining')), limit - 1, id);
      assert.equal(headers.get('x-account-rate-limit-limit'), perAccount ? String(LIMITS[setting]) : null, id);
      assert.equal(headers.get('deprecation') !== null, deprecation !== undefined, id);
      assert.ok(replacedBy === undefined || headers.has('x-api-warn'), id);
      const isOfTokens = path.includes('oauth');
      assert.equal(ofBothListeners ?? false, isOfTokens, id);
      // What is signed for one listener is of no use to the other, nor is a token that has been revoked.
      if (operation.onlyIn || roles || credential === 'consumer' || credential === 'request-token') return;
      if (id === 'oauth.invalidate_token') return;
      const other = await call(world.service.url);
      assert.equal(Number(other.headers.get('x-rate-limit-remaining')), isOfTokens ? limit - 2 : limit - 1, id);
    });
  }
});

describe('every choice', () => {
  /** The texts that a parameter takes, if its kind has a list of them. */
  function choicesOf({ parameters }: Operation, name: string): readonly string[] {
    type Choices = { readonly anyOf?: readonly { readonly const?: string | number }[]; readonly items?: Choices };
    const { anyOf, items } = parameters[name]!.kind.schema as Choices;
    return (anyOf ?? items?.anyOf ?? []).flatMap((each) => (each.const === undefined ? [] : String(each.const)));
  }
  const LISTED = /^Expected a value in (.*), got /;
  const parameters = operations
    .filter(({ family, body, formOnly }) => family === 'ads' && body === 'form' && !formOnly)
    .flatMap((operation) => Object.keys(operation.parameters).map((name) => ({ operation, name })))
    .filter(({ operation, name }) => name === 'sort_by' || choicesOf(operation, name).length > 0);

  /** What is said of a value of a parameter, if it is wrong; the rest of the call may be wrong too. */
  async function saidOf({ method, path }: Operation, name: string, value: string): Promise<string> {
    world.clock.advance(1);
    const target = `${fill(path, { account_id: account })}?${new URLSearchParams({ [name]: value })}`;
    const { keys } = world;
    const { status, body, text } = await rawCall(world.service.sandboxUrl, world.clock, { method, target, keys });
    assert.ok(status < 500, `${method} ${target}: ${text}`);
    const errors: { parameter?: string; message: string }[] = body.errors ?? [];
    return errors.find(({ parameter }) => parameter === name)?.message ?? '';
  }

  const tried = sampled(
    parameters,
    ({ operation, name }) =>
      `${name === 'sort_by'} ${operation.parameters[name]!.kind.name} ${operation.method} ${operation.parameters[name]!.isRequired}`,
    ({ operation, name }) => `${operation.id} ${name}`,
  );
  for (const { operation, name } of tried) {
    test(`that ${operation.id} offers for ${name} is taken, and nothing else`, async () => {
      const declared = choicesOf(operation, name);
      const refusal = await saidOf(operation, name, '~');
      assert.notEqual(refusal, '');
      const offered = LISTED.exec(refusal)?.[1]?.split(', ') ?? declared;
      if (declared.length > 0) assert.deepEqual(offered.toSorted(), declared.toSorted());
      const some = sampled(
        offered,
        () => '',
        (choice) => `${operation.id} ${name} ${choice}`,
      );
      assert.ok(some.length > 0);
      for (const choice of some)
        assert.doesNotMatch(await saidOf(operation, name, choice), LISTED, `${name}=${choice}`);
    });
  }
});
