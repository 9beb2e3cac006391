import { systemClock } from '../../src/base/clock.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { JobKind } from '../../src/contract/store/jobs.ts';
import { JobRunner } from '../../src/features/platform/job-runner.ts';
import { RunningNode } from '../../src/features/platform/node.ts';
import { openPostgres } from '../../src/storage/core/postgres.ts';
import { storeOn } from '../../src/storage/core/store.ts';

/** What a node of a process of its own is given. */
export interface NodeProcessOptions {
  readonly databaseUrl: string;
  readonly id: string;
  readonly kind: string;
  /** For leases and for heartbeats. */
  readonly term_s: number;
}

/**
 * A node with job runners on a database. Its one kind of job does not heed its signal, and ends when the parent process sends a
 * message; it counts what is stored. The parent is told what happens.
 */
const { databaseUrl, id, kind, term_s }: NodeProcessOptions = JSON.parse(process.argv[2]!);
const tell = (what: string): void => void process.send!(what);
const driver = openPostgres({ url: databaseUrl, connectionsMax: 5 });
const store = storeOn(driver);
const node = new RunningNode({
  ...{
    id,
    hostname: 'child',
    version: '1.0.0',
    process: '',
    master_keys: '',
    roles: 'worker',
    schema_level: '',
    store,
    clock: systemClock,
    machineClock: systemClock,
  },
  ...{ hasPeers: true, skewMax_ms: 150_000, dead_after_s: term_s },
  observer: {
    cleanedUp: () => tell('cleaned up'),
    fellSilent: () => tell('fell silent'),
    wasRemoved: () => tell('was removed'),
    clockSkewed: () => tell('clock skewed'),
    redisDiffers: () => tell('Redis differs'),
    failed: (error) => tell(`failed: ${error}`),
  },
});
const work: JobKind<unknown> = {
  name: kind,
  async prepare(_, __, signal) {
    signal.addEventListener('abort', () => tell('told to stop'));
    tell('begun');
    await new Promise((resolve) => void process.once('message', resolve));
  },
  store: async (tx, { key }) => void (await tx.takeNumbers(`done ${key}`, 0, 1)),
};
await node.start();
const jobs = new JobRunner({
  ...{ store, node, clock: systemClock, random: secureRandom, services: {} as never, lease_s: term_s },
  kinds: [work],
  onEnded: (_, outcome) => tell(`ended: ${outcome}`),
  onFailed: (_, error) => tell(`failed: ${error}`),
});
await jobs.runDue();
await jobs.stop();
await node.stop();
await driver.close();
process.disconnect();
