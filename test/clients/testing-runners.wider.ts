// On either database: the servers that it starts have one of their own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { PATIENCE_MS, until } from '../rig/patience.ts';
import { tarballIn } from '../rig/tarball.ts';
import { needPackages } from './debian.ts';
import { type NpmProject, openNpmProject } from './npm-project.ts';

/** A project of somebody who has the package, and the runners. @source decision 897 */
let project: NpmProject;

/** The versions of Node.js that it is tried with, by their names. */
const NODES: Readonly<Record<string, () => string>> = {
  'Node 20': () => join(project.folder, 'node_modules', `node-20-linux-${process.arch}`, 'bin/node'),
  [`Node ${process.versions.node.split('.')[0]}`]: () => process.execPath,
};

before(async () => {
  project = await openNpmProject('test/clients/runners');
  await project.run('npm', ['install', '--no-save', '--prefer-offline', await tarballIn(project.home)]);
});
after(() => project.remove());

/** Both runners give a test five seconds by default, which is too little on a machine that runs much else. */
const TIMEOUT = `--testTimeout=${PATIENCE_MS}`;
const RUNNERS: [name: string, args: string[], passed: RegExp][] = [
  [
    'jest',
    ['node_modules/jest/bin/jest.js', '--rootDir', 'jest', '--config', '{}', TIMEOUT],
    /^Tests: +5 passed, 5 total$/m,
  ],
  ['vitest', ['node_modules/vitest/vitest.mjs', 'run', '--root', 'vitest', TIMEOUT], /^ +Tests +4 passed \(4\)$/m],
  ['node:test', ['--test', '--test-reporter=tap', 'node/campaigns.test.mjs'], /^# pass 5\n# fail 0$/m],
];

for (const [version, program] of Object.entries(NODES)) {
  describe(`@barker-ads/server/testing from the package, with ${version}`, () => {
    test('runs with that version', async () => {
      const { stdout } = await project.run(program(), ['--version']);
      assert.ok(stdout.startsWith(`v${version.slice(5)}.`), stdout);
    });

    test('ends with the process that started it, when that is killed', async () => {
      const child = spawn(program(), ['killed.mjs'], { ...project.surroundings, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(createInterface(child.stdout), 'line');
      const { url, dataFolder } = JSON.parse(line);
      assert.equal((await fetch(`${url}/livez`)).status, 200);
      child.kill('SIGKILL');
      await until(`${dataFolder} is gone`, () => !existsSync(dataFolder));
      await assert.rejects(fetch(url));
    });

    for (const [name, args, passed] of RUNNERS) {
      test(`works in ${name}`, async () => {
        const { stdout, stderr } = await project.run(program(), args);
        assert.match(stdout + stderr, passed);
      });
    }
  });
}

/** The languages of the examples in docs/testing.md, as its blocks name them. */
const EXAMPLES: [language: string, file: string, program: string, args: string[], passed: RegExp][] = [
  ['ts', 'example.ts', process.execPath, ['--test', '--test-reporter=tap'], /^# pass 2\n# fail 0$/m],
  // Debian's own interpreters alone see Debian's packages.
  ['python', 'example.py', '/usr/bin/python3', [], /^Ran 1 test in .*\n\nOK$/m],
  ['ruby', 'example.rb', '/usr/bin/ruby', [], /^1 runs, 1 assertions, 0 failures, 0 errors, 0 skips$/m],
];

describe('docs/testing.md', () => {
  const page = readFileSync('docs/testing.md', 'utf8');
  before(() => needPackages('python3-requests-oauthlib', 'ruby-oauth'));

  test('has no other examples', () => {
    const languages = [...page.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
    assert.deepEqual(
      // The steps for CI are those of commands/action.
      languages.filter((language) => language !== 'yaml'),
      EXAMPLES.map(([language]) => language),
    );
  });

  for (const [language, file, program, args, passed] of EXAMPLES) {
    test(`has an example in ${language} that works unchanged`, async () => {
      const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)!;
      writeFileSync(join(project.folder, file), code!);
      const { stdout, stderr } = await project.run(program, [...args, file]);
      assert.match(stdout + stderr, passed);
    });
  }
});

test('examples/ci-testing passes its tests', async () => {
  const home = join(project.folder, 'ci-testing');
  cpSync('examples/ci-testing', home, { recursive: true });
  symlinkSync(resolve('node_modules/oauth-1.0a'), join(project.folder, 'node_modules/oauth-1.0a'));
  const { stdout, stderr } = await project.run(process.execPath, [
    '--test',
    '--test-reporter=tap',
    'ci-testing/test/*.mjs',
  ]);
  assert.match(stdout + stderr, /^# pass 4\n# fail 0$/m);
});

test('it leaves nothing behind', () => {
  assert.deepEqual(
    readdirSync(project.temporary).filter((name) => name.startsWith('barker-')),
    [],
  );
});

test('its types are right for ES modules and for CommonJS', async () => {
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,esnext.disposable',
  ];
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  const files = ['types/usage.mts', 'types/usage.cts'];
  await project.run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...options, ...types, ...files]);
});
