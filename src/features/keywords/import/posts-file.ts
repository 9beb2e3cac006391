import { InputError } from '../../../base/input-error.ts';
import { type Line, linesOf } from '../../../base/lines.ts';
import type { PostOrErrors } from './import-posts.ts';
import { parsePost } from './post-record.ts';

/** Bytes that are read and yielded at a time. */
const CHUNK_BYTES = 1_048_576;

/** Streams the posts of an .ndjson or .jsonl file, a chunk at a time. @throws InputError for other file names */
export function readPostsFile(path: string, now: number): AsyncGenerator<readonly PostOrErrors[]> {
  if (/\.(ndjson|jsonl)$/i.test(path)) return readNdjson(path, now);
  throw new InputError(`${path}: expected a file that ends in .ndjson or .jsonl`);
}

async function* readNdjson(path: string, now: number): AsyncGenerator<readonly PostOrErrors[]> {
  const parse = (line: Line): PostOrErrors => ('error' in line ? [line.error] : parsePost(line.text, now));
  for await (const lines of linesOf(path, CHUNK_BYTES)) {
    yield lines.filter((line) => 'error' in line || (line.text !== '' && line.text.trim() !== '')).map(parse);
  }
}
