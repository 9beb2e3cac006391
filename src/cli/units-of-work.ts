import type { Command } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { ReadTransaction } from '../contract/store/store.ts';
import type { Registrar } from '../features/platform/registration.ts';
import type { Settings } from '../settings.ts';
import { type AddTarget, type CommandRecord, commandRecord } from './command-record.ts';
import { openCommandRuntime } from './command-runtime.ts';
import { CommandFailed } from './failure.ts';

/** What a command registers something with. */
export interface RecordedRegistrar extends Registrar {
  /** Says for auditors what is addTarget. */
  readonly addTarget: AddTarget;
}

/**
 * Runs one unit of work that changes something, on the database of the settings of production. The record for auditors is
 * part of the unit; of a unit that failed, the record says so.
 */
export async function runWrite<T>(
  command: Command,
  work: (registrar: RecordedRegistrar, settings: Settings) => Promise<T>,
): Promise<T> {
  const { announceExternalChange } = await import('../storage/core/external-changes.ts');
  const { ConstraintViolated } = await import('../contract/store/store.ts');
  const { store, clock, box, settings } = await openCommandRuntime(command);
  let record: CommandRecord = commandRecord(command, clock.now());
  try {
    return await store.write(async (tx) => {
      // A unit may run again, and touches everything again.
      record = commandRecord(command, clock.now());
      const { addTarget } = record;
      await announceExternalChange(tx);
      const registrar = { tx, box, random: secureRandom, now: formatInstant(clock.now()), addTarget };
      const result = await work(registrar, settings);
      await tx.audit.append([record.withOutcome('done')]);
      return result;
    });
  } catch (error) {
    // What went wrong is told, whether or not it can be recorded.
    await store.write((tx) => tx.audit.append([record.withOutcome('failed')])).catch(() => undefined);
    if (error instanceof ConstraintViolated) throw new CommandFailed('the name is taken; names are unique');
    throw error;
  } finally {
    await store.close();
  }
}

/** Reads from the database of the settings of production, and changes nothing. */
export async function runRead<T>(
  command: Command,
  work: (look: { readonly tx: ReadTransaction; readonly now: string }) => Promise<T>,
): Promise<T> {
  const { store, clock } = await openCommandRuntime(command);
  try {
    return await store.read((tx) => work({ tx, now: formatInstant(clock.now()) }));
  } finally {
    await store.close();
  }
}
