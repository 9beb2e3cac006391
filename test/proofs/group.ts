import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, setGlobalDispatcher } from 'undici';
import { type Balancer, openBalancer, routeToReady } from '../rig/balancer.ts';
import type { Place } from '../rig/databases.ts';
import { freePorts } from '../rig/ports.ts';
import { type OwnPostgres, startPostgres } from '../rig/postgres.ts';
import { type OwnRedis, startRedis } from '../rig/redis.ts';
import { type Home, openHome } from './load.ts';
import { openRedisLosses, type RedisLosses } from './redis-losses.ts';
import { type Serving, type Site, serve } from './sites.ts';
import { KEEP_ALIVE_S } from './stream.ts';
import { openReachedSite, type Reached, subscribe } from './webhook.ts';

/** A node of a group, which is started again at the same addresses. */
export interface GroupNode {
  site: Site;
  serving: Serving | undefined;
  readonly redisLosses: RedisLosses;
}

/** Nodes of `barker serve` on one database, behind balancers that change the node with each connection. */
export interface Group {
  readonly nodes: readonly GroupNode[];
  /** The addresses of the balancers. */
  readonly site: Site;
  readonly home: Home;
  /** A receiver of webhooks, which is subscribed. */
  readonly reached: Reached;
  readonly database: OwnPostgres;
  /** The way of all nodes to the database. */
  readonly databaseBalancer: Balancer;
  readonly redis: OwnRedis;
  readonly redisLosses: RedisLosses;
  /** A folder of its own. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Starts a group of nodes, each with these flags of `barker serve`. */
export async function openGroup(count: number, flags: readonly string[] = []): Promise<Group> {
  // Each request has a connection of its own, which the balancer gives to the next node.
  setGlobalDispatcher(new Agent({ pipelining: 0 }));
  const ends: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), 'barker-nodes-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const [database, redis] = await Promise.all([startPostgres(), startRedis()]);
    ends.push(() => Promise.all([database.stop(), redis.stop()]));
    const databaseBalancer = await openBalancer();
    ends.push(() => databaseBalancer.close());
    databaseBalancer.route([Number(new URL(database.url).port)]);
    const databaseUrl = Object.assign(new URL(database.url), { port: new URL(databaseBalancer.url).port }).href;
    const place = placeIn(folder, 1, databaseUrl);
    const objects = join(folder, 'objects');
    const shared = ['--object-store', objects, '--access-log', 'off', '--media-processing-s', '0'];
    const keepAlive = ['--stream-keep-alive-s', `${KEEP_ALIVE_S}`];
    const { site: opened, reached } = await openReachedSite(place, [...shared, ...keepAlive, ...flags]);
    ends.push(() => reached.close());
    const first = { ...opened, objects, env: { ...opened.env, BARKER_REDIS_URL: redis.url } };
    const balancers = await Promise.all([openBalancer(), openBalancer()]);
    ends.push(() => Promise.all(balancers.map((each) => each.close())));
    const ports = await freePorts(3 * count);
    const redisLosses = openRedisLosses();
    const urls = ['--public-base-url', balancers[0].url, '--public-sandbox-url', balancers[1].url];
    const nodes = Array.from({ length: count }, (_, at): GroupNode => {
      const site = { ...first, flags: [...first.flags, ...urls], place: placeIn(folder, at + 1, databaseUrl) };
      return { site: atPorts(site, ports.slice(3 * at, 3 * at + 3)), serving: undefined, redisLosses };
    });
    ends.push(() => Promise.all(nodes.map(async ({ serving }) => serving?.kill())));
    await Promise.all(nodes.map(startNode));
    const balanced = nodes.map(({ site }) => ({
      readyz: `${site.operations}/readyz`,
      ports: [site.production, site.sandbox].map((url) => Number(new URL(url).port)),
    }));
    ends.push(await routeToReady(balancers, balanced));
    const site = { ...first, production: balancers[0].url, sandbox: balancers[1].url };
    const home = await openHome(site);
    await subscribe(site);
    return { ...{ nodes, site, home, reached, database, databaseBalancer, redis, redisLosses, folder }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Starts a node; resolves when it has logged that it is ready. */
export async function startNode(node: GroupNode): Promise<void> {
  node.serving = await serve(node.site, node.redisLosses.listen());
}

/** Throws when a node ended by itself. */
export function assertAllRun({ nodes }: Group): void {
  for (const { serving } of nodes) {
    if (serving?.exitCode() !== undefined) throw new Error(`a node ended by itself:\n${serving.output()}`);
  }
}

/** A data folder of a node of its own. */
function placeIn(folder: string, number: number, databaseUrl: string): Place {
  const own = join(folder, `node-${number}`);
  mkdirSync(own, { recursive: true });
  return { folder: own, databaseUrl, async remove() {} };
}

function atPorts(site: Site, ports: readonly number[]): Site {
  const names = ['--port', '--sandbox-port', '--operations-port'];
  const [production, sandbox, operations] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string, string];
  // Of a flag that is given twice, the last one counts.
  const flags = [...site.flags, ...ports.flatMap((port, at) => [names[at]!, `${port}`])];
  return { ...site, production, sandbox, operations, flags };
}
