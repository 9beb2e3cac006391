import { CommandFailed } from '../failure.ts';
import { type Line, linesOf } from '../lines.ts';
import { readPost } from './record.ts';
import type { PostSaid } from './take-in.ts';

const PIECE_BYTES = 1_048_576;

/** The posts of a file, a piece of it at a time, whatever its size. @throws CommandFailed when it is no such file */
export function postsOf(path: string, now: number): AsyncGenerator<readonly PostSaid[]> {
  if (/\.(ndjson|jsonl)$/i.test(path)) return read(path, now);
  throw new CommandFailed(`${path}: expected a file that ends in .ndjson or .jsonl`, 2);
}

async function* read(path: string, now: number): AsyncGenerator<readonly PostSaid[]> {
  const said = (line: Line): PostSaid => ('error' in line ? [line.error] : readPost(line.text, now));
  for await (const lines of linesOf(path, PIECE_BYTES)) {
    yield lines.filter((line) => 'error' in line || (line.text !== '' && line.text.trim() !== '')).map(said);
  }
}
