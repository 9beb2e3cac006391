import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the services of this process and the commands that it started have logged. */
const folder = process.env.TEST_LOGS;
/** Tests run without the runner collect nothing. */
export const collectsLogs = folder !== undefined;

const waiting: string[] = [];
let size = 0;
const SIZE_MAX = 1_000_000;

/** Adds lines of a log to what is searched when all tests have run. */
export function collectLog(text: string): void {
  if (!folder) return;
  waiting.push(text);
  size += text.length;
  if (size > SIZE_MAX) writeDown();
}

if (folder) process.on('exit', writeDown);

function writeDown(): void {
  appendFileSync(join(folder!, `${process.pid}.log`), waiting.join(''));
  waiting.length = 0;
  size = 0;
}
