// On either database: the server of the container has one of its own.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { openContainerEngine } from './container-engine.ts';
import { type NpmProject, openNpmProject } from './npm-project.ts';

let project: NpmProject;
let place: string;
let engine: Awaited<ReturnType<typeof openContainerEngine>>;
before(async () => {
  project = await openNpmProject('test/clients/containers');
  place = mkdtempSync(join(tmpdir(), 'barker-engine-'));
  engine = await openContainerEngine(place);
});
after(() => {
  engine?.close();
  project?.remove();
  rmSync(place, { recursive: true, force: true });
});

test('examples/testcontainers-node starts a server in a container, calls it, and removes it', async () => {
  cpSync('examples/testcontainers-node', join(project.folder, 'example'), { recursive: true });
  symlinkSync(resolve('node_modules/oauth-1.0a'), join(project.folder, 'node_modules/oauth-1.0a'));
  const variables = {
    DOCKER_HOST: engine.host,
    TESTCONTAINERS_RYUK_DISABLED: 'true',
    TESTCONTAINERS_HOST_OVERRIDE: 'localhost',
  };
  const args = Object.entries(variables).map((pair) => pair.join('='));
  const tests = ['--test', '--test-reporter=tap', 'example/accounts.test.mjs'];
  const { stdout, stderr } = await project.run('env', [...args, process.execPath, ...tests]);
  assert.match(stdout + stderr, /^# pass 1\n# fail 0$/m);
  assert.equal(engine.isRunning(), false);
  assert.ok(engine.requests.some((each) => each.startsWith('DELETE /containers/')));
});
