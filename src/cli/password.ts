import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Line, linesOf, linesOfStream } from '../base/lines.ts';
import { CommandFailed } from './failure.ts';
import { printError } from './output.ts';

/**
 * Reads a password from a file, from stdin, or from a prompt without echo. Never from an argument: other users of the
 * machine can see arguments, and the shell keeps them in its history.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return firstLine(linesOf(file));
  if (file === '-' || !process.stdin.isTTY) return firstLine(linesOfStream(process.stdin));
  const password = await ask('Password: ');
  if ((await ask('Repeat password: ')) !== password) throw new CommandFailed('the passwords do not match');
  return password;
}

async function firstLine(pieces: AsyncIterable<readonly Line[]>): Promise<string> {
  for await (const [line] of pieces) {
    if (!line) continue;
    if ('error' in line) throw new CommandFailed(`the password ${line.error}`);
    const password = line.text.replace(/\r$/, '');
    if (password !== '') return password;
    break;
  }
  throw new CommandFailed('no password; pipe one to stdin or use --password-file');
}

async function ask(question: string): Promise<string> {
  printError(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    printError('\n');
  }
}
