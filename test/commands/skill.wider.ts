// On either database: the commands start a server with one of their own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { cleanEnvironment, ENTRY } from './program.ts';

const page = readFileSync('skills/barker/SKILL.md', 'utf8');
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-skill-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/barker'), `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`, { mode: 0o755 });
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the skills file has the head that agents read', () => {
  const [, head] = /^---\n([\s\S]*?)\n---\n/.exec(page)!;
  const { name, description, ...others } = parse(head!);
  assert.deepEqual([name, others], ['barker', {}]);
  assert.ok(description.length > 100 && description.length <= 1024);
});

test('the commands of the skills file work, one after the other', async () => {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  assert.equal(blocks.length, 8);
  const path = [join(folder, 'bin'), join(process.execPath, '..'), process.env.PATH].join(':');
  const env = {
    ...cleanEnvironment(),
    PATH: path,
    BARKER_PORT: '0',
    BARKER_SANDBOX_PORT: '0',
    BARKER_SAMPLE_PEOPLE: '0',
  };
  // Each block ends with a mark, by which the output is divided.
  const script = ["trap 'kill %1; wait' EXIT", ...blocks.flatMap((block) => [block, 'echo "=== end"'])].join('\n');
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  assert.equal(code, 0, stdout + stderr);
  const [, calls, curl, operations, refusals, signatures, clock, repeated] = stdout.split('=== end\n');
  assert.match(calls!, /"name":"Demo account"[\s\S]*"name":"Spring"/);
  assert.match(curl!, /"params":\{"count":1\}[\s\S]*"name":"Demo account"/);
  assert.match(operations!, /^"\/12\/accounts\/\{account_id\}\/line_items"$/m);
  assert.match(operations!, /"name": "daily_budget_amount_local_micro"|CampaignsCreateBody/);
  assert.match(refusals!, /"parameter":"sort_by"[\s\S]*campaigns\.list/);
  assert.match(signatures!, /base string/i);
  assert.match(clock!, /\d{4}-\d\d-\d\dT/);
  assert.match(repeated!, /"name":"Demo account"/);
  assert.match(stderr, /503/);
});
