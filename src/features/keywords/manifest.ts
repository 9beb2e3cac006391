import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { PostPosition } from '../../contract/store/posts.ts';
import type { DictionarySize } from './dictionary.ts';
import { NO_POSTS } from './local-posts.ts';

/** The environments of the posts of a segment. */
export type Scope = Environment | 'both';

/** A committed segment. */
export interface SegmentEntry {
  /** The name of its file. */
  readonly name: string;
  readonly scope: Scope;
  /** Days since 1970. */
  readonly day: number;
  readonly posts: number;
}

/** The committed state of an index; other files in its folder are unused. Replaced atomically. */
export interface Manifest extends DictionarySize {
  /** The corpus of the index. */
  readonly mark: string;
  /** The folder of its files; unique for each new index. */
  readonly edition: string;
  /** All pages with a smaller number are indexed. */
  readonly pages: number;
  /** The position of the last indexed local post. */
  readonly localPosts: Readonly<Record<Environment, PostPosition>>;
  readonly segments: readonly SegmentEntry[];
}

/** The manifest of an empty index. */
export function emptyManifest(mark: string, edition: string): Manifest {
  const localPosts = { production: NO_POSTS, sandbox: NO_POSTS };
  return { mark, edition, pages: 0, localPosts, segments: [], terms: 0, units: 0 };
}

const NAME = 'manifest.json';

/** The manifest of a folder; undefined when missing, unreadable, or of an earlier release. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, NAME), 'utf8')) as Manifest;
    return manifest.localPosts ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the manifest of a folder atomically; durable on return. */
export function writeManifest(folder: string, manifest: Manifest): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, NAME);
  const file = openSync(`${path}.new`, 'w', 0o600);
  writeFileSync(file, JSON.stringify(manifest));
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
  const directory = openSync(folder, 'r');
  fsyncSync(directory);
  closeSync(directory);
}
