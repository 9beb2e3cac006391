import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable, type UnavailableDetails } from '../../contract/problems/store-unavailable.ts';

/** Disks that are full, read-only or failing, and a machine that has no file handles left. */
const OF_FILES = /^(ENOSPC|EDQUOT|EROFS|EIO|ENXIO|EMFILE|ENFILE|ESTALE|ENODEV)$/;

/** Primary result codes of SQLite: busy, locked, read-only, input or output failed, full, cannot open. */
const OF_SQLITE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** An error with the code of the system or of the database. */
interface Coded {
  readonly code?: string;
  /** The extended result code of SQLite; its last byte is the primary one. */
  readonly errcode?: number;
  readonly cause?: unknown;
}

/**
 * Whether a disk, and not the request, is why something failed: trying again later makes sense. This is the one place that
 * knows how the system and the embedded database say so.
 */
export function isDiskFailure(error: unknown): boolean {
  const { code = '', errcode, cause } = (error ?? {}) as Coded;
  if (OF_FILES.test(code)) return true;
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined) return OF_SQLITE.has(errcode & 0xff);
  return cause !== undefined && isDiskFailure(cause);
}

/** Maps a failure of a disk to StoreUnavailable; returns any other as it is. */
export function mapDiskFailure(error: unknown, details?: UnavailableDetails): unknown {
  if (error instanceof Problem) return error;
  return isDiskFailure(error) ? new StoreUnavailable(error as Error, details) : error;
}

/** Throws a failure of a disk as StoreUnavailable, any other as it is. @throws StoreUnavailable */
export function rethrowDiskFailure(error: unknown): never {
  throw mapDiskFailure(error);
}

/** The same port, whose promises reject with StoreUnavailable when a disk fails. */
export function withDiskFailureMapping<T extends object>(port: T): T {
  const reporting = { ...port } as Record<string, unknown>;
  for (const [name, method] of Object.entries(port)) {
    if (typeof method !== 'function') continue;
    reporting[name] = (...args: unknown[]) => {
      const answer = method(...args);
      return answer instanceof Promise ? answer.catch(rethrowDiskFailure) : answer;
    };
  }
  return reporting as T;
}
