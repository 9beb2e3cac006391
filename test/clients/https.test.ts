// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { callSnippets } from '../../src/dev/snippets/call-snippets.ts';
import { browserOf } from '../rig/browser.ts';
import { paste, pasted } from '../rig/first-calls.ts';
import { take } from '../rig/login.ts';
import { rawCall } from '../rig/raw.ts';
import { wireTo } from '../rig/wire.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { tls: true } });
});
after(() => world.close());

describe('a server over https', () => {
  test('is reported as such, and clients that trust its authority can call it', async () => {
    for (const url of [world.service.url, world.service.sandboxUrl]) assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const { path } = await openAccount(world.sandbox);
    const made = await world.sandbox.call('GET', path);
    assert.equal(made.status, 200);
    const { hostname, port } = new URL(world.service.sandboxUrl);
    assert.equal(hostname, '127.0.0.1');
    const raw = await rawCall(`https://localhost:${port}`, world.clock, {
      method: 'GET',
      target: path,
      keys: world.keys,
    });
    assert.equal(raw.status, 200, raw.text);
  });

  test('lets users log in', async () => {
    const reply = await take(world, {
      path: '/oauth/request_token',
      consumer: world.keys,
      oauth: { oauth_callback: 'oob' },
    });
    assert.equal(reply.status, 200, reply.text);
  });

  test('is trusted only through its authority', async () => {
    const statusWith = (ca: string[]) =>
      new Promise<number>((done, failed) => {
        get(`${world.service.url}/livez`, { ca, agent: false }, (reply) => {
          reply.resume();
          done(reply.statusCode!);
        }).on('error', failed);
      });
    assert.equal(await statusWith([readFileSync(world.tlsCa!, 'utf8')]), 200);
    await assert.rejects(statusWith([]), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  test('is trusted by copied calls with a password, wherever the certificate is', async () => {
    const grant = { grant_type: 'client_credentials' };
    const page = `/_dev/workbench?operation=oauth2.token&p_grant_type=${grant.grant_type}`;
    const { html } = await browserOf(world.service.url).get(page);
    assert.equal(JSON.parse(await pasted(html, 'curl')).token_type, 'bearer');
    const folder = mkdtempSync(join(tmpdir(), "barker-it's-"));
    copyFileSync(world.tlsCa!, join(folder, 'ca.pem'));
    const [[language, code] = []] = callSnippets(
      { method: 'POST', url: `${world.service.url}/oauth2/token`, form: Object.entries(grant), credential: 'basic' },
      { ...world.keys, tls_ca: join(folder, 'ca.pem') },
    );
    assert.equal(language, 'curl');
    assert.equal(JSON.parse(await paste(code!)).token_type, 'bearer');
    rmSync(folder, { recursive: true });
  });

  test('accepts raw bytes over TLS', async () => {
    const wire = wireTo(world.service.url);
    const reply = await wire.send(Buffer.from('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    assert.equal(reply.status, 200);
    wire.close();
  });
});
