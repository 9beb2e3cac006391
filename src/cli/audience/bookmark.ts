import { hash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/** How far a file is uploaded. */
export interface Progress {
  /** Rows that are done, those left out among them. */
  rows: number;
  people: number;
  left: number;
}

/** Keeps how far a file is uploaded beside it. */
export interface Bookmark {
  /** Nothing is done of a file that was changed, or that was sent elsewhere. */
  read(): Progress;
  write(progress: Progress): void;
  remove(): void;
}

/** The bookmark of a file. @param purpose where it is sent, and as what. */
export function bookmarkOf(file: string, purpose: string): Bookmark {
  const { size, mtimeMs } = statSync(file);
  const of = hash('sha256', JSON.stringify([size, mtimeMs, purpose]));
  const path = `${file}.${of.slice(0, 8)}.uploaded`;
  return {
    read() {
      try {
        const kept = JSON.parse(readFileSync(path, 'utf8'));
        if (kept.of === of) return kept.progress;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
      }
      return { rows: 0, people: 0, left: 0 };
    },
    write(progress) {
      writeFileSync(`${path}.new`, JSON.stringify({ of, progress }), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
