import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { instructions } from '../rig/instructions.ts';
import { openRegistry, type Registry } from '../rig/registry.ts';
import { tarballIn } from '../rig/tarball.ts';
import { cleanEnvironment, type Outcome } from './program.ts';

const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

let home: string;
let registry: Registry;
let env: Record<string, string>;

const folderFor = (name: string): string => {
  mkdirSync(join(home, name), { recursive: true });
  return join(home, name);
};
const mark = (): string => (existsSync(registry.mark) ? readFileSync(registry.mark, 'utf8') : '');

async function npx(cwd: string, ...args: string[]): Promise<Outcome> {
  return promisify(execFile)('npx', args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'barker-registry-'));
  registry = await openRegistry(home, await tarballIn(home), Object.keys(optionalDependencies));
  const own = Object.entries(cleanEnvironment()).filter(([name]) => !/^(npm_|INIT_CWD|NODE)/.test(name));
  env = {
    ...Object.fromEntries(own),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folderFor('user'),
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
});
after(() => {
  registry.close();
  rmSync(home, { recursive: true, force: true });
});

test('the package runs from the registry, with nothing installed', async () => {
  const { code, stdout, stderr } = await npx(folderFor('npx'), '--yes', '@barker-ads/server', '--version');
  assert.deepEqual({ code, stdout }, { code: 0, stdout: `${version}\n` }, stderr);
});

test('a package of somebody else with the name of the command is run by no command of any document', async () => {
  // How npx is started, without what is then passed to the program: by what it would download.
  const launches = new Set<string>();
  for (const text of instructions().values())
    for (const [, flags, name] of text.matchAll(/\bnpx\b[\s'",[]+((?:--?[a-z-]+[\s'",]+)*)([@\w/.-]+)/g))
      launches.add(`${flags!.replaceAll(/[\s'",]+/g, ' ')}${name}`);
  assert.ok(launches.has('--no-install barker'));
  for (const launch of launches) {
    const words = launch.split(' ');
    assert.notEqual((await npx(folderFor('empty'), ...words, '--version')).code, 0, launch);
    const { code, stdout, stderr } = await npx(resolve('.'), ...words, '--version');
    assert.deepEqual({ code, stdout }, { code: 0, stdout: `${version}\n` }, `${launch}: ${stderr}`);
  }
  assert.equal(mark(), '');
});

test('it would run if a document named it', async () => {
  await npx(folderFor('careless'), '--yes', 'barker', '--version');
  assert.match(mark(), /^barker\n/);
});
