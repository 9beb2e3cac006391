import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, setGlobalDispatcher } from 'undici';
import type { DependencyOverrides } from '../../src/app/dependencies.ts';
import type { Service } from '../../src/app/server.ts';
import { startDev } from '../../src/cli/dev.ts';
import type { Settings } from '../../src/settings.ts';
import { openBalancer } from './balancer.ts';
import { freePorts } from './ports.ts';
import { startRedis } from './redis.ts';

/** How many nodes each world on PostgreSQL has, behind a balancer; one unless the run names more. */
export const nodeCount = Number(process.env.TEST_NODES ?? 1);

/** The addresses of one node. */
export interface Origins {
  readonly production: string;
  readonly sandbox: string;
}

/** What the nodes of a world share. */
export interface WorldNodes {
  /** What the settings of every node name. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Starts the other nodes beside the first one; returns the service of all. */
  join(first: Service): Promise<Service>;
  services(): readonly Service[];
  /** The addresses of the nodes themselves, behind the balancers. */
  readonly origins: readonly Origins[];
  /** After the first node has been closed. */
  close(): Promise<void>;
}

/** How the nodes of a world are started. */
export interface WorldNodesOptions {
  readonly count: number;
  /** What they share lies there, and their own folders. */
  readonly folder: string;
  /** A Redis that is there already; otherwise they get one of their own. */
  readonly redisUrl: string | undefined;
  /** How each of them reaches it, if not by the same URL. */
  readonly redisUrls?: readonly string[] | undefined;
  readonly seams: DependencyOverrides;
}

/** Opens what the nodes of a world share. */
export async function openWorldNodes(options: WorldNodesOptions): Promise<WorldNodes> {
  const { count, folder, redisUrls, redisUrl = redisUrls?.[0], seams } = options;
  // Every request has a connection of its own, so that the balancer gives it to the next node.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  const [production, sandbox] = await Promise.all([openBalancer(), openBalancer()]);
  const services: Service[] = [];
  // The address of a node is that of its balancer.
  const ports = await freePorts(2 * count);
  const portsOf = (node: number) => ({ port: ports[2 * node - 2]!, sandbox_port: ports[2 * node - 1]! });
  const redis = redisUrl === undefined ? await startRedis() : undefined;
  return {
    flags: {
      redis_url: redis?.url ?? redisUrl,
      // However busy the machine is: tests that lose Redis start their own.
      ...(redis && { redis_timeout_ms: 10_000 }),
      object_store: join(folder, 'objects'),
      // Many worlds share one database server.
      postgres_connections_max: 4,
      public_base_url: production.url,
      public_sandbox_url: sandbox.url,
      ...portsOf(1),
    },
    async join(first) {
      services.push(first);
      for (let node = 2; node <= count; node++) {
        const { redis_url } = first.settings;
        const own = { redis_url: redisUrls?.[node - 1] ?? redis_url, ...portsOf(node) };
        services.push(await startBeside({ ...first.settings, ...own }, node, seams));
      }
      production.route(ports.filter((_, at) => at % 2 === 0));
      sandbox.route(ports.filter((_, at) => at % 2 === 1));
      const jobs = new Proxy(first.jobs, {
        get(own, name) {
          if (name === 'runDue') return runAllDue;
          const member = Reflect.get(own, name, own);
          return typeof member === 'function' ? member.bind(own) : member;
        },
      });
      return { ...first, jobs, close: closeAll };
    },
    services: () => services,
    origins: Array.from({ length: count }, (_, at) => ({
      production: `http://127.0.0.1:${portsOf(at + 1).port}`,
      sandbox: `http://127.0.0.1:${portsOf(at + 1).sandbox_port}`,
    })),
    async close() {
      await Promise.all([production.close(), sandbox.close(), redis?.stop()]);
    },
  };

  /** Whichever node took a job, it has ended. */
  async function runAllDue(): Promise<void> {
    for (const { jobs } of services) await jobs.runDue();
  }

  async function closeAll(): Promise<number> {
    const cut = await Promise.all(services.splice(0).map((service) => service.close()));
    return cut.reduce((sum, each) => sum + each, 0);
  }
}

/** Starts a node with the settings of another, and a data folder of its own. */
async function startBeside(settings: Settings, node: number, seams: DependencyOverrides): Promise<Service> {
  const data_folder = join(settings.data_folder, `node-${node}`);
  mkdirSync(data_folder, { recursive: true, mode: 0o700 });
  for (const file of ['dev.json', 'master.key', 'operator.token']) {
    cpSync(join(settings.data_folder, file), join(data_folder, file), { force: true, errorOnExist: false });
  }
  return (await startDev({ ...settings, data_folder }, { reset: false, seams })).service;
}
