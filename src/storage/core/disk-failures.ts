import { Problem } from '../../contract/problems/problems.ts';
import { StoreUnavailable, type UnavailableDetails } from '../../contract/problems/store-unavailable.ts';

/** Error codes of full, read-only or failing disks, and of a machine without free file handles. */
const OF_FILES = /^(ENOSPC|EDQUOT|EROFS|EIO|ENXIO|EMFILE|ENFILE|ESTALE|ENODEV)$/;

/** Primary result codes of SQLite: busy, locked, read-only, I/O error, full, cannot open. */
const OF_SQLITE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/** An error with a code of the operating system or of SQLite. */
interface Coded {
  readonly code?: string;
  /** The extended result code of SQLite; its last byte is the primary one. */
  readonly errcode?: number;
  readonly cause?: unknown;
}

/**
 * Whether an error was caused by a disk and not by the request, so that a retry makes sense. The only place that knows
 * the error codes of the operating system and of SQLite.
 */
function isDiskFailure(error: unknown): boolean {
  const { code = '', errcode, cause } = (error ?? {}) as Coded;
  if (OF_FILES.test(code)) return true;
  if (code === 'ERR_SQLITE_ERROR' && errcode !== undefined) return OF_SQLITE.has(errcode & 0xff);
  return cause !== undefined && isDiskFailure(cause);
}

/** Maps a disk failure to StoreUnavailable; returns other errors unchanged. */
export function mapDiskFailure(error: unknown, details?: UnavailableDetails): unknown {
  if (error instanceof Problem) return error;
  return isDiskFailure(error) ? new StoreUnavailable(error as Error, details) : error;
}

/** Throws a disk failure as StoreUnavailable, and other errors unchanged. @throws StoreUnavailable */
export function rethrowDiskFailure(error: unknown): never {
  throw mapDiskFailure(error);
}

/** Wraps a port so that its promises reject with StoreUnavailable when a disk fails. */
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
