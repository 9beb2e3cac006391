import type { Command } from 'commander';
import { formatInstant } from '../base/instants.ts';
import { secureRandom } from '../base/random.ts';
import type { Registrar } from '../platform/register.ts';
import type { Settings } from '../settings.ts';
import { commandGround } from './command-ground.ts';
import { CommandFailed } from './failure.ts';
import { oneLine, print } from './output.ts';

/** Runs one unit of work that registers something, on the database of the settings of production. */
export async function registering<T>(
  command: Command,
  work: (registrar: Registrar, settings: Settings) => Promise<T>,
): Promise<T> {
  const { announce } = await import('../storage/outside.ts');
  const { ConstraintViolated } = await import('../contract/store.ts');
  const ground = await commandGround(command);
  const now = formatInstant(ground.clock.now());
  try {
    return await ground.store.write(async (tx) => {
      await announce(tx);
      return work({ tx, box: ground.box, random: secureRandom, now }, ground.settings);
    });
  } catch (error) {
    if (error instanceof ConstraintViolated) throw new CommandFailed('the name is taken; names are unique');
    throw error;
  } finally {
    await ground.store.close();
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
