import { readFileSync } from 'node:fs';

/**
 * The minimum limit of file descriptors: each connection, stream and file takes one; many systems allow about a
 * thousand, too few for a busy service.
 */
const OPEN_FILES_MIN = 4096;

/** The limit of open files; undefined if the system does not report it. */
export function openFilesMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The problem with a limit of open files, and the remedy; undefined without one. */
export function fewOpenFiles(limit: number): readonly [message: string, advice: string] | undefined {
  if (limit >= OPEN_FILES_MIN) return undefined;
  return [`at most ${limit} files and connections may be open`, `raise the limit: ulimit -n ${OPEN_FILES_MIN * 16}`];
}
