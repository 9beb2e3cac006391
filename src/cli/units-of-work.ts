import type { Command } from 'commander';
import type { Runtime } from '../app/database.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Application, User } from '../contract/store/credentials.ts';
import { readClockState } from '../dev/clock/clock-file.ts';
import { movableClock } from '../dev/clock/movable-clock.ts';
import type { Registrar } from '../features/platform/registration.ts';
import type { Settings } from '../settings.ts';
import type { ReadTransaction, Store } from '../storage/unit-of-work.ts';
import { type AddTarget, commandRecord } from './command-record.ts';
import { devServerOf } from './dev-server.ts';
import { CommandFailed } from './failure.ts';
import { settingsFrom } from './setting-options.ts';

/** The unit of work of a command, with its audit record. */
export interface RecordedRegistrar extends Registrar {
  /** Adds an object to the audit record of the command. */
  readonly addTarget: AddTarget;
  /** Finds a user by name, and adds them to the audit record. @throws CommandFailed */
  readonly targetUser: (name: string) => Promise<User>;
  /** The machine's time, which dates logins and passwords. */
  readonly wallNow: string;
}

/**
 * Runs one unit of work that writes, on the database of the production settings. Its audit record is part of the unit; a
 * failed unit is recorded as failed.
 * @source decision 106, 592
 */
export async function runWrite<T>(
  command: Command,
  work: (registrar: RecordedRegistrar, settings: Settings) => Promise<T>,
): Promise<T> {
  const { EVERYTHING } = await import('../contract/store/cache-changes.ts');
  const { ConstraintViolated } = await import('../contract/store/errors.ts');
  const { store, clock, wallClock, box, settings } = await openCommandRuntime(command);
  let record = commandRecord(command, clock.now());
  try {
    return await store.write(async (tx) => {
      // A unit of work may be retried, so its record starts again.
      record = commandRecord(command, clock.now());
      const { addTarget } = record;
      tx.invalidate(EVERYTHING);
      const targetUser = async (name: string): Promise<User> => {
        const user = await requireUser(tx, name);
        addTarget('user', user.id);
        return user;
      };
      const times = { now: formatInstant(clock.now()), wallNow: formatInstant(wallClock.now()) };
      const result = await work({ tx, box, random: secureRandom, ...times, addTarget, targetUser }, settings);
      await tx.audit.append([record.withOutcome('done')]);
      return result;
    });
  } catch (error) {
    // The error is reported even if it cannot be recorded.
    await store.write((tx) => tx.audit.append([record.withOutcome('failed')])).catch(() => undefined);
    if (error instanceof ConstraintViolated) throw new CommandFailed('the name is already taken');
    throw error;
  } finally {
    await store.close();
  }
}

/** Reads from the database of the production settings. */
export function runRead<T>(
  command: Command,
  work: (look: { readonly tx: ReadTransaction; readonly wallNow: string }) => Promise<T>,
): Promise<T> {
  return withRuntime(command, ({ store, wallClock }) =>
    store.read((tx) => work({ tx, wallNow: formatInstant(wallClock.now()) })),
  );
}

/** Runs the work of a command of many units of work, and closes the database. */
export async function withRuntime<T>(command: Command, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openCommandRuntime(command);
  try {
    return await work(runtime);
  } finally {
    await runtime.store.close();
  }
}

/**
 * Opens the database that a command works on, with the production settings. Without a master key, the key in the data
 * folder of a development server is used, but only for the database of its demo world; callback rules are then those of
 * that server.
 * @source decision 606
 */
async function openCommandRuntime(command: Command): Promise<Runtime> {
  const { openRuntime } = await import('../app/database.ts');
  const input = settingsFrom(command, 'serve', true);
  const clocks = { clock: serviceClock(input), wallClock: systemClock };
  const own = devServerOf(input);
  if (own) {
    const runtime = await openRuntime('serve', own.settings, clocks);
    const sample = await runtime.store.read((tx) => tx.credentials.findSomeApplication());
    if (sample?.demo === 1) return runtime;
    await runtime.store.close();
  }
  return openRuntime('serve', settingsFrom(command, 'serve'), clocks);
}

/**
 * Runs work on the database of the settings, with the clock of its service, and without a master key: it must not read or
 * write secrets.
 */
export async function withStore<T>(command: Command, work: (store: Store, clock: Clock) => Promise<T>): Promise<T> {
  const { openDriver, requireDatabase } = await import('../app/database.ts');
  const { checkSchema } = await import('../storage/core/migrate.ts');
  const { storeOn } = await import('../storage/core/store.ts');
  const settings = settingsFrom(command, 'serve', true);
  const clock = serviceClock(settings);
  requireDatabase(settings);
  const driver = await openDriver(settings);
  const store = storeOn(driver);
  try {
    await checkSchema(driver);
    return await work(store, clock);
  } finally {
    await store.close();
  }
}

/**
 * The clock of the service of a data folder: that of the machine, or the one that `barker dev` has moved. Commands that
 * write beside the service use it too.
 * @source decision 866
 */
function serviceClock({ data_folder }: Pick<Settings, 'data_folder'>): Clock {
  return movableClock(systemClock, readClockState(data_folder), () => {});
}

/** Finds a user by name. @throws CommandFailed if there is none */
export async function requireUser(tx: ReadTransaction, name: string): Promise<User> {
  const user = await tx.credentials.findUserByName(name);
  if (user) return user;
  throw new CommandFailed(`there is no user ${name}; see: barker user list`);
}

/** Finds an application by consumer key. @throws CommandFailed if there is none */
export async function requireApplication(tx: ReadTransaction, key: string): Promise<Application> {
  const application = await tx.credentials.findApplicationByKey(key);
  if (application) return application;
  throw new CommandFailed('there is no application with this consumer key; see: barker app list');
}
