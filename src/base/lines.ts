import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';

/** Maximum length of a line. */
const LINE_BYTES_MAX = 1_048_576;
const NEWLINE = 0x0a;

/** A line of a file, or its error. */
export type Line = { readonly text: string } | { readonly error: string };

/** The lines of a file, in pieces as they are read. */
export function readFileLines(path: string, pieceBytes = 65_536): AsyncGenerator<Line[]> {
  return readStreamLines(createReadStream(path, { highWaterMark: pieceBytes }));
}

/** The lines of a stream, in pieces as they arrive. A line that is too long is reported, and never held in memory. */
export async function* readStreamLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes > LINE_BYTES_MAX) parts = [];
    else parts.push(part);
  };
  const end = (): Line => {
    const line = bytes > LINE_BYTES_MAX ? TOO_LONG : lineOf(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    parts = [];
    bytes = 0;
    return line;
  };
  for await (const piece of stream) {
    const lines: Line[] = [];
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      add(piece.subarray(from, at));
      lines.push(end());
      from = at + 1;
    }
    add(piece.subarray(from));
    yield lines;
  }
  yield [end()];
}

const TOO_LONG: Line = { error: `is longer than ${LINE_BYTES_MAX} bytes` };

function lineOf(bytes: Buffer): Line {
  if (!isUtf8(bytes)) return { error: 'is not valid UTF-8' };
  return bytes.includes(0) ? { error: 'holds a NUL character' } : { text: bytes.toString() };
}
