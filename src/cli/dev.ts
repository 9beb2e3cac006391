import { type Command, InvalidArgumentError } from 'commander';
import type { Dependencies, DependencyOverrides } from '../app/dependencies.ts';
import type { Service } from '../app/server.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import { secureRandom, seededRandom } from '../base/random.ts';
import type { CertificatePaths } from '../dev/certificates.ts';
import type { MovableClock } from '../dev/clock/movable-clock.ts';
import { parseTime } from '../dev/clock/times.ts';
import type { DemoKeys } from '../dev/demo-world.ts';
import {
  type DevFile,
  ensureDataFolder,
  ensureMasterKey,
  ensureOperatorToken,
  ensureOwnSeed,
  findOwnSeed,
  resetDataFolder,
  writeKeys,
} from '../dev/dev-folder.ts';
import type { SnapshotSubject } from '../dev/snapshots/snapshot-tool.ts';
import type { DeveloperToolsOf } from '../http/developer-tools.ts';
import { isLoopbackHost } from '../settings/addresses.ts';
import { originsOf } from '../settings/load.ts';
import type { Settings } from '../settings.ts';
import type { Driver } from '../storage/core/driver.ts';
import { type Around, deferredWorkOf, openAround } from './dev/around.ts';
import { clockCommand } from './dev/clock.ts';
import { findsIn, holdsAny, holdsOthers, isEmptyDatabase } from './dev/database-contents.ts';
import type { DevFileKeeper } from './dev/dev-file.ts';
import type { EphemeralRun } from './dev/ephemeral.ts';
import { faultsCommand } from './dev/faults.ts';
import { requestsCommand } from './dev/requests.ts';
import { resetCommand, snapshotCommand } from './dev/snapshot.ts';
import { type ClockStart, startClock } from './dev/start-clock.ts';
import type { WorldFile } from './dev/start-world.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { print, printError } from './output.ts';
import { addSettings, settingsFrom } from './setting-options.ts';
import { waitForShutdown } from './shutdown.ts';
import { letYoungSpaceGrow } from './young-objects.ts';

export { type DevFile, devFilePath } from '../dev/dev-folder.ts';

/** `barker dev`. */
export function configure(command: Command): void {
  addSettings(command, 'dev', [
    'data_folder',
    'port',
    'sandbox_port',
    'tls',
    'tls_names',
    'aliases',
    'database_url',
    'seed',
    'sample_people',
    'rate_limits',
  ])
    .option('--reset', 'Delete all data of earlier runs')
    .option('--no-requests', 'Keep no requests for /_dev/requests')
    .option('--clock <time>', 'Start with this UTC time instead of that of the machine', clockTime)
    .option('--frozen', 'Let the clock stand still until it is moved (barker dev clock)')
    .option(
      '--ephemeral',
      'For programs that start a server: free ports and a temporary data folder, addresses and keys as a line of JSON; stops when standard input ends',
    )
    .addHelpText('after', '\nExample:\n  barker dev --data ./data --port 8080 --seed 42')
    .option('--restore <file>', 'Begin with the snapshot of an archive; needs an empty data folder')
    .option('--world <file>', 'Begin with the world of a YAML or JSON file instead of the demo world')
    .option('--export-on-exit <file>', 'Write a snapshot of everything to an archive when the server stops')
    .enablePositionalOptions()
    .action(async () => {
      const options = command.opts();
      const { reset = false, restore, world, requests, exportOnExit, clock: at_ms, frozen: isFrozen } = options;
      const run = options.ephemeral ? (await import('./dev/ephemeral.ts')).ephemeralRun() : undefined;
      const settings = settingsFrom(command, 'dev', false, run?.defaults);
      const start = { reset, restore, world, recordsRequests: requests, clock: { at_ms, isFrozen } };
      process.exitCode = await runDev(settings, start, { exportOnExit, run });
    });
  requestsCommand(command.command('requests').description('Show what the running server received and sent'));
  faultsCommand(
    command.command('faults').description('Let calls, streams, webhooks and jobs of the running server fail'),
  );
  snapshotCommand(
    command.command('snapshot').description('Take, restore, export and import snapshots of the running server'),
  );
  resetCommand(command.command('reset').description('Take the running server back to how its world began'));
  clockCommand(command.command('clock').description('Show or move the clock of the running server'));
}

function clockTime(text: string): number {
  const ms = parseTime(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('expected a UTC time such as 2026-03-02T09:00:00Z');
}

/** How development mode starts. */
interface DevStart {
  /** Deletes all data of earlier runs. */
  readonly reset: boolean;
  /** The archive of a snapshot to begin with. */
  readonly restore?: string | undefined;
  /** The file of a world to begin with. */
  readonly world?: string | undefined;
  /** Whether the account of the demo world has campaigns and posts; false by default. */
  readonly hasContents?: boolean;
  /** Whether the last requests are kept in memory; true by default. */
  readonly recordsRequests?: boolean;
  /** Whether `dev.json` follows changes while the server runs; true by default. */
  readonly followsKeys?: boolean;
  readonly clock?: ClockStart;
  /** Whether the data folder is removed when the process ends. */
  readonly isTemporary?: boolean;
}

/** How it runs and ends. */
interface DevRun {
  /** A file for a snapshot of everything. */
  readonly exportOnExit: string | undefined;
  /** For the program that started it. */
  readonly run: EphemeralRun | undefined;
}

async function runDev(settings: Settings, start: DevStart, { exportOnExit, run }: DevRun): Promise<number> {
  const isTemporary = run?.begin(settings) ?? false;
  const { devLog } = await import('./dev-log.ts');
  const { welcome } = await import('./welcome.ts');
  const log = devLog(settings.log_level, (line) => printError(line));
  const starting = startDev(settings, { ...start, hasContents: true, isTemporary, seams: { log } });
  const stopped = waitForShutdown({
    async close() {
      const { service } = await starting;
      const cut = await service.close();
      if (exportOnExit !== undefined) await exportAtExit(service, exportOnExit);
      return cut;
    },
    timeout_s: settings.shutdown_timeout_s,
    ended: starting.then(({ service }) => service.superseded),
    stopsWithParent: process.env.npm_lifecycle_event !== undefined,
    lifeline: run?.lifeline,
    log: (message) => printError(`${message}\n`),
  });
  const { service, file, clock } = await starting;
  letYoungSpaceGrow();
  print(run ? run.announce(file) : welcome(service, file, clock));
  return stopped;
}

async function exportAtExit({ settings, clock }: Service, file: string): Promise<void> {
  const { exportContents } = await import('./dev/snapshot-subject.ts');
  const { notesOf } = await import('./dev/snapshot-subject.ts');
  await exportContents(settings, file, notesOf(settings, clock, secureRandom));
}

/** Starts development mode: schema, demo world, listeners; writes the addresses and keys to `dev.json`. */
export async function startDev(
  input: Settings,
  options: DevStart & { readonly seams?: DependencyOverrides },
): Promise<{ service: Service; file: DevFile; clock: MovableClock }> {
  // Loaded here, so that other commands can read `dev.json` without loading the server.
  const { openDependencies } = await import('../app/dependencies.ts');
  const { startListeners } = await import('../app/server.ts');
  const wallClock = options.seams?.clock ?? systemClock;
  const world = options.world === undefined ? undefined : await worldFrom(options.world, input, wallClock, options);
  ensureDataFolder(input.data_folder);
  if (options.reset) await reset(input);
  const certificates = input.tls ? await ownCertificates(input) : undefined;
  const settings = {
    ...input,
    seed: await seedOf(input, options),
    master_key: input.master_key || ensureMasterKey(input.data_folder),
    ...(certificates && { tls_cert: certificates.cert, tls_key: certificates.key }),
  };
  const random = seededRandom(settings.seed, 'ids');
  if (options.restore !== undefined) {
    const { beginFrom } = await import('./dev/snapshot-subject.ts');
    random.restart((await beginFrom(settings, options.restore, { refuse: refuseRows, wallClock })).mark);
  }
  const at_ms = options.clock?.at_ms ?? world?.clock_ms;
  const isEmpty = at_ms !== undefined && (await isEmptyDatabase(settings));
  const clock = startClock(input.data_folder, wallClock, {
    isFrozen: options.clock?.isFrozen,
    at_ms: isEmpty ? at_ms : options.clock?.at_ms,
    isEmpty,
  });
  const around = await openAround(options.recordsRequests !== false);
  // Until the server answers, no client relies on a commit. @source decision 1040
  const seams = {
    ...options.seams,
    ...around.seams,
    clock,
    wallClock,
    isSynced: false,
    syncsObjects: !options.isTemporary,
  };
  const parts = await openDependencies('dev', settings, { random, ...seams });
  const { devFile, isNew } = await openWorld(parts, { ...options, world }, clock);
  const operator_token = settings.enable_simulator ? ensureOperatorToken(settings.data_folder) : undefined;
  const { snapshotSubject } = await import('./dev/snapshot-subject.ts');
  const started: { service?: Service } = {};
  const subject = snapshotSubject(parts, { random, clock, devFile, service: () => started.service! });
  await subject.snapshots?.sweep();
  if (isNew) await noteBeginning(parts, subject);
  if (!options.isTemporary) await parts.driver.beginSyncing?.();
  const toolsOf = await toolsFor(parts, { clock, snapshots: subject, around });
  const { homeLink } = await import('../dev/surface/tool-pages.ts');
  const listening = await startListeners('dev', parts, {
    operator_token,
    toolsOf,
    // Elsewhere browsers cannot open them: they need a token.
    toolLinks: () => (isLoopbackHost(settings.host) ? [homeLink()] : []),
  });
  const service: Service = {
    ...listening,
    async close() {
      await devFile.end();
      return listening.close();
    },
  };
  started.service = service;
  const addresses = { base_url: service.url, ads_url: service.url, sandbox_url: service.sandboxUrl };
  const file = devFile.begin({
    ...addresses,
    ...(settings.operator_console && { operator_url: service.operationsUrl }),
    ...(certificates && { tls_ca: certificates.ca }),
    ...(operator_token && { operator_token }),
  });
  return { service, file, clock };
}

/**
 * Takes the snapshot to which a reset goes back. Where there are no snapshots, ids go on as after one, so that a seed
 * stands for the same ids on both databases.
 */
async function noteBeginning({ store }: Dependencies, subject: SnapshotSubject): Promise<void> {
  const { RESETS, takeSnapshot } = await import('../dev/snapshots/snapshot-tool.ts');
  try {
    if (subject.snapshots) await takeSnapshot(subject, RESETS.seed);
    else subject.continueFrom(subject.notes().mark);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The tools for developers. */
async function toolsFor(
  parts: Dependencies,
  own: { readonly clock: MovableClock; readonly snapshots: SnapshotSubject; readonly around: Around },
): Promise<DeveloperToolsOf> {
  const { store, box, wallClock, settings, servers, log, vocabulary } = parts;
  const { clock, snapshots, around } = own;
  const { developerTools } = await import('../dev/tools.ts');
  const { loadBranding } = await import('../http/pages/branding.ts');
  const { operations } = await import('../app/dependencies.ts');
  const { catalog } = await import('../app/catalog.ts');
  return developerTools({
    store,
    box,
    wallClock,
    log,
    clock,
    snapshots,
    requests: around.requests,
    faults: around.faults,
    delivery: parts.services.delivery,
    work: deferredWorkOf(parts),
    exporting: async () => (await import('./dev/start-world.ts')).exportParts(parts),
    operations,
    resources: catalog.filter((each) => 'fields' in each),
    dataFolder: settings.data_folder,
    originOf: (environment) => servers[environment],
    window_s: settings.timestamp_window_s,
    origins: () => Object.values(servers),
    ownPath: vocabulary?.paths.own ?? String,
    ownNames: vocabulary?.ownNames ?? (() => []),
    branding: await loadBranding(settings),
    guard: {
      hosts: settings.tls_names,
      token: ensureOperatorToken(settings.data_folder),
      isLoopback: isLoopbackHost(settings.host),
    },
  });
}

/**
 * Creates or reuses the certificates. They use the machine's clock, because clients check them by theirs.
 * @source decision 110
 */
async function ownCertificates(settings: Settings): Promise<CertificatePaths> {
  const { data_folder, tls_names, host } = settings;
  const { ensureCertificates } = await import('../dev/certificates.ts');
  const { readAliasFile } = await import('../app/vocabulary.ts');
  const { production = [], sandbox = [] } = readAliasFile(settings)?.hosts ?? {};
  const foreign = [...production, ...sandbox].map((each) => each.replace(/:\d+$/, ''));
  const isWildcard = host === '0.0.0.0' || host === '::';
  const names = [...tls_names, ...foreign, ...(isWildcard ? [] : [host])];
  return ensureCertificates(data_folder, names, systemClock);
}

/**
 * The seed: unless one is given, a new world that others can reach gets one that they cannot guess.
 * @source decision 1133
 */
async function seedOf(settings: Settings, { restore }: Pick<DevStart, 'restore'>): Promise<number> {
  const { data_folder: folder, host, seed } = settings;
  if (originsOf(settings)?.sources.has('seed')) return seed;
  const isNew = !isLoopbackHost(host) && restore === undefined && (await isEmptyDatabase(settings));
  return (isNew ? ensureOwnSeed(folder) : findOwnSeed(folder)) ?? seed;
}

/** Deletes the data of earlier runs, but only from a development database. */
async function reset(settings: Settings): Promise<void> {
  const { openDriver } = await import('../app/database.ts');
  const { dropSchema } = await import('../storage/core/migrate.ts');
  const driver = await openDriver(settings);
  let release = async (): Promise<void> => {};
  try {
    release = await driver.acquireServerLock({ isShared: false });
    if (await findsIn(driver, holdsOthers)) throw new CommandFailed(FOREIGN);
    if (settings.database_url !== '') await dropSchema(driver);
    await driver.close();
    resetDataFolder(settings.data_folder);
  } catch (error) {
    await driver.close();
    throw error;
  } finally {
    await release();
  }
}

/** Refuses a database with a demo world, or with users. */
async function refuseRows(driver: Driver): Promise<void> {
  if (await findsIn(driver, holdsAny))
    throw new CommandFailed('the data folder is not empty; give another one with --data');
}

const FOREIGN =
  'the database has users that are not part of a demo world; use another database or data folder for development';

/** Reads the world of a file before anything is deleted. */
async function worldFrom(
  file: string,
  settings: Settings,
  wallClock: Clock,
  { restore, clock }: DevStart,
): Promise<WorldFile> {
  if (restore !== undefined) throw new UsageError('give either --world or --restore');
  const { readWorldFile } = await import('./dev/start-world.ts');
  return readWorldFile(file, settings, clock?.at_ms ?? wallClock.now());
}

/** Opens the world, which is created if the database has none: that of a file, or the demo world. */
async function openWorld(
  parts: Dependencies,
  {
    world,
    hasContents = false,
    followsKeys = true,
  }: Pick<DevStart, 'hasContents' | 'followsKeys'> & { readonly world: WorldFile | undefined },
  clock: MovableClock,
): Promise<{ readonly devFile: DevFileKeeper; readonly isNew: boolean }> {
  let isBegun = false;
  try {
    const demo = await parts.store.read((tx) => tx.credentials.findDemo());
    const { data_folder: folder } = parts.settings;
    if (!demo) {
      if (await parts.store.read(holdsOthers)) throw new CommandFailed(FOREIGN);
      isBegun = world !== undefined;
      const keys = await (world?.create(parts) ?? newDemoWorld(parts, hasContents, clock));
      // They must not be lost if a port is in use; `dev.json` is complete once the listeners run.
      writeKeys(folder, keys);
    } else {
      world?.refuseOther(folder);
    }
    const { devFileKeeper, knownWorld } = await import('./dev/dev-file.ts');
    return { devFile: await devFileKeeper(parts, await knownWorld(parts), { followsKeys }), isNew: !demo };
  } catch (error) {
    await parts.store.close();
    // Half a world is of no use.
    if (isBegun) await reset(parts.settings);
    throw error;
  }
}

async function newDemoWorld(parts: Dependencies, hasContents: boolean, clock: MovableClock): Promise<DemoKeys> {
  const { createDemoWorld } = await import('../dev/demo-world.ts');
  if (!hasContents) return createDemoWorld(parts);
  const { fillDemo, pastOf } = await import('./dev/start-world.ts');
  const { resumeDemoWorld } = await import('../dev/worlds/fill-demo.ts');
  const now_ms = clock.now();
  const showNow = clock.backdate(now_ms - pastOf(parts.settings));
  const keys = await createDemoWorld(parts);
  const call = await fillDemo(parts, keys, now_ms);
  // Nothing of the time between has been settled: the first read or the job does that.
  showNow();
  await resumeDemoWorld(call, formatInstant(now_ms));
  return keys;
}
