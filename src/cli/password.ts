import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CommandFailed } from './failure.ts';
import { complain } from './output.ts';

/**
 * A password from a file, from a pipe, or typed without being shown. Never an argument: those are seen by everybody on
 * the machine and kept in the history of the shell.
 */
export async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined && file !== '-') return firstLine(readFileSync(file, 'utf8'));
  if (file === '-' || !process.stdin.isTTY) return firstLine(await text(process.stdin));
  const password = await ask('Password: ');
  if ((await ask('Once more: ')) !== password) throw new CommandFailed('the two passwords differ');
  return password;
}

function firstLine(content: string): string {
  const line = content.split(/\r?\n/, 1)[0]!;
  if (line === '') throw new CommandFailed('no password was given; pipe one in, or name a file with --password-file');
  return line;
}

async function ask(question: string): Promise<string> {
  complain(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    complain('\n');
  }
}
