import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Upload, UploadSettings } from '../../src/contract/store/uploads.ts';
import { runFfmpeg } from '../../src/features/media/ffmpeg.ts';
import { createPoster } from '../../src/features/media/poster.ts';
import { probeVideo } from '../../src/features/media/probe/probe-video.ts';
import { MP4 } from '../rig/tiny-media.ts';

const SECRETS = {
  BARKER_MASTER_KEY: 'a master key',
  BARKER_DATABASE_URL: 'postgres://user:password@host/db',
  PGPASSWORD: 'a password',
  // A process that inherits it does not start.
  NODE_OPTIONS: '--require=/nowhere/at/all.js',
};

const folder = mkdtempSync(join(tmpdir(), 'barker-children-'));
const video = join(folder, 'video.mp4');
const program = join(folder, 'program');

before(() => {
  Object.assign(process.env, SECRETS);
  writeFileSync(video, MP4);
  writeFileSync(
    program,
    '#!/bin/sh\necho "cwd=$(pwd)"; echo "memory=$(ulimit -v)"; echo "cpu=$(ulimit -t)"; echo "core=$(ulimit -c)"; echo "file=$(ulimit -f)"; echo "nice=$(nice)"; echo "args=$*"; echo "stdin=$(cat)"; env',
  );
  chmodSync(program, 0o700);
});
after(() => {
  for (const name of Object.keys(SECRETS)) delete process.env[name];
  rmSync(folder, { recursive: true });
});

const UPLOAD = { media_type: 'VIDEO', mime: 'video/mp4', width: 16, height: 16 } as Upload;

/** What the program says of itself, which is taken for a picture. */
async function said(path: string): Promise<Map<string, string>> {
  const picture = await createPoster(video, UPLOAD, { ffmpeg_program: path } as UploadSettings);
  const lines = picture!.bytes.toString().trim().split('\n');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe('the program that decodes videos', () => {
  test('gets PATH, and nothing of the service', async () => {
    const told = await said(program);
    assert.equal(told.get('PATH'), process.env.PATH);
    const text = [...told.values()].join(' ');
    for (const [name, value] of Object.entries(SECRETS)) {
      assert.equal(told.has(name), false, name);
      assert.ok(!text.includes(value), name);
    }
  });

  test('has limits, no input, and no folder of the service', async () => {
    const told = await said(program);
    const bounds = ['memory', 'cpu', 'core', 'file'].map((name) => told.get(name));
    assert.deepEqual(bounds, ['2097152', '20', '0', '0']);
    assert.ok(Number(told.get('nice')) >= 10, told.get('nice'));
    assert.equal(told.get('cwd'), '/');
    assert.equal(told.get('stdin'), '');
  });

  test('opens a local file as what it was found to be, and nothing else', async () => {
    const args = (await said(program)).get('args')!;
    assert.match(args, /-protocol_whitelist file .*-f mov -i file:\/.*video\.mp4 /);
  });

  test('that is missing or fails leaves a grey image', async () => {
    for (const path of ['no-such-program', '/no/such/program', 'false']) {
      const picture = await createPoster(video, UPLOAD, { ffmpeg_program: path } as UploadSettings);
      assert.equal(picture?.bytes.subarray(1, 4).toString(), 'PNG', path);
    }
  });

  test('that writes more than an image is killed', async () => {
    const endless = join(folder, 'endless');
    writeFileSync(endless, '#!/bin/sh\nexec cat /dev/zero');
    chmodSync(endless, 0o700);
    const picture = await createPoster(video, UPLOAD, { ffmpeg_program: endless } as UploadSettings);
    assert.equal(picture?.bytes.subarray(1, 4).toString(), 'PNG');
  });
});

test('a program that takes too long is killed, whether it computes or waits', async () => {
  const ends = ['while :; do :; done', 'exec tail -f /dev/null'].map((line, index) => {
    const path = join(folder, `slow-${index}`);
    writeFileSync(path, `#!/bin/sh\n${line}`, { mode: 0o700 });
    return runFfmpeg({ program: path, path: video, mime: 'video/mp4', output: [], cpu_s: 1, file_bytes_max: 0 });
  });
  for (const { isGood } of await Promise.all(ends)) assert.equal(isGood, false);
});

test('the process that reads videos starts without the environment of the service', async () => {
  const seen = await probeVideo(video, 'video/mp4');
  assert.ok(!('fault' in seen), JSON.stringify(seen));
  assert.equal(seen.mime, 'video/mp4');
});
