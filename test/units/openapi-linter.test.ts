import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { largeDocs } from '../../build/docs/generated-docs.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-openapi-'));
const DOCUMENT = join(folder, 'openapi.json');
writeFileSync(DOCUMENT, largeDocs()['openapi.json']);
after(() => rmSync(folder, { recursive: true }));

function redocly(...args: readonly string[]): SpawnSyncReturns<string> {
  const program = resolve('node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  return spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
}

test('the OpenAPI document passes the linter', () => {
  const ran = redocly('lint', DOCUMENT);
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout + ran.stderr, /Your API description is valid/);
});

test('a client that is generated from the OpenAPI document compiles', () => {
  const file = join(folder, 'client.ts');
  const made = redocly('generate-client', DOCUMENT, '--output', file);
  assert.equal(made.status, 0, made.stdout + made.stderr);
  for (const type of ['CampaignReply', 'LineItemListReply', 'AdsErrors']) {
    assert.match(readFileSync(file, 'utf8'), new RegExp(`export (type|interface) ${type}\\b`));
  }
  const strict = ['--noEmit', '--strict', '--target', 'es2024', '--lib', 'es2024,dom', '--types', ''];
  const compiled = spawnSync(resolve('node_modules/.bin/tsc'), [...strict, file], { cwd: folder, encoding: 'utf8' });
  assert.equal(compiled.status, 0, compiled.stdout);
});
