import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { followPromises } from './followed-promises.ts';
import { processorSeconds } from './processor-time.ts';
import { recordFor } from './reply-records.ts';
import { countCalls } from './sight.ts';

/** Test files that several processes share. */
export interface SharedFiles {
  /** Stands before the name of each file in the results. */
  readonly title: string;
  readonly files: readonly string[];
  /** A folder where each process notes which files it has taken. */
  readonly folder: string;
}

/** Longer than any file takes on a machine that is busy. */
const FILE_TIMEOUT_MS = 2_400_000;
/** Longer than what tests have closed takes to end. */
const LEFT_OPEN_MS = 30_000;

/**
 * Runs the files that no other process has taken, one after the other, each in a suite named after it; from the first on, or
 * from the last. It notes how many processor seconds each file took, and at the end all of them together.
 */
export async function runShared({ title, files, folder }: SharedFiles, isFromLast: boolean): Promise<void> {
  process.on('exit', () => appendFileSync(join(folder, 'processor-seconds'), `${processorSeconds()}\n`));
  const calls = await countCalls();
  let running = '';
  process.on('uncaughtExceptionMonitor', (error) => process.stderr.write(`In ${running}: ${error.stack}\n`));
  const order = [...files.entries()];
  for (const [index, file] of isFromLast ? order.reverse() : order) {
    if (!take(join(folder, String(index)))) continue;
    recordFor(file);
    running = file;
    const before = processorSeconds();
    followPromises(true);
    await describe(`${title}: ${file}`, { timeout: FILE_TIMEOUT_MS }, async () => {
      await import(pathToFileURL(resolve(file)).href);
      followPromises(false);
    });
    calls?.note(title, file, processorSeconds() - before);
    appendFileSync(join(folder, 'file-seconds'), `${title}: ${file}\t${processorSeconds() - before}\n`);
  }
  endLater();
}

/** Ends the process with a failure when something that a test left open keeps it from ending by itself. */
function endLater(): void {
  setTimeout(() => {
    process.stderr.write(`Left open by tests: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(1);
  }, LEFT_OPEN_MS).unref();
}

function take(name: string): boolean {
  try {
    closeSync(openSync(name, 'wx'));
    return true;
  } catch {
    return false;
  }
}
