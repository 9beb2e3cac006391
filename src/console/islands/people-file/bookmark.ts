import { NOTHING_YET, type Progress } from '../../../features/audiences/uploads/people-parts.ts';

/** The progress of an upload in the browser's storage: the same file to the same audience goes on where it was left. */
export interface Bookmark {
  read(): Progress;
  write(progress: Progress): void;
  remove(): void;
}

/** @param purpose where a file is sent, and how it is read */
export function bookmarkOf(file: File, purpose: readonly unknown[]): Bookmark {
  const key = `barker upload ${JSON.stringify(purpose)}`;
  const of = JSON.stringify([file.name, file.size, file.lastModified]);
  return {
    read() {
      try {
        const stored = JSON.parse(localStorage.getItem(key) ?? '{}');
        return stored.of === of ? { ...NOTHING_YET, ...stored.progress } : NOTHING_YET;
      } catch {
        return NOTHING_YET;
      }
    },
    write(progress) {
      try {
        localStorage.setItem(key, JSON.stringify({ of, progress }));
      } catch {
        // Without storage, an interrupted upload begins anew: people who are uploaded twice count once.
      }
    },
    remove: () => localStorage.removeItem(key),
  };
}
