import type { OpenObject } from './objects.ts';

/** A file that may be downloaded without credentials: its address is the secret. */
interface Download {
  readonly object: OpenObject;
  readonly mime: string;
}

/** Finds a file by its path below `/downloads`; undefined when it does not exist, or not any more. */
export type FindDownload = (path: string) => Promise<Download | undefined>;
