import type { Command } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Registrar } from '../features/platform/registration.ts';
import type { Settings } from '../settings.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { type AddTarget, type CommandRecord, commandRecord } from './command-record.ts';
import { openCommandRuntime } from './command-runtime.ts';
import { CommandFailed } from './failure.ts';

/** The unit of work of a command, with its audit record. */
export interface RecordedRegistrar extends Registrar {
  /** Adds an object to the audit record of the command. */
  readonly addTarget: AddTarget;
  /** The time by which logins and passwords are dated. */
  readonly wallNow: string;
}

/**
 * Runs one unit of work that writes, on the database of the settings for production. Its audit record is part of the
 * unit; a failed unit is recorded as failed.
 * @source decision 106, 592
 */
export async function runWrite<T>(
  command: Command,
  work: (registrar: RecordedRegistrar, settings: Settings) => Promise<T>,
): Promise<T> {
  const { EVERYTHING } = await import('../contract/store/cache-changes.ts');
  const { ConstraintViolated } = await import('../contract/store/errors.ts');
  const { store, clock, wallClock, box, settings } = await openCommandRuntime(command);
  let record: CommandRecord = commandRecord(command, clock.now());
  try {
    return await store.write(async (tx) => {
      // A unit of work may be retried, so its record starts again.
      record = commandRecord(command, clock.now());
      const { addTarget } = record;
      tx.invalidate(EVERYTHING);
      const times = { now: formatInstant(clock.now()), wallNow: formatInstant(wallClock.now()) };
      const registrar = { tx, box, random: secureRandom, ...times, addTarget };
      const result = await work(registrar, settings);
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

/** Reads from the database of the settings for production. */
export async function runRead<T>(
  command: Command,
  work: (look: { readonly tx: ReadTransaction; readonly wallNow: string }) => Promise<T>,
): Promise<T> {
  const { store, wallClock } = await openCommandRuntime(command);
  try {
    return await store.read((tx) => work({ tx, wallNow: formatInstant(wallClock.now()) }));
  } finally {
    await store.close();
  }
}
