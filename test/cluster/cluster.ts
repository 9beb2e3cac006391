import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { openBalancer, routeToReady } from '../rig/balancer.ts';
import { freePorts } from '../rig/ports.ts';
import { startPostgres } from '../rig/postgres.ts';
import { startS3 } from '../rig/s3.ts';
import { type Part, startPart, writerOf } from './part.ts';

/** What a cluster is made of. */
export interface ClusterPlan {
  /** How many servers answer calls. */
  readonly nodes: number;
  /** Ports of the balancers; 0 takes any free one. */
  readonly port: number;
  readonly sandboxPort: number;
  /** Everything that is stored lies there. Other users of the machine can pass through it. */
  readonly folder: string;
  /** Is told lines of the log. */
  readonly write: (line: string) => void;
}

/** A running cluster. */
export interface Cluster {
  /** What runs where, and what `barker dev` says: addresses, keys, a command to paste. */
  readonly about: string;
  stop(): Promise<void>;
}

const ENTRY = resolve('bin/barker.js');
const REDIS = ['redis-server', 'valkey-server'];
/** What servers of one demo world have in common. */
const SHARED_FILES = ['dev.json', 'master.key', 'operator.token'];
/** What a server says when it is ready, to the command to paste. */
const WELCOME = /^Barker is ready.*\n(?:.*\n)*?Try it:\n.+\n/m;

/** A server of the cluster. */
interface Server extends Part {
  readonly name: string;
  readonly where: string;
  readonly welcome: string;
}

/**
 * Starts several servers in development mode, a worker, and what they share. If a step fails, what was started is stopped.
 * @source decision 841
 */
export async function startCluster(plan: ClusterPlan): Promise<Cluster> {
  const cleanup = new AsyncDisposableStack();
  try {
    return await start(plan, cleanup);
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

async function start(plan: ClusterPlan, cleanup: AsyncDisposableStack): Promise<Cluster> {
  const { nodes, port, sandboxPort, folder, write } = plan;
  const redisProgram = findProgram(REDIS);
  if (!redisProgram) {
    const how = 'apt-get install -y redis-server, or brew install redis';
    throw new Error(`a cluster needs ${REDIS.join(' or ')}; install it with: ${how}`);
  }
  const database = await startPostgres({ isHasty: true, parent: folder, onLog: writerOf('postgres', write) });
  cleanup.defer(() => database.stop());
  const [redisPort, workerPort, ...ports] = (await freePorts(2 + 2 * nodes)) as [number, number, ...number[]];
  const redisFlags = ['--port', `${redisPort}`, '--bind', '127.0.0.1', '--save', ''];
  const redis = startPart({ name: 'redis', program: redisProgram, args: redisFlags, write });
  cleanup.defer(() => redis.stop());
  await redis.saw(/Ready to accept connections/);
  const objects = await startS3();
  cleanup.defer(() => objects.close());
  const production = await openBalancer(port);
  cleanup.defer(() => production.close());
  const sandbox = await openBalancer(sandboxPort);
  cleanup.defer(() => sandbox.close());
  const shared = {
    ...objects.flags,
    database_url: database.url,
    postgres_connections_max: 4,
    redis_url: `redis://127.0.0.1:${redisPort}/0`,
    public_base_url: production.url,
    public_sandbox_url: sandbox.url,
  };
  const processes: Part[] = [];
  cleanup.defer(() => Promise.all(processes.map((each) => each.stop())).then(() => {}));

  const startServer = async (name: string, settings: Readonly<Record<string, unknown>>): Promise<Server> => {
    const data_folder = join(folder, name);
    mkdirSync(data_folder, { mode: 0o700 });
    for (const file of SHARED_FILES) {
      const from = join(folder, 'api-1', file);
      if (name !== 'api-1') cpSync(from, join(data_folder, file));
    }
    const variables = variablesOf({ ...shared, ...settings, data_folder });
    const server = startPart({
      ...{ name, variables, write, toldApart: /^Barker is ready/ },
      ...{ program: process.execPath, args: [ENTRY, 'dev'] },
    });
    processes.push(server);
    const [welcome] = await server.saw(WELCOME);
    const { port, sandbox_port, operations_port } = settings;
    const where = port ? `${url(port)}, sandbox ${url(sandbox_port)}` : `probes at ${url(operations_port)}`;
    return { ...server, name, where, welcome };
  };
  const portsOf = (at: number): readonly number[] => ports.slice(2 * at, 2 * at + 2);
  const startApi = (at: number): Promise<Server> => {
    const [own, sandbox_port] = portsOf(at);
    return startServer(`api-${at + 1}`, { role: 'api,stream,search', port: own, sandbox_port });
  };
  // It makes the schema and the demo world, which the others join.
  const first = await startApi(0);
  const others = await Promise.all([
    ...Array.from({ length: nodes - 1 }, (_, at) => startApi(at + 1)),
    startServer('worker-1', { role: 'worker', operations_port: workerPort }),
  ]);
  const balanced = Array.from({ length: nodes }, (_, at) => ({
    readyz: `${url(portsOf(at)[0])}/readyz`,
    ports: portsOf(at),
  }));
  cleanup.defer(await routeToReady([production, sandbox], balanced));
  const rows = [
    ...[first, ...others].map(({ name, pid, where }) => [name, `process ${pid}, ${where}`] as const),
    ['postgres', `process ${database.pid()}, ${database.url}`] as const,
    ['redis', `process ${redis.pid}, ${shared.redis_url}`] as const,
    ['objects', `${objects.flags.object_store} at ${objects.flags.object_store_endpoint}, in process ${process.pid}`],
  ];
  const table = rows.map(([name, what]) => `  ${name!.padEnd(10)}${what}\n`).join('');
  return { about: `${table}\n${first.welcome}`, stop: () => cleanup.disposeAsync() };
}

const url = (port: unknown): string => `http://127.0.0.1:${port}`;

function variablesOf(settings: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`BARKER_${name.toUpperCase()}`, String(value)]),
  );
}

/** The first of these programs that is installed. */
function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.find((name) => folders.some((each) => existsSync(join(each, name))));
}
