import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { elapsed_ms } from '../../base/timers.ts';
import { type NonceLog, nonceDigest, type UsedNonce } from '../../contract/store/nonces.ts';
import { rethrowDiskFailure } from './disk-failures.ts';
import { writeAllSync } from './file-sink.ts';
import { nonceWatermark } from './nonce-watermark.ts';

/** At most this many lines are written together: more would delay replies that are ready. */
const GROUP_MAX = 64;

/** The newest timestamp in a file, and the monotonic time of its last write. */
interface Written {
  newest_s: number;
  at_ms: number;
}

/** Dependencies of a nonce log. */
export interface NonceLogOptions {
  readonly clock: Clock;
  /** Monotonic milliseconds. */
  readonly elapsed?: () => number;
  /** Writes bytes; returns how many were written. */
  readonly write?: (file: number, bytes: Uint8Array) => number;
}

/**
 * Used nonces in small append-only files, one per period, so that expired ones are deleted with their file. Data passed
 * to the operating system survives the process, however it ends. The lines of one turn of the event loop are written
 * together, all or none: what a full disk accepted in part is truncated again. Lines are `<timestamp> <digest>`;
 * versions up to 0.1 wrote `<timestamp> <token id> <nonce>`, which can still be read.
 * @source decision 432
 */
export function openNonceLog(
  folder: string,
  window_s: number,
  { clock, elapsed = elapsed_ms, write }: NonceLogOptions,
): NonceLog & { close(): void } {
  const period_s = window_s * 2;
  const files = new Map<string, Written>();
  const mark = nonceWatermark(folder);
  let current = Number.NaN;
  let file = -1;
  /** Offset of the end of the last complete line. */
  let length = 0;
  for (const name of namesIn(folder)) {
    const newest_s = readEntries(join(folder, name)).reduce((newest, { timestamp }) => Math.max(newest, timestamp), 0);
    files.set(name, { newest_s, at_ms: elapsed() });
  }

  /**
   * The clock may have jumped ahead and be set back: files written within the last window stay, whatever the clock
   * says.
   * @source decision 430
   */
  const forget = (now_s: number): void => {
    for (const [name, { newest_s, at_ms }] of files) {
      if (newest_s >= now_s - window_s || elapsed() - at_ms < window_s * 1000) continue;
      mark.raise(newest_s);
      rmSync(join(folder, name), { force: true });
      files.delete(name);
    }
  };
  const close = (): void => {
    if (file >= 0) closeSync(file);
    file = -1;
    current = Number.NaN;
  };
  const turnTo = (period: number, now_s: number): void => {
    close();
    forget(now_s);
    const name = `${period}.log`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    file = openSync(join(folder, name), 'a+', 0o600);
    if (!files.has(name)) files.set(name, { newest_s: 0, at_ms: elapsed() });
    // A crash may have left half a line, which the next line must not continue.
    length = wholeLines(readFileSync(file));
    ftruncateSync(file, length);
    current = period;
  };
  const append = (entries: readonly UsedNonce[]): void => {
    const now_s = clock.now() / 1000;
    const period = Math.floor(now_s / period_s);
    if (period !== current) turnTo(period, now_s);
    const lines = entries.map(({ timestamp, digest }) => `${timestamp} ${digest}\n`);
    const bytes = Buffer.from(lines.join(''), 'latin1');
    try {
      writeAllSync(file, bytes, write);
    } catch (error) {
      // If truncating fails too, it happens when the file is opened again.
      try {
        ftruncateSync(file, length);
      } catch {
        close();
      }
      throw error;
    }
    length += bytes.length;
    const written = files.get(`${period}.log`)!;
    written.at_ms = elapsed();
    for (const { timestamp } of entries) written.newest_s = Math.max(written.newest_s, timestamp);
  };

  let waiting: UsedNonce[] = [];
  let group = Promise.withResolvers<boolean>();
  const flush = (): void => {
    if (waiting.length === 0) return;
    const [entries, ended] = [waiting, group];
    waiting = [];
    try {
      append(entries);
      // This process alone writes here, and knows what it wrote.
      ended.resolve(true);
    } catch (error) {
      ended.reject(error);
    }
  };
  return {
    append(entry) {
      if (waiting.length === 0) {
        const opened = Promise.withResolvers<boolean>();
        // Rejects as StoreUnavailable, so that a request whose nonce cannot be written gets 503. @source decision 434
        group = { ...opened, promise: opened.promise.catch(rethrowDiskFailure) };
        // Callers that await it see the failure; without such callers the rejection must not count as unhandled.
        group.promise.catch(() => {});
        setImmediate(flush);
      }
      const { promise } = group;
      waiting.push(entry);
      if (waiting.length === GROUP_MAX) flush();
      return promise;
    },
    *read() {
      for (const name of namesIn(folder)) yield* readEntries(join(folder, name));
    },
    forgottenUntil: mark.value,
    close() {
      flush();
      close();
    },
  };
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.log$/.test(name)) : [];
}

function readEntries(path: string): UsedNonce[] {
  const lines = readFileSync(path, 'latin1').split('\n');
  // Text after the last line feed is an incomplete line.
  return lines.slice(0, -1).flatMap((line) => readLine(line) ?? []);
}

const LINE = /^(\d{1,10}) ([\w-]{43})$/;
const OLD_LINE = /^(\d{1,10}) (\S+) (\S+)$/;

function readLine(line: string): UsedNonce | undefined {
  const found = LINE.exec(line);
  if (found) return { timestamp: Number(found[1]), digest: found[2]! };
  const old = OLD_LINE.exec(line);
  return old ? { timestamp: Number(old[1]), digest: nonceDigest(old[2]!, old[1]!, old[3]!) } : undefined;
}

/** The length of the complete lines, in bytes. */
function wholeLines(bytes: Uint8Array): number {
  return bytes.lastIndexOf(0x0a) + 1;
}
