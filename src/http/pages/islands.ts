import { readFileSync } from 'node:fs';
import type { Routes } from '../routes.ts';

/** The output of `npm run build`: the bundled scripts of `src/console/islands`, and a manifest. @source decision 1008 */
const FOLDER = new URL('../../../built/islands/', import.meta.url);

/** A page script, and the scripts that it imports. */
interface Island {
  readonly file: string;
  readonly imports: readonly string[];
}

/** The scripts by name; empty if they were not built. */
export const islands: Readonly<Record<string, Island>> = readManifest();

function readManifest(): Record<string, Island> {
  try {
    return JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** The path of a script file. */
export const islandPath = (file: string): string => `/pages/islands/${file}`;

/** The files of all scripts, plain and compressed. */
const contents = new Map(
  Object.values(islands)
    .flatMap(({ file, imports }) => [file, ...imports])
    .map((file) => [file, { plain: read(file), packed: read(`${file}.br`) }]),
);

function read(file: string): Buffer {
  return readFileSync(new URL(file, FOLDER));
}

/** Returns a script file, for listeners that serve it themselves. */
export const islandFile = (path: string): Buffer | undefined => contents.get(path.replace(islandPath(''), ''))?.plain;

/** Serves the scripts. Their names change with their contents, so that browsers can cache them forever. */
export function serveIslands(routes: Routes): void {
  for (const [file, { plain, packed }] of contents) {
    routes.get(islandPath(file), (request) => {
      const isPacked = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
      const headers = {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'cross-origin-resource-policy': 'same-origin',
        vary: 'accept-encoding',
        ...(isPacked && { 'content-encoding': 'br' }),
      };
      return { headers, body: isPacked ? packed : plain };
    });
  }
}
