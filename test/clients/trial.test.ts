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

test('the lines of docs/trial.md, pasted as they stand, lead to a line item and a campaign that run', async () => {
  const [, lines] = /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync('docs/trial.md', 'utf8'))!;
  // The folder of the page is `./data`; a test has one of its own.
  const path = `${dirname(process.execPath)}:${resolve('node_modules/.bin')}:${process.env.PATH}`;
  const env = { ...cleanEnvironment(), BARKER_DATA_FOLDER: place.folder, PATH: path };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', lines!], { env });
  const replies = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(replies.length, 4, stdout);
  const [criteria, promoted, lineItem, campaign] = replies.map(({ data }) => data);
  assert.deepEqual(
    criteria.map((each: Record<string, string>) => [
      each.targeting_type,
      each.name ?? each.targeting_value,
      each.operator_type,
    ]),
    [
      ['LOCATION', 'Switzerland', 'EQ'],
      ['BROAD_KEYWORD', 'coffee', 'EQ'],
      ['BROAD_KEYWORD', 'tea', 'NE'],
    ],
  );
  assert.equal(promoted.line_item_id, lineItem.id);
  assert.deepEqual([lineItem.entity_status, lineItem.campaign_id], ['ACTIVE', campaign.id]);
  const { servable, effective_status, reasons_not_servable } = campaign;
  assert.deepEqual([servable, effective_status, reasons_not_servable], [true, 'RUNNING', []]);
});
