// On either database: clients know nothing of it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { cleanEnvironment } from '../commands/program.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';

let place: Place;
let running: Running;
before(async () => {
  place = await openPlace();
  running = await startBarker(place);
});
after(async () => {
  await running.stop();
  await place.remove();
});

test('the commands of docs/trial.md, pasted unchanged, print what it says, and lead to a line item that spends', async () => {
  const parts = [...readFileSync('docs/trial.md', 'utf8').matchAll(/^```(sh|text)\n([\s\S]*?)^```$/gm)];
  const blocksOf = (kind: string) => parts.flatMap(([, is, block]) => (is === kind ? [block!] : []));
  const [blocks, expected] = [blocksOf('sh'), blocksOf('text')];
  assert.deepEqual(
    parts.map(([, kind]) => kind),
    blocks.flatMap(() => ['sh', 'text']),
  );
  // The folder of the page is `./data`; a test has one of its own.
  const path = `${dirname(process.execPath)}:${resolve('node_modules/.bin')}:${process.env.PATH}`;
  const folders = { BARKER_DATA_FOLDER: place.folder, TMPDIR: place.folder };
  const env = { ...cleanEnvironment(), ...folders, BARKER_DATABASE_URL: place.databaseUrl, PATH: path };
  // What npx does here, without a package manager for each line; the line that a server prints is pasted with the real one.
  const npx = `npx() { shift 2; node '${resolve('bin/barker.js')}' "$@"; }\n`;
  const script = npx + blocks.join(`echo '${BETWEEN}'\n`);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { env });
  const printed = stdout.split(`${BETWEEN}\n`);
  for (const [at, text] of expected.entries()) {
    const pattern = text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^\n]*');
    assert.match(printed[at]!, new RegExp(`^${pattern}$`));
  }
  assert.equal(printed.length, expected.length);
  const [, follows, dollars] = /^(\d+) follows for ([\d.]+) dollars$/m.exec(stdout)!;
  assert.ok(Number(follows) > 0 && Number(dollars) > 0, stdout);
  const [, min, max] = /^\{"min":(\d+),"max":(\d+)\}$/m.exec(stdout)!;
  assert.ok(Number(min) >= 1000 && Number(max) < 5000, stdout);
});

const BETWEEN = '--- the next block ---';
