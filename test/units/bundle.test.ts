import assert from 'node:assert/strict';
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment } from '../commands/program.ts';
import { failingStart } from '../rig/failing-start.ts';
import { MP4 } from '../rig/tiny-media.ts';

/** A program of two modules, the second of which a server loads with another flag of V8, as `src/main.ts` does. */
const BUNDLE = `import { setFlagsFromString } from 'node:v8';
process.stdout.write('bundle');
if (/dev|serve/.test(process.argv[2])) setFlagsFromString('--semi-space-growth-factor=1');
await import('./later.js');
`;

describe('a checkout', () => {
  let home: string;
  const source = (): string => join(home, 'src/main.ts');
  const list = (): string => join(home, 'built/program/sources.json');
  const started = (): string =>
    execFileSync(process.execPath, [join(home, 'bin/barker.js')], { env: cleanEnvironment(), encoding: 'utf8' });

  before(() => {
    home = mkdtempSync(join(tmpdir(), 'barker-bundle-'));
    cpSync('bin', join(home, 'bin'), { recursive: true });
    for (const folder of ['src', 'built/program']) mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    writeFileSync(source(), "process.stdout.write('sources');");
    writeFileSync(join(home, 'built/program/main.js'), BUNDLE);
    writeFileSync(join(home, 'built/program/later.js'), '');
    const { size, mtimeMs } = statSync(source());
    writeFileSync(list(), JSON.stringify([['src/main.ts', size, mtimeMs]]));
  });
  after(() => rmSync(home, { recursive: true }));

  test('examines videos in a process of its bundle, with a library that has a file of its own', async () => {
    const video = join(home, 'video.mp4');
    writeFileSync(video, MP4);
    const examiner = fork('built/program/video-process.js', {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    examiner.send(video);
    const [properties] = await Promise.race([once(examiner, 'message'), once(examiner, 'exit')]);
    examiner.kill();
    assert.equal(properties.codec, 'AVC');
  });

  test('runs its bundle while its sources are as they were', () => {
    assert.equal(started(), 'bundle');
  });

  test('takes what it has compiled for a server, whatever ran since', () => {
    const env = { ...cleanEnvironment(), NODE_DEBUG_NATIVE: 'COMPILE_CACHE', NODE_DISABLE_COMPILE_CACHE: undefined };
    const told = (command: string): string =>
      spawnSync(process.execPath, [join(home, 'bin/barker.js'), command], { env, encoding: 'utf8' }).stderr;
    for (const command of ['dev', 'nodes', 'serve', 'nodes']) told(command);
    for (const command of ['dev', 'nodes', 'serve']) {
      const taken = told(command);
      assert.match(taken, /later\.js was accepted/, command);
      assert.doesNotMatch(taken, /was (rejected|not initialized)/, command);
    }
  });

  test('runs its sources when one was touched', () => {
    const { atime, mtime } = statSync(source());
    utimesSync(source(), atime, new Date(mtime.getTime() + 1));
    assert.equal(started(), 'sources');
  });

  test('runs its sources when one has another size', () => {
    const { size, mtimeMs } = statSync(source());
    writeFileSync(list(), JSON.stringify([['src/main.ts', size - 1, mtimeMs]]));
    assert.equal(started(), 'sources');
    writeFileSync(list(), JSON.stringify([['src/main.ts', size, mtimeMs]]));
    assert.equal(started(), 'bundle');
  });

  test('runs its sources when one is missing', () => {
    const { size, mtimeMs } = statSync(source());
    writeFileSync(
      list(),
      JSON.stringify([
        ['src/main.ts', size, mtimeMs],
        ['src/removed.ts', 1, 1],
      ]),
    );
    assert.equal(started(), 'sources');
  });

  test('runs its sources when nothing is bundled', () => {
    rmSync(list());
    assert.equal(started(), 'sources');
  });
});

describe('the bundle of this checkout', () => {
  test('has the names of every package that is loaded when it is needed', async () => {
    const names = new Set(
      globSync('src/**/*.ts').flatMap((file) =>
        [...readFileSync(file, 'utf8').matchAll(/await import\('([^.'][^']*)'\)/g)].map(([, name]) => name!),
      ),
    );
    assert.ok(names.has('image-size'));
    // Of a CommonJS package, the bundle's `import()` gives only the default export.
    for (const name of names) assert.ok(!('module.exports' in (await import(name))), name);
  });

  test('was made from every source that it needs, and from what is installed', () => {
    const paths: string[] = JSON.parse(readFileSync('built/program/sources.json', 'utf8')).map(
      ([path]: [string]) => path,
    );
    assert.ok(paths.length > 500);
    for (const path of ['src/main.ts', 'src/http/listener.ts', 'package.json', 'node_modules/.package-lock.json']) {
      assert.ok(paths.includes(path), path);
    }
    assert.ok(paths.every((path) => existsSync(path)));
  });

  test('names modules and their lines in stack traces', () => {
    const { stderr, position } = failingStart('bin/barker.js');
    assert.match(stderr, /^TypeError: on purpose\n {4}at process\.umask \(data:/m);
    assert.ok(stderr.includes(`\n    at ${pathToFileURL('src/main.ts')}:${position}\n`), stderr);
    assert.doesNotMatch(stderr, /^ {4}at .*built\/program/m);
  });
});
