// On either database: a cluster starts PostgreSQL itself.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { systemClock } from '../../src/base/clock.ts';
import { needPackages } from '../clients/debian.ts';
import { clientOf, type Keys } from '../rig/client.ts';
import { until } from '../rig/patience.ts';
import { JPEG } from '../rig/tiny-media.ts';
import { upload } from '../rig/uploading.ts';
import { cleanEnvironment } from './program.ts';

/** A cluster that runs, and what it said. */
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output(): string;
  /** The leader of the process group of all parts. */
  readonly group: number;
  readonly folder: string;
  readonly file: Keys & Readonly<Record<string, string>>;
}

let starting: Awaited<ReturnType<typeof launch>> | undefined;
afterEach(async () => {
  starting?.child.kill('SIGKILL');
  await starting?.ended;
  starting = undefined;
});

const RUN = {
  node: [process.execPath, 'test/cluster/run.ts'],
  npm: ['npm', 'run', '--silent', 'cluster', '--'],
} as const;

async function launch(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  how: keyof typeof RUN = 'node',
) {
  const [program, ...args] = RUN[how];
  const child = spawn(program, [...args, ...flags], {
    env: { ...cleanEnvironment(), npm_lifecycle_event: undefined, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = new Promise<number | null>((done) => void child.on('close', (code) => done(code)));
  return { child, ended, output: () => output };
}

async function startCluster(flags: readonly string[], how: 'node' | 'npm' = 'node'): Promise<Running> {
  needPackages('redis-server');
  starting = await launch(flags, {}, how);
  const { child, ended, output } = starting;
  await until('it has said what to try', () => {
    assert.equal(child.exitCode, null, output());
    return /^Try it:\n.+\n/m.test(output());
  });
  const [, path] = /^ +keys +(.+)$/m.exec(output())!;
  const group = keeperOf(path!);
  return {
    child,
    ended,
    output,
    group,
    folder: dirname(dirname(path!)),
    file: JSON.parse(readFileSync(path!, 'utf8')),
  };
}

/** The fields of the state of each process, from its parent on. */
function states(): ReadonlyMap<number, readonly string[]> {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    all.flatMap((pid) => {
      try {
        return [[Number(pid), readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')]];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    }),
  );
}

/** The process that keeps the parts of a cluster. */
function keeperOf(devFile: string): number {
  const folder = dirname(dirname(devFile));
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  const line = stdout.split('\n').find((each) => each.includes('keeper.ts') && each.includes(folder));
  assert.ok(line, 'no process keeps the cluster');
  return Number.parseInt(line, 10);
}

/** The processes of a group that have not ended. */
const membersOf = (group: number): number[] =>
  [...states()].filter(([, [state, , of]]) => Number(of) === group && state !== 'Z').map(([pid]) => pid);
const pidOf = (name: string, { output }: Running): number =>
  Number(new RegExp(`^ {2}${name} +process (\\d+)`, 'm').exec(output())![1]);

async function assertNothingLeft({ group, folder }: Running): Promise<void> {
  await until('no process of it is left', () => membersOf(group).length === 0);
  await until('its folder is gone', () => !existsSync(folder));
}

describe('npm run cluster', () => {
  test('answers through its balancer, also when a server is killed, and ends with all its parts', async () => {
    const dispatcher = getGlobalDispatcher();
    // Each request has a connection of its own, so that the balancer gives it to the next server.
    setGlobalDispatcher(new Agent({ pipelining: 0 }));
    try {
      const cluster = await startCluster(['--nodes', '3']);
      const { file } = cluster;
      const client = clientOf(file.base_url!, file, systemClock);
      const names = ['api-1', 'api-2', 'api-3', 'worker-1', 'postgres', 'redis'];
      const members = membersOf(cluster.group);
      for (const name of names) assert.ok(members.includes(pidOf(name, cluster)), name);
      const list = () => client.call('GET', '/12/accounts');
      for (let round = 0; round < 6; round++) assert.equal((await list()).status, 200);
      const sent = await upload(client, JPEG, { media_type: 'image/jpeg' });
      assert.equal(sent.status, 200, sent.text);
      process.kill(pidOf('api-2', cluster), 'SIGKILL');
      await until('the end of that server was told', () => /api-2 +\| ended with SIGKILL/.test(cluster.output()));
      // Until the balancer has looked again, it may send a call there.
      for (let inARow = 0; inARow < 6; ) {
        const status = await list().then((reply) => reply.status, String);
        inARow = status === 200 ? inARow + 1 : 0;
        assert.ok(status === 200 || typeof status === 'string', `${status}`);
      }
      assert.ok(membersOf(cluster.group).length > 4);
      cluster.child.kill('SIGINT');
      assert.equal(await cluster.ended, 0, cluster.output());
      await assertNothingLeft(cluster);
    } finally {
      setGlobalDispatcher(dispatcher);
    }
  });

  for (const how of ['node', 'npm'] as const) {
    test(`leaves nothing behind when what started it, ${how}, is killed`, async () => {
      const cluster = await startCluster(['--nodes', '1'], how);
      assert.ok(membersOf(cluster.group).length > 4);
      cluster.child.kill('SIGKILL');
      await assertNothingLeft(cluster);
    });
  }

  test('leaves nothing behind when what keeps the parts is killed', async () => {
    const cluster = await startCluster(['--nodes', '1']);
    process.kill(cluster.group, 'SIGKILL');
    assert.equal(await cluster.ended, 1);
    await assertNothingLeft(cluster);
  });

  test('says what is wrong', async () => {
    const redis = 'a cluster needs redis-server or valkey-server; install it with: ';
    for (const [flags, env, code, says] of [
      [['--nodes', '0'], {}, 2, '--nodes: expected an integer from 1 to 8, got "0"\n'],
      [['--port', 'x'], {}, 2, '--port: expected an integer from 0 to 65535, got "x"\n'],
      [[], { PATH: '/nowhere' }, 1, `${redis}apt-get install -y redis-server, or brew install redis\n`],
    ] as const) {
      starting = await launch(flags, env);
      assert.equal(await starting.ended, code);
      assert.equal(starting.output(), says);
    }
  });
});
