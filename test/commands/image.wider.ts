// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Stage, type Step, stagesOf } from '../rig/dockerfile.ts';
import { freePorts } from '../rig/ports.ts';
import { cleanEnvironment, MASTER_KEY } from './program.ts';

// No machine of ours has a container engine, so the lines of the Dockerfile are done here, each in the folder that stands for
// the root of its stage.

/** The user `node` of the image; a test that is not run by root is that user. */
const USER = process.getuid!() === 0 ? 1000 : process.getuid!();

interface Built {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly last: (keyword: string) => Step;
}

let folder: string;
let image: Built;

/** Does the lines of a stage. */
function build(stage: Stage, root: string, others: ReadonlyMap<string, Built>): Built {
  let workdir = '/';
  const env: Record<string, string> = {};
  const at = (path: string): string => join(root, resolve(workdir, path));
  mkdirSync(root, { recursive: true });
  for (const { keyword, words, text, flags, variables } of stage.steps) {
    if (keyword === 'WORKDIR') {
      workdir = resolve(workdir, words[0]!);
      mkdirSync(at('.'), { recursive: true });
    } else if (keyword === 'ENV') Object.assign(env, variables);
    else if (keyword === 'RUN') {
      const line = text.replaceAll(' /', ` ${root}/`).replaceAll('=node ', `=${USER} `);
      mkdirSync(join(root, 'var/lib'), { recursive: true });
      execFileSync('sh', ['-euc', line], {
        cwd: at('.'),
        env: { ...plain(), ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    } else if (keyword === 'COPY') {
      const from = flags.from === undefined ? resolve('.') : others.get(flags.from)!.root;
      const to = words.at(-1)!;
      for (const word of words
        .slice(0, -1)
        .flatMap((each) => (each.includes('*') ? globSync(each, { cwd: from }) : each))) {
        const into = to.endsWith('/') ? join(at(to), basename(word)) : at(to);
        cpSync(join(from, word), into, { recursive: true });
      }
    }
  }
  return { root, env, workdir: at('.'), last: (keyword) => stage.steps.findLast((each) => each.keyword === keyword)! };
}

/** As a login shell has it, with the authorities that the machine trusts: npm asks the registry again and again otherwise. */
function plain(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(cleanEnvironment()).filter(([name]) => !/^(npm_|INIT_CWD|NODE(?!_EXTRA_CA_CERTS))/.test(name)),
  );
}

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'barker-image-'));
  chmodSync(folder, 0o755);
  const built = new Map<string, Built>();
  for (const [index, stage] of stagesOf('Dockerfile').entries()) {
    image = build(stage, join(folder, String(index)), built);
    if (stage.name) built.set(stage.name, image);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** The program and arguments of a JSON list, as this machine finds them. */
const mapped = (list: readonly string[]): [string, string[]] => {
  const [program, ...args] = list.map((word) => (word.startsWith('/') ? join(image.root, word) : word));
  return [program === 'node' ? process.execPath : program!, args];
};

describe('the image', () => {
  let environment: Record<string, string>;
  before(async () => {
    const [port, sandbox, operations] = await freePorts(3);
    environment = {
      ...plain(),
      ...image.env,
      BARKER_DATA_FOLDER: join(image.root, image.env.BARKER_DATA_FOLDER!),
      BARKER_MASTER_KEY: MASTER_KEY,
      BARKER_PUBLIC_BASE_URL: 'https://ads.example.org',
      BARKER_TRUSTED_PROXIES: '127.0.0.1',
      BARKER_PORT: String(port),
      BARKER_SANDBOX_PORT: String(sandbox),
      BARKER_OPERATIONS_PORT: String(operations),
    };
  });
  const options = () => ({ cwd: image.workdir, env: environment, uid: USER, gid: USER, encoding: 'utf8' }) as const;
  const run = (args: readonly string[]) => {
    const [program, all] = mapped([...image.last('ENTRYPOINT').list, ...args]);
    return spawnSync(program, all, options());
  };
  const health = () => {
    const { text } = image.last('HEALTHCHECK');
    const [program, args] = mapped(JSON.parse(/CMD (\[.*\])$/.exec(text)![1]!));
    const { status, stdout, stderr } = spawnSync(program, args, options());
    return { status, said: stdout + stderr };
  };

  test('contains only what is needed to run', () => {
    assert.deepEqual(readdirSync(image.workdir).sort(), ['bin', 'built', 'dist', 'package.json']);
    assert.ok(existsSync(join(image.workdir, 'built/islands/manifest.json')));
    assert.ok(existsSync(join(image.workdir, 'built/site/index.html')));
    const kilobytes = Number(execFileSync('du', ['-sk', image.root], { encoding: 'utf8' }).split('\t')[0]);
    assert.ok(kilobytes < 80_000, `${kilobytes} kB`);
  });

  test('migrates, serves and is healthy without privileges, and stops cleanly', async () => {
    const migrated = run(['migrate']);
    assert.equal(migrated.status, 0, migrated.stderr);
    assert.equal(health().status, 1);
    const [program, args] = mapped([...image.last('ENTRYPOINT').list, ...image.last('CMD').list]);
    const { encoding: _, ...how } = options();
    const service = spawn(program, args, { ...how, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      let log = '';
      await new Promise<void>((done, failed) => {
        service.stdout.on('data', (chunk) => {
          log += chunk;
          if (log.includes('"message":"ready"')) done();
        });
        service.stderr.on('data', (chunk) => (log += chunk));
        service.on('exit', (code) => failed(new Error(`ended with ${code}: ${log}`)));
      });
      assert.deepEqual(health(), { status: 0, said: 'ready\n' });
      const ended = new Promise((done) => service.once('exit', done));
      service.kill('SIGTERM');
      assert.equal(await ended, 0, log);
      assert.equal(health().status, 1);
    } finally {
      service.kill('SIGKILL');
    }
  });

  test('writes only to its volume', () => {
    const volume = join(image.root, image.last('VOLUME').list[0]!);
    assert.equal(statSync(volume).uid, USER);
    assert.equal(statSync(volume).mode & 0o777, 0o700);
    assert.ok(existsSync(join(volume, 'barker.db')));
    const written = execFileSync('find', [image.root, '-user', String(USER), '-not', '-path', `${volume}*`], {
      encoding: 'utf8',
    });
    if (process.getuid!() === 0) assert.equal(written, '');
  });
});
