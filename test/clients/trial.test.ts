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

test('the commands of docs/trial.md, pasted unchanged, lead to a line item that spends, an audience and insights', async () => {
  const blocks = readFileSync('docs/trial.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
  const lines = [...blocks].map(([, block]) => block).join('');
  // The folder of the page is `./data`; a test has one of its own.
  const path = `${dirname(process.execPath)}:${resolve('node_modules/.bin')}:${process.env.PATH}`;
  const folders = { BARKER_DATA_FOLDER: place.folder, TMPDIR: place.folder };
  const env = { ...cleanEnvironment(), ...folders, BARKER_DATABASE_URL: place.databaseUrl, PATH: path };
  // What npx does here, without a package manager for each line; the line that a server prints is pasted with the real one.
  const npx = `npx() { shift 2; node '${resolve('bin/barker.js')}' "$@"; }\n`;
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', npx + lines], { env });
  const replies = stdout
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  assert.equal(replies.length, 8, stdout);
  const [criteria, promoted, lineItem, campaign, insights, audience, estimate, stats] = replies.map(({ data }) => data);
  assert.deepEqual(
    criteria.map((each: Record<string, string>) => [
      each.targeting_type,
      each.name ?? each.targeting_value,
      each.operator_type,
    ]),
    [
      ['LOCATION', 'United States', 'EQ'],
      ['BROAD_KEYWORD', 'tea', 'NE'],
    ],
  );
  assert.equal(promoted.line_item_id, lineItem.id);
  assert.deepEqual([lineItem.entity_status, lineItem.campaign_id], ['ACTIVE', campaign.id]);
  const { servable, effective_status, reasons_not_servable } = campaign;
  assert.deepEqual([servable, effective_status, reasons_not_servable], [true, 'RUNNING', []]);
  assert.equal(insights.post_volume.length, 7);
  // The last day is today, which may have just begun.
  assert.ok(Math.min(...insights.post_volume.slice(0, -1)) > 0, stdout);
  assert.ok(insights.related_keywords.includes('barista'), stdout);
  assert.deepEqual([audience.name, audience.audience_size], ['Customers', 5000]);
  const { min, max } = estimate.audience_size;
  assert.ok(min >= 1000 && max < 5000, stdout);
  assert.ok(stats[0].id_data[0].metrics.billed_charge_local_micro[0] > 0, stdout);
});
