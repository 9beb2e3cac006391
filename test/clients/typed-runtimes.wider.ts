// On either database: the server that it starts has one of its own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Started, started } from '../commands/program.ts';
import { startChromium } from '../rig/chromium.ts';
import { type NpmProject, openNpmProject } from './npm-project.ts';
import { installTypedClient } from './typed-client.ts';

let folder: string;
let server: Started;
let project: NpmProject;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-runtimes-'));
  server = started(['dev', '--data', folder, '--port', '0', '--sandbox-port', '0'], { input: null });
  await server.saw(/Try it:/);
  project = await openNpmProject('test/clients/runtimes');
  await installTypedClient(project.folder);
  symlinkSync(folder, join(project.folder, 'data'));
  const program = stripTypeScriptTypes(readFileSync(join(project.folder, 'program.mts'), 'utf8'));
  writeFileSync(join(project.folder, 'program.mjs'), program);
});
after(async () => {
  server.child.kill();
  await server.ended;
  project.remove();
  rmSync(folder, { recursive: true, force: true });
});

const TOLD = [true, ['ACCOUNT_NOT_FOUND'], { image_type: 'image/png', w: 1, h: 1 }, 'profile.update.bio', 401, 2];

const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  'Node.js': [process.execPath, 'program.mts'],
  'Node.js 20': [`node_modules/node-20-linux-${process.arch}/bin/node`, 'program.mjs'],
  Bun: ['node_modules/.bin/bun', 'program.mts'],
  Deno: [
    ...['node_modules/.bin/deno', 'run', '--check', '--no-lock', '--node-modules-dir=manual'],
    ...['--allow-net', '--allow-read', 'program.mts'],
  ],
};

for (const [name, [program = '', ...args]] of Object.entries(RUNTIMES)) {
  test(`${name} runs the typed client`, async () => {
    assert.deepEqual(JSON.parse((await project.run(program, args)).stdout), TOLD);
  });
}

test('a browser runs the typed client, with a bearer token from a page of the server that the calls go through', async () => {
  const dev = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8')) as Readonly<Record<string, string>>;
  const code = readFileSync(join(project.folder, 'node_modules/@barker-ads/client/dist/index.js'));
  const site = createServer(async (request, response) => {
    const { url = '/', method = 'GET', headers } = request;
    if (url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>App</title>');
    if (url === '/client.js') return void response.writeHead(200, { 'content-type': 'text/javascript' }).end(code);
    const { authorization = '' } = headers;
    const answer = await fetch(dev.sandbox_url + url, { method, headers: { authorization } });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  const reply = await fetch(`${dev.base_url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${dev.consumer_key}:${dev.consumer_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token: bearer } = (await reply.json()) as { access_token: string };
  const chromium = await startChromium();
  try {
    const tab = await chromium.tab();
    await tab.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const told = await tab.look(`(async () => {
      const { BarkerClient } = await import('/client.js');
      const barker = new BarkerClient({ url: location.origin, bearer: ${JSON.stringify(bearer)} });
      const { name } = await barker.users.show({ screen_name: ${JSON.stringify(dev.username)} });
      const refused = await barker.users.show({ screen_name: 'nobody_at_all' }).catch((error) => error.codes);
      return [name, refused];
    })()`);
    assert.deepEqual(told, ['Ada Demo', [50]]);
  } finally {
    await chromium.close();
    site.closeAllConnections();
    site.close();
  }
});
