import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { NOTHING_YET, type Progress } from '../../features/audiences/uploads/people-parts.ts';

/** Stores the progress of an upload beside the file. */
export interface ProgressFile {
  /** Zero if the file has changed since, or was sent elsewhere. */
  read(): Progress;
  write(progress: Progress): void;
  remove(): void;
}

/** The progress file of a file. @param purpose where the file is sent, and with which options */
export function progressFileOf(file: string, purpose: string): ProgressFile {
  const { size, mtimeMs } = statSync(file);
  const of = hash('sha256', JSON.stringify([size, mtimeMs, purpose]));
  const path = `${file}.${of.slice(0, 8)}.uploaded`;
  return {
    read() {
      try {
        const stored = JSON.parse(readFileSync(path, 'utf8'));
        // Earlier releases stored less.
        if (stored.of === of) return { ...NOTHING_YET, ...stored.progress };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      }
      return NOTHING_YET;
    },
    write(progress) {
      writeFileSync(`${path}.new`, JSON.stringify({ of, progress }), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
