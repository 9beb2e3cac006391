import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../contract/declare/resource.ts';
import type { DictionarySize } from './dictionary.ts';

/** Of which environments the posts of a segment are. */
export type Scope = Environment | 'both';

/** A segment that counts. */
export interface SegmentEntry {
  /** The name of its file. */
  readonly name: string;
  readonly scope: Scope;
  /** Days since 1970. */
  readonly day: number;
  readonly posts: number;
}

/** What of an index counts: everything else in its folder was left behind. It is replaced as a whole. */
export interface Manifest extends DictionarySize {
  /** Of which corpus it is the index. */
  readonly mark: string;
  /** The name of the folder with its files, unlike that of any index before. */
  readonly edition: string;
  /** Every page with a number below is in it. */
  readonly pages: number;
  /** The last post in it of those made here. */
  readonly posts: Readonly<Record<Environment, string>>;
  readonly segments: readonly SegmentEntry[];
}

/** An index of nothing. */
export function emptyManifest(mark: string, edition: string): Manifest {
  return { mark, edition, pages: 0, posts: { production: '', sandbox: '' }, segments: [], terms: 0, units: 0 };
}

const NAME = 'manifest.json';

/** The manifest of a folder; undefined when there is none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, NAME), 'utf8')) as Manifest;
  } catch {
    return undefined;
  }
}

/** Puts a manifest in the place of another: on disk when this is done. */
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
