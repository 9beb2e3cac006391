import { NOTHING_YET, type Progress } from '../../../features/audiences/uploads/people-parts.ts';

/** The stored progress of an upload: the same file to the same audience resumes where it stopped. */
export interface Bookmark {
  read(): Progress;
  write(progress: Progress): void;
  remove(): void;
}

/** @param purpose the target of the file and its column types */
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
        // Without storage, an interrupted upload starts over; duplicates count once.
      }
    },
    remove: () => localStorage.removeItem(key),
  };
}
