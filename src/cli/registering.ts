import type { Command } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Reading } from '../contract/store/store.ts';
import type { Registrar } from '../features/platform/register.ts';
import type { Settings } from '../settings.ts';
import { commandGround } from './command-ground.ts';
import { type CommandRecord, commandRecord, type Touched } from './command-record.ts';
import { CommandFailed } from './failure.ts';
import { oneLine, print } from './output.ts';

/** What a command registers something with. */
export interface RecordedRegistrar extends Registrar {
  /** Says for auditors what is touched. */
  readonly touched: Touched;
}

/**
 * Runs one unit of work that changes something, on the database of the settings of production. The record for auditors is
 * part of the unit; of a unit that failed, the record says so.
 */
export async function registering<T>(
  command: Command,
  work: (registrar: RecordedRegistrar, settings: Settings) => Promise<T>,
): Promise<T> {
  const { announceExternalChange: announce } = await import('../storage/core/external-changes.ts');
  const { ConstraintViolated } = await import('../contract/store/store.ts');
  const { store, clock, box, settings } = await commandGround(command);
  let record: CommandRecord = commandRecord(command, clock.now());
  try {
    return await store.write(async (tx) => {
      // A unit may run again, and touches everything again.
      record = commandRecord(command, clock.now());
      const { touched } = record;
      await announce(tx);
      const registrar = { tx, box, random: secureRandom, now: formatInstant(clock.now()), touched };
      const result = await work(registrar, settings);
      await tx.audit.append([record.as('done')]);
      return result;
    });
  } catch (error) {
    // What went wrong is told, whether or not it can be recorded.
    await store.write((tx) => tx.audit.append([record.as('failed')])).catch(() => undefined);
    if (error instanceof ConstraintViolated) throw new CommandFailed('the name is taken; names are unique');
    throw error;
  } finally {
    await store.close();
  }
}

/** Reads from the database of the settings of production, and changes nothing. */
export async function looking<T>(
  command: Command,
  work: (look: { readonly tx: Reading; readonly now: string }) => Promise<T>,
): Promise<T> {
  const { store, clock } = await commandGround(command);
  try {
    return await store.read((tx) => work({ tx, now: formatInstant(clock.now()) }));
  } finally {
    await store.close();
  }
}

/** Says what was made, one `name=value` a line: for people to read and for scripts to take in. */
export function tell(made: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(made)) print(`${name}=${oneLine(value)}\n`);
}

/** Refuses what breaks a rule; `problem` is what the rule says of it, undefined when it is good. */
export function insist(problem: string | undefined): void {
  if (problem !== undefined) throw new CommandFailed(problem, 2);
}
