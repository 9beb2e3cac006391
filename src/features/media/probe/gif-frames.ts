const [EXTENSION, IMAGE, TRAILER] = [0x21, 0x2c, 0x3b];

/** Frame count and offsets of a GIF. */
export interface GifFrames {
  readonly frames: number;
  /** Offset of the end of the first frame. */
  readonly firstEnd: number;
  /** Offset of the end of the GIF. */
  readonly end: number;
}

/** Counts the frames of a GIF; undefined when truncated or without frames. */
export function gifFrames(bytes: Buffer): GifFrames | undefined {
  if (bytes.length < 14) return undefined;
  let at = 13 + colorBytes(bytes[10]!);
  let frames = 0;
  let firstEnd = 0;
  while (at < bytes.length) {
    const block = bytes[at];
    if (block === TRAILER) return frames === 0 ? undefined : { frames, firstEnd, end: at + 1 };
    if (block !== IMAGE && block !== EXTENSION) return undefined;
    const start = block === EXTENSION ? at + 2 : at + 11 + colorBytes(bytes[at + 9] ?? 0);
    const next = afterBlocks(bytes, start);
    if (next === undefined) return undefined;
    if (block === IMAGE) {
      frames += 1;
      firstEnd ||= next;
    }
    at = next;
  }
  return undefined;
}

/** The first frame of a GIF, as a GIF without animation. */
export function firstFrame(bytes: Buffer): Buffer | undefined {
  const found = gifFrames(bytes);
  return found && Buffer.concat([bytes.subarray(0, found.firstEnd), Buffer.from([TRAILER])]);
}

function colorBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** The offset after a sequence of sub-blocks, which an empty one ends. */
function afterBlocks(bytes: Buffer, start: number): number | undefined {
  let at = start;
  while (at < bytes.length) {
    const length = bytes[at]!;
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}
