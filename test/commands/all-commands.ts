import type { Command } from 'commander';
import { fullProgram } from '../../src/cli/program.ts';

/** The words of every command of the program that does something, such as `user create`. */
export async function allCommands(): Promise<readonly string[]> {
  return leavesOf(await fullProgram(), []);
}

function leavesOf(command: Command, words: readonly string[]): string[] {
  if (command.commands.length === 0) return [words.join(' ')];
  return command.commands.flatMap((each) => leavesOf(each, [...words, each.name()]));
}
