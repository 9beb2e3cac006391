import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { NonceLog, UsedNonce } from '../contract/callers.ts';

/** Lines that are handed over together at most: more would keep replies back that are ready to go. */
const GROUP_MAX = 64;

/**
 * Used nonces in small append-only files, one for each stretch of time, so that forgetting is deleting a file. What is
 * handed to the operating system outlives the process, whatever ends it. A few lines of one
 * turn of the event loop are handed over together.
 * Lines are `<timestamp> <token id> <nonce>`; none of the three can hold a blank.
 */
export function openNonceLog(folder: string, window_s: number, clock: Clock): NonceLog & { close(): void } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stretch_s = window_s * 2;
  let current = Number.NaN;
  let file = -1;

  const rotate = (stretch: number): void => {
    if (file >= 0) closeSync(file);
    file = openSync(join(folder, `${stretch}.log`), 'a', 0o600);
    current = stretch;
    // A machine that crashed may have left half a line; what follows must not become part of it.
    writeSync(file, '\n');
    for (const name of readdirSync(folder)) {
      // A nonce is good for at most twice the window after it was written.
      if (Number.parseInt(name, 10) < stretch - 1) rmSync(join(folder, name), { force: true });
    }
  };
  let lines: string[] = [];
  let group = Promise.withResolvers<void>();
  const write = (): void => {
    if (lines.length === 0) return;
    const text = lines.join('');
    lines = [];
    try {
      const stretch = Math.floor(clock.now() / 1000 / stretch_s);
      if (stretch !== current) rotate(stretch);
      writeSync(file, text);
      group.resolve();
    } catch (error) {
      group.reject(error);
    }
  };
  group.resolve();
  return {
    append({ timestamp, tokenId, nonce }) {
      if (lines.length === 0) {
        group = Promise.withResolvers<void>();
        // Those who wait are told of a failure; that nobody waits is none.
        group.promise.catch(() => {});
        setImmediate(write);
      }
      lines.push(`${timestamp} ${tokenId} ${nonce}\n`);
      if (lines.length === GROUP_MAX) write();
    },
    written: () => group.promise,
    *read() {
      for (const name of readdirSync(folder)) {
        for (const line of readFileSync(join(folder, name), 'latin1').split('\n')) {
          const entry = readLine(line);
          if (entry) yield entry;
        }
      }
    },
    close() {
      write();
      if (file >= 0) closeSync(file);
    },
  };
}

function readLine(line: string): UsedNonce | undefined {
  const [timestamp, tokenId, nonce] = line.split(' ');
  return timestamp && tokenId && nonce ? { timestamp: Number(timestamp), tokenId, nonce } : undefined;
}
