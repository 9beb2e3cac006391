import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { elapsed_ms } from '../../base/timers.ts';
import { type NonceLog, nonceDigest, type UsedNonce } from '../../contract/store/nonces.ts';
import { rethrowDiskFailure } from './disk-failures.ts';
import { writeAllSync } from './file-sink.ts';

/** Maximum number of lines per write: more would delay replies that are ready. */
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
export class NonceFiles implements NonceLog {
  readonly #folder;
  readonly #window_s;
  readonly #clock;
  readonly #elapsed;
  readonly #write;
  readonly #files = new Map<string, Written>();
  readonly #watermark;
  /** The Unix second up to which nonces were removed. It only grows, also across restarts. @source decision 430 */
  #forgottenUntil_s;
  /** The period of the open file. */
  #current = Number.NaN;
  #file = -1;
  /** Offset of the end of the last complete line. */
  #length = 0;
  #waiting: UsedNonce[] = [];
  #group = Promise.withResolvers<boolean>();

  constructor(folder: string, window_s: number, { clock, elapsed = elapsed_ms, write }: NonceLogOptions) {
    this.#folder = folder;
    this.#window_s = window_s;
    this.#clock = clock;
    this.#elapsed = elapsed;
    this.#write = write;
    this.#watermark = join(folder, 'forgotten-until');
    this.#forgottenUntil_s = readNumber(this.#watermark);
    for (const name of namesIn(folder)) {
      const newest_s = readEntries(join(folder, name)).reduce(
        (newest, { timestamp }) => Math.max(newest, timestamp),
        0,
      );
      this.#files.set(name, { newest_s, at_ms: elapsed() });
    }
  }

  append(entry: UsedNonce): Promise<boolean> {
    if (this.#waiting.length === 0) {
      const opened = Promise.withResolvers<boolean>();
      // Rejects as StoreUnavailable, so that a request whose nonce cannot be written gets 503. @source decision 434
      this.#group = { ...opened, promise: opened.promise.catch(rethrowDiskFailure) };
      // Callers that await it get the failure; without any, the rejection must not be unhandled.
      this.#group.promise.catch(() => {});
      setImmediate(() => this.#flush());
    }
    const { promise } = this.#group;
    this.#waiting.push(entry);
    if (this.#waiting.length === GROUP_MAX) this.#flush();
    return promise;
  }

  *read(): Generator<UsedNonce> {
    for (const name of namesIn(this.#folder)) yield* readEntries(join(this.#folder, name));
  }

  forgottenUntil(): number {
    return this.#forgottenUntil_s;
  }

  close(): void {
    this.#flush();
    this.#closeFile();
  }

  #flush(): void {
    if (this.#waiting.length === 0) return;
    const [entries, ended] = [this.#waiting, this.#group];
    this.#waiting = [];
    try {
      this.#appendAll(entries);
      // Only this process writes these files, and it knows their contents.
      ended.resolve(true);
    } catch (error) {
      ended.reject(error);
    }
  }

  #appendAll(entries: readonly UsedNonce[]): void {
    const now_s = this.#clock.now() / 1000;
    const period = Math.floor(now_s / (this.#window_s * 2));
    if (period !== this.#current) this.#turnTo(period, now_s);
    const lines = entries.map(({ timestamp, digest }) => `${timestamp} ${digest}\n`);
    const bytes = Buffer.from(lines.join(''), 'latin1');
    try {
      writeAllSync(this.#file, bytes, this.#write);
    } catch (error) {
      // If truncating fails too, it happens when the file is opened again.
      try {
        ftruncateSync(this.#file, this.#length);
      } catch {
        this.#closeFile();
      }
      throw error;
    }
    this.#length += bytes.length;
    const written = this.#files.get(`${period}.log`)!;
    written.at_ms = this.#elapsed();
    for (const { timestamp } of entries) written.newest_s = Math.max(written.newest_s, timestamp);
  }

  #turnTo(period: number, now_s: number): void {
    this.#closeFile();
    this.#forget(now_s);
    const name = `${period}.log`;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#file = openSync(join(this.#folder, name), 'a+', 0o600);
    if (!this.#files.has(name)) this.#files.set(name, { newest_s: 0, at_ms: this.#elapsed() });
    // A crash may have left an incomplete line, to which nothing must be appended.
    this.#length = wholeLines(readFileSync(this.#file));
    ftruncateSync(this.#file, this.#length);
    this.#current = period;
  }

  /**
   * The clock may have jumped ahead and be set back: files written within the last window stay, whatever the clock
   * says.
   * @source decision 430
   */
  #forget(now_s: number): void {
    for (const [name, { newest_s, at_ms }] of this.#files) {
      if (newest_s >= now_s - this.#window_s || this.#elapsed() - at_ms < this.#window_s * 1000) continue;
      this.#raiseWatermark(newest_s);
      rmSync(join(this.#folder, name), { force: true });
      this.#files.delete(name);
    }
  }

  #raiseWatermark(second: number): void {
    if (second <= this.#forgottenUntil_s) return;
    writeFileSync(`${this.#watermark}.new`, `${second}\n`, { mode: 0o600 });
    renameSync(`${this.#watermark}.new`, this.#watermark);
    this.#forgottenUntil_s = second;
  }

  #closeFile(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
    this.#current = Number.NaN;
  }
}

/** The number in a file; 0 if the file does not exist. */
function readNumber(path: string): number {
  return existsSync(path) ? Number.parseInt(readFileSync(path, 'latin1'), 10) || 0 : 0;
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
