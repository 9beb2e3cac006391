// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock } from '../../src/base/clock.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { MACHINE_PATH } from '../rig/older-node.ts';
import { recordSecrets } from '../rig/secrets.ts';
import { tarballIn } from '../rig/tarball.ts';
import { JPEG, MP4 } from '../rig/tiny-media.ts';
import { command, upload } from '../rig/uploading.ts';
import { cleanEnvironment, type Outcome } from './program.ts';

/** As anybody would who has nothing but the tarball, on a machine with a Node.js of its own. */
const path = existsSync('/usr/bin/npm') ? MACHINE_PATH : (process.env.PATH ?? '');

let home: string;
let tarball: string;
let installed: Outcome;
const env = (): Record<string, string> => {
  // What npm tells its scripts would lead the npm that is under test back to this folder. Without the authorities that the
  // machine trusts it would ask the registry again and again.
  const own = Object.entries(cleanEnvironment()).filter(
    ([name]) => !/^(npm_|INIT_CWD|NODE(?!_EXTRA_CA_CERTS))/.test(name),
  );
  return { ...Object.fromEntries(own), PATH: [join(home, 'prefix/bin'), path].join(delimiter) };
};

async function run(program: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const ended = promisify(execFile)(program, args, { cwd, env: env(), maxBuffer: 1e8 });
  return ended.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'barker-installed-'));
  for (const folder of ['prefix', 'empty']) mkdirSync(join(home, folder));
  tarball = await tarballIn(home);
  const args = ['install', '--global', '--prefix', join(home, 'prefix'), '--prefer-offline', tarball];
  installed = await run('npm', args, join(home, 'empty'));
});
after(() => rmSync(home, { recursive: true, force: true }));

describe('the tarball', () => {
  test('contains the program and its documentation, and nothing else', () => {
    const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8', maxBuffer: 1e8 }).trim().split('\n');
    const files = listed.map((file) => file.replace(/^package\//, ''));
    const ours = files.filter((file) => !file.startsWith('node_modules/'));
    const folders = [...new Set(ours.map((file) => (file.includes('/') ? file.split('/')[0]! : file)))];
    assert.deepEqual(folders.sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin',
      'built',
      'deploy',
      'dist',
      'docs',
      'package.json',
    ]);
    assert.deepEqual(
      ours
        .filter(
          (file) =>
            file.startsWith('dist/') && !/\.(js|js\.map|cjs|d\.ts|css|svg|tsv|bin|po|png|jpg|mp4|wasm)$/.test(file),
        )
        .sort(),
      [
        'dist/dev/worlds/starter.yaml',
        'dist/http/reference/generated/worked-examples.json',
        'dist/http/reference/snippets/client.mjs',
        'dist/http/reference/snippets/receiver.mjs',
        'dist/program/licenses.txt',
        'dist/program/package.json',
        'dist/program/sbom.cdx.json',
        'dist/testing-commonjs/package.json',
      ],
    );
    // Pages show the plots of a run, however many there are.
    const isOfBenchmarks = (file: string) => /^docs\/benchmarks\/(figures\.json|growth-\d+\.svg)$/.test(file);
    const others = ours.filter((file) => file.startsWith('docs/') && !file.endsWith('.md') && !isOfBenchmarks(file));
    assert.deepEqual(others.sort(), [
      'docs/generated/aliases.schema.json',
      'docs/generated/world.schema.json',
      'docs/pictures/home.png',
    ]);
    // What the package exports has its declarations, and each page of the documents that operators read is there.
    for (const file of [
      'built/islands/manifest.json',
      'built/site/index.html',
      'dist/program/main.js',
      'dist/testing/index.d.ts',
      'dist/testing-commonjs/index.d.ts',
      'docs/operate.md',
      'docs/generated/settings.md',
    ]) {
      assert.ok(ours.includes(file), file);
    }
    assert.deepEqual(
      ours.filter((file) => file.endsWith('.d.ts') && !/^dist\/testing(-commonjs)?\//.test(file)),
      [],
      'nobody can import other modules',
    );
    assert.deepEqual(
      files.filter((file) => file.startsWith('node_modules/')),
      [],
    );
    assert.ok(statSync(tarball).size < 7_500_000);
    assert.deepEqual(
      ours.filter((file) => file.startsWith('built/') && !/^built\/(?:islands\/|site\/|schemas\.json$)/.test(file)),
      [],
    );
  });
});

describe('installed from it, in an empty folder', () => {
  let service: ChildProcess;
  let output = '';
  let keys: Keys & Record<string, string>;
  let client: Client;
  const folder = (): string => join(home, 'empty');

  before(async () => {
    const ports = ['--port', '0', '--sandbox-port', '0'];
    service = spawn('barker', ['dev', ...ports], { cwd: folder(), env: env(), stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<never>((_, failed) => {
      service.on('error', failed);
      service.on('exit', (code) => failed(new Error(`ended with ${code}: ${output}`)));
    });
    const ready = new Promise<void>((done) => {
      for (const stream of [service.stdout!, service.stderr!]) {
        stream.on('data', (chunk) => {
          output += chunk;
          if (/Try it:\n.+\n/.test(output)) done();
        });
      }
    });
    await Promise.race([ready, ended]);
    ended.catch(() => {});
    keys = JSON.parse(readFileSync(join(folder(), 'data/dev.json'), 'utf8'));
    recordSecrets(keys);
    client = clientOf(keys.base_url!, keys, systemClock);
  });
  after(() => {
    if (service.exitCode === null) service.kill('SIGKILL');
  });

  test('npm installs it without a warning', () => {
    assert.equal(installed.code, 0, installed.stderr);
    assert.doesNotMatch(installed.stdout + installed.stderr, /EBADENGINE|deprecated|scripts/);
  });

  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    assert.deepEqual(await run('barker', ['--version'], folder()), { code: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('answers a signed call made with the line that it prints', async () => {
    const [, line] = /Try it:\n\s*(.+)\n/.exec(output)!;
    assert.equal(line, 'barker call GET /12/accounts');
    const { code, stdout, stderr } = await run('bash', ['-c', line!], folder());
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).data[0].name, 'Demo account');
  });

  test('serves its pages and their resources', async () => {
    for (const page of ['/docs/', '/login']) {
      const reply = await fetch(keys.base_url + page);
      assert.equal(reply.status, 200);
      const html = await reply.text();
      const loaded = [...html.matchAll(/<(?:link|script)[^>]* (?:href|src)="([^"]+\.(?:css|js))"/g)];
      assert.ok(loaded.length > 0, page);
      for (const [, file] of loaded) assert.equal((await fetch(new URL(file!, reply.url))).status, 200, file);
    }
  });

  test('accepts an image, and a video, which another process examines', async () => {
    const picture = await upload(client, JPEG, { media_type: 'image/jpeg' });
    assert.equal(picture.status, 200, picture.text);
    const video = await upload(client, MP4, { media_type: 'video/mp4', media_category: 'amplify_video' });
    assert.equal(video.status, 200, video.text);
    let info = video.body.processing_info;
    const until_ms = performance.now() + 60_000;
    while (info?.state === 'pending' || info?.state === 'in_progress') {
      assert.ok(performance.now() < until_ms, JSON.stringify(info));
      // As often as that, a minute of asking stays within the limit of uploads.
      await setTimeout(200);
      const status = await command(client, 'STATUS', { media_id: video.id });
      assert.equal(status.status, 200, status.text);
      info = status.body.processing_info;
    }
    assert.equal(info?.state, 'succeeded', video.text);
  });

  test('completes docs/trial.md: campaign, people, audience, posts', async () => {
    const blocks = readFileSync('docs/trial.md', 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm);
    const lines = [...blocks].map(([, block]) => block!.replaceAll('npx --no-install barker', 'barker')).join('');
    const { code, stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', lines], folder());
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^RUNNING\n\[.*"barista".*\]\n"targetable":true\n\{"min":\d+,"max":\d+\}\n[\s\S]*^\d+ follows for [\d.]+ dollars$/m,
    );
  });

  test('stops on a signal', async () => {
    const ended = new Promise((done) => service.on('exit', (code) => done(code)));
    service.kill('SIGTERM');
    assert.equal(await ended, 0, output);
    assert.match(output, /\nstopped\n$/);
    await assert.rejects(fetch(keys.base_url!));
  });
});
