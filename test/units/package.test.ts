import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { cleanEnvironment, ENTRY } from '../commands/program.ts';
import { failingStart } from '../rig/failing-start.ts';
import { MACHINE_PATH, olderNode } from '../rig/older-node.ts';
import { installTarball } from '../rig/tarball.ts';

interface Locked {
  readonly version: string;
  readonly hasInstallScript?: boolean;
  readonly os?: string;
  readonly cpu?: string;
}

const ours = JSON.parse(readFileSync('package.json', 'utf8'));
const lockOf = (folder: string): [name: string, locked: Locked][] =>
  Object.entries<Locked>(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages).map(
    ([path, locked]) => [path.replace(/^.*node_modules\//, ''), locked],
  );

describe('install scripts of packages', () => {
  for (const folder of ['.', 'bench', 'test/clients/runners', 'test/clients/generators', 'test/clients/runtimes']) {
    test(`${folder} lists every package with such a script, for any platform, and no other`, () => {
      const scripted = lockOf(folder).filter(([, { hasInstallScript }]) => hasInstallScript);
      const { allowScripts = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      assert.deepEqual(Object.keys(allowScripts).sort(), scripted.map(([name]) => name).sort());
      assert.ok(Object.values(allowScripts).every((value) => value === true));
    });
  }
});

describe('the Node.js that comes with it', () => {
  const brought = lockOf('.').filter(([name]) => name in ours.optionalDependencies);
  const needed = (): [number, number] => {
    const [, numbers] = /NEEDED = \[(\d+, \d+)\]/.exec(readFileSync(ENTRY, 'utf8'))!;
    return numbers!.split(', ').map(Number) as [number, number];
  };

  for (const file of ['README.md', 'docs/operate.md']) {
    test(`and the one that installs it are those of ${file}`, () => {
      const text = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');
      const [, least] = /^>=(\d+)$/.exec(ours.engines.node)!;
      const sentence = `Barker runs on Node.js ${needed().join('.')} or newer. Where yours is older (but at least ${least}, for the installation), it runs on the one that its package brings along for Linux, Windows and macOS on Intel.`;
      assert.ok(text.includes(sentence), sentence);
      const versions = [...text.matchAll(/Node(?:\.js)? (\d+)/g)].map(([, major]) => Number(major));
      assert.deepEqual(new Set(versions), new Set([needed()[0]]));
    });
  }

  test('supports the usual platforms', () => {
    const platforms = brought.map(([, { os, cpu }]) => `${os} ${cpu}`).sort();
    assert.deepEqual(platforms, ['darwin x64', 'linux arm64', 'linux x64', 'win32 x64']);
  });

  test('is new enough', () => {
    const [major, minor] = needed();
    for (const [name, { version }] of brought) {
      const [hasMajor, hasMinor] = version.split('.').map(Number) as [number, number];
      assert.ok(hasMajor > major || (hasMajor === major && hasMinor >= minor), `${name} is ${version}`);
    }
  });
});

test('every package of the lock file runs on the Node.js that comes with it', () => {
  const args = ['ci', '--dry-run', '--engine-strict', '--offline', '--ignore-scripts'];
  const env = { ...cleanEnvironment(), PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  const { status, stderr } = spawnSync('npm', args, { env, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});

describe('an older Node', () => {
  const run = (entry: string, args: readonly string[]) => {
    const [program, before] = olderNode();
    const env = { ...cleanEnvironment(), PATH: MACHINE_PATH };
    return spawnSync(program, [...before, entry, ...args], { env, encoding: 'utf8' });
  };

  test('starts the installed one, and exits with its code', () => {
    const { status, stdout, stderr } = run(ENTRY, ['--version']);
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${ours.version}\n`, stderr: '' });
    const failed = run(ENTRY, ['call', 'GET', '/x', '--data', '/nowhere']);
    assert.match(failed.stderr, /^barker: \/nowhere\/dev\.json does not exist; /);
    assert.equal(failed.status, 1);
  });

  /** What is installed without the optional dependencies. */
  function bareFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'barker-bare-'));
    mkdirSync(join(folder, 'bin'));
    copyFileSync(ENTRY, join(folder, 'bin/barker.js'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    return folder;
  }

  test('explains in one line what is missing when none was installed', () => {
    const folder = bareFolder();
    const { status, stdout, stderr } = run(join(folder, 'bin/barker.js'), ['dev']);
    rmSync(folder, { recursive: true });
    assert.match(stderr, /^barker needs Node\.js 24\.7 or newer; this is v\d+\.\d+\.\d+\. [^\n]*\n$/);
    assert.equal(stdout, '');
    assert.equal(status, 1);
  });

  test('explains the same when the installed one does not run', () => {
    const folder = bareFolder();
    const platform = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`);
    mkdirSync(platform, { recursive: true });
    writeFileSync(join(platform, 'package.json'), '{}');
    const { status, stderr } = run(join(folder, 'bin/barker.js'), ['dev']);
    rmSync(folder, { recursive: true });
    assert.match(stderr, /^barker needs Node\.js 24\.7 or newer; [^\n]*\n$/);
    assert.equal(status, 1);
  });
});

describe('the code of the package', () => {
  let folder: string;
  let home: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'barker-package-'));
    home = await installTarball(folder);
  });
  after(() => rmSync(folder, { recursive: true }));

  test('refers to no source files, and to no missing ones', () => {
    const made = globSync('dist/**/*.js', { cwd: home });
    assert.ok(made.length > 100);
    for (const file of made) {
      const code = readFileSync(join(home, file), 'utf8');
      for (const [, path] of code.matchAll(/(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+\.(?:ts|js))['"]/g)) {
        assert.ok(!path!.endsWith('.ts'), `${file} names ${path}`);
        assert.ok(existsSync(join(home, dirname(file), path!)), `${file} names ${path}`);
      }
    }
  });

  test('keeps the line numbers of the sources of what it exports', () => {
    const scripts = globSync('src/testing/*.ts');
    assert.ok(scripts.length > 5);
    for (const file of scripts) {
      const inPackage = join(home, file.replace(/^src/, 'dist').replace(/\.ts$/, '.js'));
      const [source, code] = [file, inPackage].map((path) => readFileSync(path, 'utf8').split('\n'));
      assert.equal(code!.length, source!.length, file);
    }
  });

  test('has every stylesheet, script and table unchanged', () => {
    const assets = globSync('**/*.*', { cwd: 'src' }).filter(
      (file) => !/\.(ts|md)$/.test(file) && !file.startsWith('console/islands/'),
    );
    assert.ok(assets.length > 20);
    for (const file of assets) {
      assert.deepEqual(readFileSync(join(home, 'dist', file)), readFileSync(join('src', file)), file);
    }
  });

  test('names the packages that it contains or brings along, with their licenses', () => {
    const read = (file: string) => readFileSync(join(home, file), 'utf8');
    const bill = JSON.parse(read('dist/program/sbom.cdx.json'));
    assert.equal(bill.metadata.component.purl, `pkg:npm/%40barker-ads/server@${ours.version}`);
    const components: { name: string; version: string; scope: string }[] = bill.components;
    const licenses = read('dist/program/licenses.txt') + read('built/islands/licenses.txt');
    for (const { name, version, scope } of components) {
      if (scope === 'required') assert.ok(licenses.includes(`${name}\n\n`), name);
      assert.ok(
        lockOf('.').some(([each, locked]) => each === name && locked.version === version),
        `${name} ${version}`,
      );
    }
    const named = (scope: string) => components.filter((each) => each.scope === scope).map(({ name }) => name);
    assert.deepEqual(named('optional').sort(), Object.keys(ours.optionalDependencies).sort());
    const required = named('required');
    // Of the program, its pages, what it loads at the first use, and what it starts.
    for (const name of [
      'find-my-way',
      'preact',
      'ioredis',
      '@aws-sdk/client-s3',
      'otpauth',
      'stopwords-iso',
      'mediainfo.js',
    ])
      assert.ok(required.includes(name), name);
  });

  test('needs no package beside it', () => {
    assert.equal(ours.dependencies, undefined);
    const files = globSync('dist/program/*.{js,cjs}', { cwd: home });
    // Packages that others take if they happen to be there.
    const never = ['@aws-sdk/signature-v4-crt', '@aws-sdk/signature-v4a', 'pg-native'];
    const named = /(?:\brequire\(|\bimport\(?|\bfrom)["'](@?[a-z][\w./-]*)["']/g;
    const others = files.flatMap((file) => {
      const code = readFileSync(join(home, file), 'utf8');
      return [...code.matchAll(named)].map(([, name]) => name!).filter((name) => !isBuiltin(name));
    });
    assert.deepEqual([...new Set(others)].filter((name) => !never.includes(name)).sort(), []);
  });

  test('starts, also without a compile cache', () => {
    // A file lies where the folder of what was compiled would be.
    mkdirSync(join(home, 'node_modules'));
    writeFileSync(join(home, 'node_modules/.cache'), '');
    const args = [join(home, 'bin/barker.js'), '--version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env: cleanEnvironment(), encoding: 'utf8' });
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: `${ours.version}\n`, stderr: '' });
  });

  test('names the lines of the repository in stack traces', () => {
    const { stderr, position } = failingStart(join(home, 'bin/barker.js'));
    assert.ok(stderr.includes(`\n    at ${pathToFileURL(join(home, 'src/main.ts'))}:${position}\n`), stderr);
  });
});
