import { createReadStream } from 'node:fs';
import { CommandFailed } from '../failure.ts';
import { readPost } from './record.ts';
import type { PostSaid } from './take-in.ts';

const PIECE_BYTES = 1_048_576;

/** The posts of a file, a piece of it at a time, whatever its size. @throws CommandFailed when it is no such file */
export function postsOf(path: string, now: number): AsyncGenerator<readonly PostSaid[]> {
  if (/\.(ndjson|jsonl)$/i.test(path)) return read(path, now);
  throw new CommandFailed(`${path}: expected a file that ends in .ndjson or .jsonl`, 2);
}

async function* read(path: string, now: number): AsyncGenerator<readonly PostSaid[]> {
  let rest = '';
  const posts = (lines: readonly string[]): PostSaid[] =>
    lines.filter((line) => line !== '' && line.trim() !== '').map((line) => readPost(line, now));
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: PIECE_BYTES })) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop()!;
    yield posts(lines);
  }
  yield posts([rest]);
}
