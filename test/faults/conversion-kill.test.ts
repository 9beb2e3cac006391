import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { until } from '../rig/patience.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { endless, type OwnFfmpeg, openOwnFfmpeg } from '../rig/programs.ts';
import { MP4 } from '../rig/tiny-media.ts';
import { command, upload } from '../rig/uploading.ts';

const MPEG4 = Buffer.from(MP4);
MPEG4.write('mp4v', MPEG4.lastIndexOf('avc1'), 'latin1');
MPEG4.write('free', MPEG4.indexOf('avcC'), 'latin1');

let place: Place;
let program: OwnFfmpeg;
let running: Running;
const start = () => startBarker(place, { flags: ['--ffmpeg-program', program.path, '--media-processing-s', '0'] });
const client = () => clientOf(running.file.sandbox_url!, running.file, systemClock);

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  program = openOwnFfmpeg();
  program.does(endless(program.folder));
  running = await start();
});
after(async () => {
  await running.kill();
  await place.remove();
  program.remove();
});

test('a conversion in a process that is killed begins again with the next one, and leaves no file', async () => {
  const { id } = await upload(client(), MPEG4, { media_type: 'video/mp4', media_category: 'post_video' });
  const begun = join(program.folder, 'begun');
  await until('the program runs', () => existsSync(begun) && readFileSync(begun, 'utf8').endsWith('\n'));
  await running.kill();
  process.kill(Number(readFileSync(begun, 'utf8')), 'SIGKILL');
  const incoming = join(place.folder, 'media', 'incoming');
  assert.equal(readdirSync(incoming).length > 0, true);
  writeFileSync(join(program.folder, 'MP4'), MP4);
  program.does(`cp '${program.folder}/MP4' "$place"`);
  running = await start();
  const stateNow = async (): Promise<string> =>
    (await command(client(), 'STATUS', { media_id: id })).body.processing_info.state;
  await until('it is converted', async () => (await stateNow()) === 'succeeded');
  assert.deepEqual(readdirSync(incoming), []);
});
