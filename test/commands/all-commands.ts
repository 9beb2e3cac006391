import type { Command } from 'commander';
import { fullProgram } from '../../src/cli/program.ts';

/** The words of every command of the program that does something, such as `user create`. */
export async function allCommands(): Promise<readonly string[]> {
  return leavesOf(await fullProgram(), []);
}

function leavesOf(command: Command, words: readonly string[]): string[] {
  const own = [words.join(' ')];
  if (command.commands.length === 0) return own;
  const below = command.commands.flatMap((each) => leavesOf(each, [...words, each.name()]));
  // Some do something themselves too; only they have options of their own.
  return words.length > 0 && command.options.length > 0 ? [...own, ...below] : below;
}
