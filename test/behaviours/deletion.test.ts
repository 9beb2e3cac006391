import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import type { Sent } from '../rig/client.ts';
import { openWorld, type World } from '../rig/world.ts';
import {
  absentId,
  addParents,
  fill,
  goodParameters,
  idOf,
  listed,
  make,
  openTestAccount,
  operationOf,
  resources,
  type TestAccount,
  takes,
} from './test-account.ts';

let world: World;
before(async () => {
  // What was made stays as it is told while it is read.
  world = await openWorld({ flags: { rate_limits: 'off', audience_processing_delay_sandbox_s: 3600 } });
});
after(() => world.close());

/** What is said of a thing that is not there. @source campaigns 2.2 and 2.3 */
const NOT_FOUND: Record<string, readonly [code: string, kind: string]> = {
  accounts: ['NOT_FOUND', 'Account'],
  funding_instruments: ['FUNDING_INSTRUMENT_NOT_FOUND', 'Funding instrument'],
  campaigns: ['CAMPAIGN_NOT_FOUND', 'Campaign'],
  line_items: ['LINE_ITEM_NOT_FOUND', 'Line item'],
  targeting_criteria: ['TARGETING_CRITERION_NOT_FOUND', 'Targeting criterion'],
  promoted_accounts: ['PROMOTED_ACCOUNT_NOT_FOUND', 'Promoted account'],
  tracking_tags: ['NOT_FOUND', 'Tracking tag'],
  web_event_tags: ['NOT_FOUND', 'Web event tag'],
  line_item_curated_categories: ['NOT_FOUND', 'Line item curated category'],
  draft_posts: ['NOT_FOUND', 'Draft post'],
  scheduled_posts: ['NOT_FOUND', 'Scheduled post'],
  cards: ['CARD_NOT_FOUND', 'Card'],
  poll_cards: ['CARD_NOT_FOUND', 'Poll card'],
  video_conversation_cards: ['CARD_NOT_FOUND', 'Video conversation card'],
  image_conversation_cards: ['CARD_NOT_FOUND', 'Image conversation card'],
  promoted_posts: ['PROMOTED_POST_NOT_FOUND', 'Promoted post'],
  scheduled_promoted_posts: ['NOT_FOUND', 'Scheduled promoted post'],
  account_media: ['ACCOUNT_MEDIA_NOT_FOUND', 'Account media'],
  media_library: ['MEDIA_NOT_FOUND', 'Media'],
  media_creatives: ['MEDIA_CREATIVE_NOT_FOUND', 'Media creative'],
  preroll_call_to_actions: ['NOT_FOUND', 'Preroll call to action'],
  custom_audiences: ['CUSTOM_AUDIENCE_NOT_FOUND', 'Custom audience'],
  custom_audience_permissions: ['NOT_FOUND', 'Custom audience permission'],
  tailored_audience_permissions: ['NOT_FOUND', 'Tailored audience permission'],
  do_not_reach_lists: ['NOT_FOUND', 'Do-not-reach list'],
};

for (const resource of resources.filter((each) => operationOf(each, 'remove'))) {
  describe(`deletion of ${resource.plural}`, () => {
    let setup: TestAccount;
    before(async () => {
      setup = await openTestAccount(world);
    });
    const isGot = operationOf(resource, 'get') !== undefined;
    const pathOf = (id: string): string =>
      fill(operationOf(resource, 'remove')!.path, { account_id: setup.account, [resource.idParameter]: id });
    const gone = (id: string) => {
      const [code, kind] = NOT_FOUND[resource.plural]!;
      return [{ code, message: `${kind} ${id} was not found`, parameter: resource.idParameter, value: id }];
    };

    test('deletes once; afterwards it is found only with deleted rows', async () => {
      const { id, ...made } = await make(setup, resource);
      const path = pathOf(id);
      const all = await listed(setup, resource);
      world.clock.advance(90);

      const deleted = await setup.client.call('DELETE', path);
      assert.equal(deleted.status, 200, deleted.text);
      assert.equal(idOf(deleted.body.data), id);
      if (!resource.deletion?.omitsFlag) assert.equal(deleted.body.data.deleted, true);
      assert.notEqual(deleted.body.data.updated_at, made.updated_at);
      assert.equal(deleted.body.data.created_at, made.created_at);
      assert.equal(deleted.body.request.params[resource.idParameter], id);

      const needed = sentWith(resource, await neededParameters(setup, resource));
      const calls = {
        DELETE: {},
        ...(isGot ? { GET: {} } : {}),
        ...(operationOf(resource, 'update') ? { PUT: needed } : {}),
      };
      for (const [method, sent] of Object.entries(calls)) {
        const reply = await setup.client.call(method, path, sent);
        assert.equal(reply.status, 404, `${method} ${reply.text}`);
        assert.deepEqual(reply.body.errors, gone(id), method);
      }
      if (isGot) assert.equal((await setup.client.call('GET', `${path}?with_deleted=false`)).status, 404);
      if (!takes(resource, 'get', 'with_deleted')) {
        assert.deepEqual((await setup.client.call('GET', all)).body.data, []);
        return;
      }

      if (resource.deletion?.hard) {
        const filter = { [resource.idsParameter]: id, with_deleted: 'true' };
        assert.equal((await setup.client.call('GET', `${path}?with_deleted=true`)).status, 404);
        assert.deepEqual((await setup.client.call('GET', all, { params: filter })).body.data, []);
        return;
      }
      const shown = await setup.client.call('GET', `${path}?with_deleted=true`);
      assert.deepEqual(shown.body.data, deleted.body.data);
      const filter = { [resource.idsParameter]: id };
      const hidden = await setup.client.call('GET', all, { params: filter });
      assert.deepEqual(hidden.body.data, []);
      const found = await setup.client.call('GET', all, { params: { ...filter, with_deleted: 'true' } });
      assert.deepEqual(found.body.data, [deleted.body.data]);
    });

    test('what does not exist cannot be read, changed or deleted', async () => {
      if (resource.scope === 'user') return;
      await addParents(setup, resource);
      const id = absentId(resource);
      const path = pathOf(id);
      for (const method of [...(isGot ? ['GET'] : []), 'DELETE', ...(operationOf(resource, 'update') ? ['PUT'] : [])]) {
        const params = method === 'PUT' ? await neededParameters(setup, resource) : {};
        const reply = await setup.client.call(method, path, method === 'PUT' ? sentWith(resource, params) : {});
        assert.equal(reply.status, 404);
        assert.deepEqual(reply.body.errors, gone(id));
        const verb = method === 'PUT' ? 'update' : method === 'GET' ? 'get' : 'remove';
        const parent = resource.parent?.parameter as string | undefined;
        assert.deepEqual(reply.body.request, {
          params: {
            account_id: setup.account,
            ...(parent ? { [parent]: path.split('/')[5] } : {}),
            [resource.idParameter]: id,
            ...operationOf(resource, verb)!.extraEcho,
            ...params,
          },
        });
      }
    });

    test('an illegal id is not found either, with its own code; upper case is folded', async () => {
      const { id } = await make(setup, resource);
      for (const bad of ['ab_c', 'a b', 'é', '..%', 'x'.repeat(65), 'a-b']) {
        for (const method of isGot ? ['GET', 'DELETE'] : ['DELETE']) {
          const reply = await setup.client.call(method, pathOf(bad));
          assert.equal(reply.status, 404, bad);
          assert.deepEqual(
            [reply.body.errors[0].code, reply.body.errors[0].parameter, reply.body.errors[0].value],
            ['INVALID_ID_ILLEGAL_CHARACTERS', resource.idParameter, bad],
          );
        }
      }
      const reply = await setup.client.call(isGot ? 'GET' : 'DELETE', pathOf(id.toUpperCase()));
      assert.equal(idOf(reply.body.data), id);
    });
  });
}

/** Parameters in the form that an update takes. */
function sentWith(resource: AnyResource, params: Record<string, string>): Sent {
  return operationOf(resource, 'update')?.body === 'object' ? { json: params } : { params };
}

/** What an update must give. */
async function neededParameters(setup: TestAccount, resource: AnyResource): Promise<Record<string, string>> {
  const update = operationOf(resource, 'update');
  return update ? goodParameters(setup, update) : {};
}

describe('a deleted account', () => {
  test('every path under it answers 404, except reading it with deleted rows', async () => {
    const setup = await openTestAccount(world);
    const path = `/12/accounts/${setup.account}`;
    await setup.client.call('DELETE', path);
    const paths = ['', '/features', '/campaigns', '/funding_instruments', '/authenticated_user_access'];
    for (const each of paths) {
      const reply = await setup.client.call('GET', path + each);
      assert.equal(reply.status, 404, each);
      assert.deepEqual(reply.body.errors, [
        {
          code: 'NOT_FOUND',
          message: `Account ${setup.account} was not found`,
          parameter: 'account_id',
          value: setup.account,
        },
      ]);
    }
    for (const each of paths.slice(1)) {
      assert.equal((await setup.client.call('GET', `${path}${each}?with_deleted=true`)).status, 404, each);
    }
    assert.equal((await setup.client.call('GET', `${path}?with_deleted=true`)).body.data.deleted, true);
  });
});
