import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';

test('the OpenAPI document passes the linter', () => {
  const linter = resolve('node_modules/@redocly/cli/bin/cli.js');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };
  const ran = spawnSync(process.execPath, [linter, 'lint', 'docs/generated/openapi.json'], { env, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stdout + ran.stderr);
  assert.match(ran.stdout + ran.stderr, /Your API description is valid/);
});
