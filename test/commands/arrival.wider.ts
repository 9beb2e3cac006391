// On either database: development servers have one of their own.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { archiveFor } from '../../build/archives.ts';
import { instructions } from '../rig/instructions.ts';
import { until } from '../rig/patience.ts';
import { openRegistry, type Registry } from '../rig/registry.ts';
import { recordSecrets } from '../rig/secrets.ts';
import { tarballIn } from '../rig/tarball.ts';
import { cleanEnvironment, type Outcome } from './program.ts';

const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const platform = `${process.platform}-${process.arch}`;
/** Whether programs can be started in a network of their own, in which there is nothing else. */
const isApart = process.getuid?.() === 0 && existsSync('/usr/bin/unshare') && existsSync('/usr/bin/nsenter');

let home: string;
let tarball: string;
let registry: Registry;
let env: Record<string, string>;
const table: string[] = [];

const folderFor = (name: string): string => {
  mkdirSync(join(home, name), { recursive: true });
  return join(home, name);
};

async function run(cwd: string, program: string, ...args: string[]): Promise<Outcome> {
  return promisify(execFile)(program, args, { cwd, env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** Starts a server in a folder, makes the first signed call, and adds a line with what it took to the table. */
async function arrive(way: string, cwd: string, begun_ms: number, size: string, [program, ...args]: string[]) {
  const started_ms = performance.now();
  const isWithout = way === 'archive' && isApart;
  const dev = [program!, ...args, 'dev', '--port', '0', '--sandbox-port', '0'];
  const apart = ['unshare', '--net', 'sh', '-c', 'ip link set lo up; exec "$@"', 'sh'];
  const [first, ...rest] = isWithout ? [...apart, ...dev] : dev;
  const server: ChildProcess = spawn(first!, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (chunk) => (output += chunk));
  try {
    await until(
      () => `it is ready: ${output}`,
      () => /Try it:\n.+\n/.test(output) || server.exitCode !== null,
    );
    const ready_ms = performance.now();
    recordSecrets(JSON.parse(readFileSync(join(cwd, 'data/dev.json'), 'utf8')));
    const call = [program!, ...args, 'call', 'GET', '/12/accounts'];
    const inside = isWithout ? ['nsenter', '--net', '--target', String(server.pid), ...call] : call;
    const { code, stdout, stderr } = await run(cwd, inside[0]!, ...inside.slice(1));
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).data[0].name, 'Demo account');
    const mb = Number(execFileSync('du', ['-sm', size], { encoding: 'utf8' }).split('\t')[0]);
    const s = (ms: number): string => (ms / 1000).toFixed(1).padStart(6);
    const called_ms = performance.now();
    table.push(
      `${way.padEnd(9)}${s(started_ms - begun_ms)}${s(ready_ms - started_ms)}${s(called_ms - begun_ms)}${String(mb).padStart(6)}`,
    );
    return { output, mb };
  } finally {
    const ended = new Promise((done) => server.once('exit', done));
    if (server.exitCode === null && server.kill('SIGTERM')) await ended;
  }
}

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'barker-arrival-'));
  tarball = await tarballIn(home);
  registry = await openRegistry(home, tarball, Object.keys(optionalDependencies));
  const own = Object.entries(cleanEnvironment()).filter(([name]) => !/^(npm_|INIT_CWD|NODE)/.test(name));
  env = {
    ...Object.fromEntries(own),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folderFor('user'),
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
  };
});
after(() => {
  registry.close();
  rmSync(home, { recursive: true, force: true });
  process.stdout.write(
    `\n           make ready  call    MB   (seconds; the call from the beginning)\n${table.join('\n')}\n\n`,
  );
});

describe('a first signed call', () => {
  test('comes from the package, installed as a file, in at most 60 MB', async () => {
    const begun_ms = performance.now();
    const cwd = folderFor('installed');
    const { code, stderr } = await run(cwd, 'npm', 'install', '--no-save', '--no-audit', tarball);
    assert.equal(code, 0, stderr);
    const modules = join(cwd, 'node_modules');
    const { mb } = await arrive('tarball', cwd, begun_ms, modules, ['npx', '--no-install', 'barker']);
    assert.ok(mb <= 60, `${mb} MB`);
  });

  test('comes from the registry, with nothing installed', async () => {
    const program = ['npx', '--yes', '@barker-ads/server'];
    const { mb } = await arrive('npx', folderFor('npx'), performance.now(), join(home, 'cache/_npx'), program);
    assert.ok(mb <= 60, `${mb} MB`);
  });

  test('comes from the archive of this system, in an empty folder without a network', async () => {
    process.env.XZ_OPT = '-0';
    const file = await archiveFor(platform, process.versions.node, {
      version,
      tarball,
      into: home,
      changed_s: 1_790_000_000,
    });
    const before = env;
    for (const name of ['npm_config_registry', 'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      env = { ...env, [name]: 'http://127.0.0.1:9/' };
    const begun_ms = performance.now();
    const cwd = folderFor('archive');
    execFileSync('tar', ['-xJf', join(home, file), '-C', cwd]);
    const folder = join(cwd, `barker-${version}-${platform}`);
    const { output } = await arrive('archive', cwd, begun_ms, folder, [join(folder, 'barker')]);
    env = before;
    assert.match(output, new RegExp(`Try it:\n {2}${join(folder, 'barker')} call GET /12/accounts\n`));
  });
});

describe('a package of somebody else with the name of the command', () => {
  const mark = (): string => (existsSync(registry.mark) ? readFileSync(registry.mark, 'utf8') : '');

  test('is run by no command of any document, wherever it is pasted', async () => {
    // How npx is started, without what is then passed to the program: by what it would download.
    const launches = new Set<string>();
    for (const text of instructions().values())
      for (const [, flags, name] of text.matchAll(/\bnpx\b[\s'",[]+((?:--?[a-z-]+[\s'",]+)*)([@\w/.-]+)/g))
        launches.add(`${flags!.replaceAll(/[\s'",]+/g, ' ')}${name}`);
    assert.ok(launches.has('--no-install barker'));
    for (const launch of launches) {
      const words = launch.split(' ');
      const empty = await run(folderFor('empty'), 'npx', ...words, '--version');
      assert.notEqual(empty.code, 0, launch);
      for (const cwd of [join(home, 'installed'), resolve('.')]) {
        const { code, stdout, stderr } = await run(cwd, 'npx', ...words, '--version');
        assert.deepEqual({ code, stdout }, { code: 0, stdout: `${version}\n` }, `${launch} in ${cwd}: ${stderr}`);
      }
    }
    assert.equal(mark(), '');
    assert.ok(registry.asked.includes('@barker-ads/server'));
  });

  test('would run if a document named it', async () => {
    await run(folderFor('careless'), 'npx', '--yes', 'barker', '--version');
    assert.match(mark(), /^barker\n/);
  });
});
