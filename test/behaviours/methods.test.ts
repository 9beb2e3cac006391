// On either database: what is tried here is decided before the database is asked.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.close());

/** A path of each kind of thing that a listener serves. */
const PATHS = [
  '/12/accounts',
  '/2/webhooks',
  '/oauth/request_token',
  '/nothing/here',
  '/',
  '/login',
  '/settings/connected_apps',
  '/media/none.png',
  '/docs/',
  '/reference',
  '/openapi.json',
  '/readyz',
];

function ask(
  method: string,
  path: string,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  return new Promise((done, failed) => {
    const headers = { 'x-told-in-confidence': 'hunter2', cookie: 'sess=hunter2' };
    const asked = request(`${world.service.url}${path}`, { method, headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk) => {
        body += chunk;
      });
      reply.on('end', () => done({ status: reply.statusCode!, headers: reply.headers, body }));
    });
    asked.on('error', failed);
    asked.end();
  });
}

describe('a method that nothing answers', () => {
  for (const method of ['TRACE', 'PATCH']) {
    test(`${method} is refused everywhere, and reveals nothing of the request`, async () => {
      for (const path of PATHS) {
        const { status, body, headers } = await ask(method, path);
        assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`);
        assert.ok(!`${body}${JSON.stringify(headers)}`.includes('hunter2'), `${method} ${path}`);
      }
    });
  }
});

test('every reply forbids browsers to guess its type', async () => {
  for (const path of PATHS) {
    for (const method of ['GET', 'PATCH', 'TRACE']) {
      const { headers, status } = await ask(method, path);
      assert.equal(headers['x-content-type-options'], 'nosniff', `${method} ${path}: ${status}`);
    }
  }
});

test('a method of another protocol gets 404, on paths of operations and on others', async () => {
  for (const path of ['/12/accounts', '/nothing/here']) {
    const { status } = await ask('PROPFIND', path);
    assert.equal(status, 404, path);
  }
});
