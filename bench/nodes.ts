import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlace } from '../test/rig/databases.ts';
import { startPostgres } from '../test/rig/postgres.ts';
import { startRedis } from '../test/rig/redis.ts';
import { type LoadPlan, load } from './rig/load.ts';
import { median } from './rig/report.ts';
import { accountWithCampaigns } from './rig/signed.ts';
import { cpuSeconds, familySeconds, startBarker, type Target } from './rig/target.ts';

const SIZES = [1, 2, 4];
const ROUNDS = 5;
const CONNECTIONS = 32;

/** What a request costs, in microseconds of processor time. */
interface Cost {
  readonly perSecond: number;
  readonly node_us: number;
  readonly postgres_us: number;
  readonly redis_us: number;
}

/** Requests a second, and processor time of nodes, PostgreSQL and Redis a request, with 1, 2 and 4 nodes; the cost of the fence. */
export async function run(): Promise<void> {
  const [server, redis] = await Promise.all([startPostgres(), startRedis()]);
  process.env.TEST_POSTGRES_URL = server.url;
  const folder = mkdtempSync(join(tmpdir(), 'barker-bench-nodes-'));
  const place = await openPlace('postgres');
  const shared = { databaseUrl: place.databaseUrl, redisUrl: redis.url, objects: join(folder, 'objects') };
  const first = await startBarker({ ...shared, folder: join(folder, '1') });
  const nodes = [first];
  const { path, campaign, instrument } = await accountWithCampaigns(first, 40);
  for (let number = 2; number <= Math.max(...SIZES); number++) {
    const own = { folder: join(folder, String(number)), beside: first.folder };
    nodes.push(await startBarker({ ...shared, ...own }));
  }
  const get = { method: 'GET', paths: [`${path}/campaigns/${campaign}`] };
  const create = {
    method: 'POST',
    paths: [`${path}/campaigns`],
    form: [
      ['name', 'Campaign #'],
      ['funding_instrument_id', instrument],
      ['entity_status', 'PAUSED'],
      ['daily_budget_amount_local_micro', '140000000'],
    ] as const,
  };

  /** Loads these nodes at once, for a second each. */
  const measure = async (targets: readonly Target[], what: Pick<LoadPlan, 'method' | 'paths' | 'form'>) => {
    const read = (): number[] => [
      targets.reduce((sum, target) => sum + target.cpu_s(), 0),
      familySeconds(server.pid()),
      cpuSeconds(redis.pid()),
    ];
    const before = read();
    const plan = { ...what, requests: 40_000, connections: CONNECTIONS / targets.length, seconds: 2 };
    const results = await Promise.all(
      targets.map(({ file }) => load({ ...plan, keys: file, origin: file.sandbox_url })),
    );
    const completed = results.reduce((sum, each) => sum + each.completed, 0);
    const [node_us, postgres_us, redis_us] = read().map((now, at) => ((now - before[at]!) / completed) * 1e6);
    const perSecond = results.reduce((sum, each) => sum + each.perSecond, 0);
    return { perSecond, node_us, postgres_us, redis_us } as Cost;
  };

  for (const [title, what] of Object.entries({ get, create })) {
    const costs = new Map<string, Cost[]>();
    for (let round = 0; round <= ROUNDS; round++) {
      for (const size of SIZES) {
        const cost = await measure(nodes.slice(0, size), what);
        // The first round warms up.
        if (round > 0) costs.set(`${size}`, [...(costs.get(`${size}`) ?? []), cost]);
      }
    }
    print(`${title}, ${CONNECTIONS} connections`, costs);
  }
  await Promise.all(nodes.map((node) => node.close()));

  const alone = { databaseUrl: shared.databaseUrl, objects: shared.objects, beside: first.folder };
  const fenced = await startBarker({ ...alone, folder: join(folder, 'fenced') });
  const costs = new Map<string, Cost[]>();
  for (const name of ['fenced', 'without fence']) costs.set(name, []);
  await fenced.close();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of costs.keys()) {
      const target = await startBarker({
        ...alone,
        folder: join(folder, name),
        fence: name === 'fenced' ? 'on' : 'off',
      });
      await measure([target], get);
      if (round > 0) costs.get(name)!.push(await measure([target], get));
      await target.close();
    }
  }
  print(`get on one node without Redis, ${CONNECTIONS} connections`, costs);
  await place.remove();
  await Promise.all([server.stop(), redis.stop()]);
  rmSync(folder, { recursive: true, force: true });
}

function print(title: string, costs: ReadonlyMap<string, readonly Cost[]>): void {
  process.stdout.write(`${title}: requests/s, then us of processor time a request of node, PostgreSQL, Redis\n`);
  for (const [name, each] of costs) {
    const of = (key: keyof Cost): number => Math.round(median(each.map((cost) => cost[key])));
    const cells = [of('perSecond'), of('node_us'), of('postgres_us'), of('redis_us')];
    process.stdout.write(
      `  ${name.padEnd(16)}${cells.map((cell) => cell.toLocaleString('en').padStart(9)).join('')}\n`,
    );
  }
}
