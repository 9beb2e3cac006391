import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { openDriver } from '../../src/app/database.ts';
import type { DependencyOverrides } from '../../src/app/dependencies.ts';
import type { Service } from '../../src/app/server.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { ClockStart } from '../../src/cli/dev/start-clock.ts';
import { startDev } from '../../src/cli/dev.ts';
import { hashPassword } from '../../src/features/platform/password-hashing.ts';
import { openLog } from '../../src/http/log.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import type { StatementProbe } from '../../src/storage/core/session.ts';
import { type Client, clientOf, type Keys } from './client.ts';
import { driverOn, openPlace, type Place } from './databases.ts';
import { aliasFile, speakOwnWords } from './foreign-words.ts';
import { collectLog, collectsLogs } from './logs.ts';
import { restartingDriver } from './restarting-driver.ts';
import { recordSecret, recordSecrets } from './secrets.ts';
import { watchReplies } from './watch.ts';
import { nodeCount, type Origins, openWorldNodes } from './world-nodes.ts';

/** Whatever a service logs is searched for secrets when all tests have run. */
const logSeam: DependencyOverrides = collectsLogs ? { log: openLog('info', { write: collectLog }) } : {};

/** Passwords of tests are hashed with the least work: guidance recommends 26 ms, twice for each world. */
const hashSeam: DependencyOverrides = {
  hashPassword: (password) => hashPassword(password, secureRandom, { memory_kib: 8, passes: 1 }),
};

/** However busy the machine is, a decision gets its answer: tests of the limit set their own. */
const patientSeam: DependencyOverrides = { decisionWaits: 1000 };

/** A clock that stands still until it is moved. */
export interface TestClock {
  now(): number;
  advance(seconds: number): void;
}

/** A clock that starts at a fixed time. */
export function testClock(start = '2026-03-02T17:04:55Z'): TestClock {
  let now = Date.parse(start);
  return {
    now: () => now,
    advance(seconds) {
      now += seconds * 1000;
    },
  };
}

/** A running service in development mode, on a database of its own, with clients of both demo users. */
export interface World {
  readonly service: Service;
  /** The services behind its address: one, unless the run gives worlds several nodes. */
  readonly nodes: readonly Service[];
  /** The addresses of each of them. */
  readonly origins: readonly Origins[];
  readonly clock: TestClock;
  readonly place: Place;
  readonly keys: Keys & Record<string, string>;
  /** The certificate that clients of a world over https must trust; this process does. Started with `tls: true`. */
  readonly tlsCa: string | undefined;
  /** User one: production and sandbox. */
  readonly production: Client;
  readonly sandbox: Client;
  /** User two, in the sandbox. */
  readonly other: Client;
  /** Stops its servers; the place stays. */
  stop(): Promise<void>;
  /** Stops its servers, and removes the place. */
  close(): Promise<void>;
}

/** How a world is started. */
export interface WorldOptions {
  readonly flags?: Record<string, unknown>;
  readonly seams?: DependencyOverrides;
  readonly which?: 'sqlite' | 'postgres';
  /** A place that is there already, with what is in it. */
  readonly place?: Place;
  /** What its clock shows at first. */
  readonly start?: string;
  /** How the clock of the service starts, over the one above. */
  readonly clockStart?: ClockStart;
  /** How many nodes it has behind a balancer, on PostgreSQL. */
  readonly nodes?: number;
  /** How each of them reaches Redis, if not by the same URL. */
  readonly redisUrls?: readonly string[];
  /** The file of the world that it begins with. */
  readonly world?: string;
  /** Whether it keeps requests; yes unless told otherwise. */
  readonly recordsRequests?: boolean;
}

/** Starts a world. Settings are given as flags are; with `tls: true` it speaks https. Every reply is held against the description, at the latest at the end. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const place = options.place ?? (await openPlace(options.which, { hasSchema: true, isInMemory: true }));
  const clock = testClock(options.start);
  const seams = { clock, ...logSeam, ...hashSeam, ...patientSeam, ...options.seams };
  // A driver is that of one node.
  const count = options.nodes ?? nodeCount;
  const hasNodes = count > 1 && place.databaseUrl !== '' && !options.seams?.driver;
  const nodes = hasNodes
    ? await openWorldNodes({
        count,
        folder: place.folder,
        redisUrl: options.flags?.redis_url as string | undefined,
        redisUrls: options.redisUrls,
        seams,
      })
    : undefined;
  const settings = loadSettings({
    mode: 'dev',
    environment: {},
    readFile: () => '',
    flags: {
      data_folder: place.folder,
      database_url: place.databaseUrl || undefined,
      port: 0,
      sandbox_port: 0,
      access_log: 'all',
      log_level: 'silent',
      aliases: aliasFile,
      // However busy the machine is: tests of the limits set their own.
      postgres_connect_timeout_s: 60,
      postgres_silence_timeout_s: 60,
      // Tests of delivery turn it on; all others expect that nothing is spent.
      delivery_production: 'off',
      delivery_sandbox: 'off',
      ...nodes?.flags,
      ...options.flags,
    },
  });
  const { service: first, file } = await startDev(settings, {
    reset: false,
    seams: hasNodes || options.seams?.driver ? seams : { ...seams, driver: await restartingDriverOf(settings) },
    ...(options.clockStart && { clock: options.clockStart }),
    world: options.world,
    recordsRequests: options.recordsRequests ?? true,
    // Whoever puts something around the driver counts the statements of calls.
    followsKeys: options.seams?.driver === undefined,
  });
  const service = nodes ? await nodes.join(first) : first;
  recordSecrets({ ...file });
  recordSecret('master key', service.settings.master_key);
  if (file.tls_ca) trust(file.tls_ca);
  const origins = nodes?.origins ?? [{ production: service.url, sandbox: service.sandboxUrl }];
  if (settings.aliases === '') speakOwnWords(origins.flatMap(({ production, sandbox }) => [production, sandbox]));
  const watch = watchReplies(origins.flatMap(({ production, sandbox }) => [production, sandbox]));
  const stop = async (): Promise<void> => {
    await service.close();
    await nodes?.close();
    watch.end();
  };
  const otherKeys = {
    ...file,
    access_token: file.other_access_token,
    access_token_secret: file.other_access_token_secret,
  };
  return {
    service,
    nodes: nodes?.services() ?? [service],
    origins,
    clock,
    place,
    keys: file as unknown as World['keys'],
    tlsCa: file.tls_ca,
    production: clientOf(service.url, file, clock),
    sandbox: clientOf(service.sandboxUrl, file, clock),
    other: clientOf(service.sandboxUrl, otherKeys, clock),
    stop,
    async close() {
      try {
        await stop();
      } finally {
        await place.remove();
      }
    },
  };
}

/** Opens the database of a world, whose units of work start again wherever that may happen. */
async function restartingDriverOf(settings: Settings): Promise<Driver> {
  const driver = await openDriver(settings);
  return restartingDriver(driver, process.env.RESTARTS === 'all' ? 'reads and writes' : 'reads');
}

/** Starts a world over the database of a place of its own, as what is put around it shows that database. */
export async function openWorldOver(
  around: (driver: Driver) => Driver,
  { probe, ...options }: WorldOptions & { readonly probe?: StatementProbe } = {},
): Promise<World> {
  const place = await openPlace(undefined, { hasSchema: true, isInMemory: true });
  const driver = around(driverOn(place, { connectionsMax: 10, ...(probe && { probe }) }));
  return openWorld({ ...options, place, seams: { ...options.seams, driver } });
}

/** Closes all of them, whatever one complains of: what stays open would keep the process alive. */
export async function closeAll(open: readonly { close(): Promise<unknown> }[]): Promise<void> {
  const closed = await Promise.allSettled(open.map((each) => each.close()));
  for (const each of closed) if (each.status === 'rejected') throw each.reason;
}

/** Lets every client of this process trust an authority, without touching the client. */
function trust(ca: string): void {
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(ca, 'utf8')]);
}

/** A sandbox account with a funding instrument. */
export async function openAccount(client: Client): Promise<{ account: string; instrument: string; path: string }> {
  const made = await client.call('POST', '/12/accounts');
  const account = made.body.data[0].id as string;
  const path = `/12/accounts/${account}`;
  const funded = await client.call('POST', `${path}/funding_instruments`, {
    params: { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_CARD' },
  });
  return { account, instrument: funded.body.data.id as string, path };
}
