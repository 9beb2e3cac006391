/**
 * Creates a streaming decoder that detects UTF-8, with or without a byte order mark, UTF-16 and Windows-1252. Invalid
 * sequences become U+FFFD.
 */
export function textDecoder(): (piece: Uint8Array, isLast: boolean) => string {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  /** Incomplete beginning of the text or of a character. */
  let held: Uint8Array = new Uint8Array();
  let isStart = true;
  return (piece, isLast) => {
    if (decoder) return decoder.decode(piece, { stream: !isLast });
    const bytes = new Uint8Array(held.length + piece.length);
    bytes.set(held);
    bytes.set(piece, held.length);
    held = bytes;
    if (isStart && bytes.length < MARK_BYTES && !isLast) return '';
    let encoding = isStart ? encodingAtStart(bytes) : undefined;
    isStart = false;
    if (encoding === undefined) {
      const text = new TextDecoder().decode(bytes, { stream: !isLast });
      if (!/[\u0080-\uffff]/.test(text)) {
        // ASCII so far: each byte is a character.
        held = bytes.subarray(text.length);
        return text;
      }
      // Other text has next to no sequences that are valid.
      encoding = /[\u0080-\ufffc]/.test(text) ? 'utf-8' : 'windows-1252';
    }
    decoder = new TextDecoder(encoding);
    return decoder.decode(bytes, { stream: !isLast });
  };
}

/** Bytes from which UTF-16 and byte order marks are detected. */
const MARK_BYTES = 4;

function encodingAtStart([a = 1, b = 1, c = 1, d = 1]: Uint8Array): string | undefined {
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  // Without a mark: the upper bytes of Latin letters are zero.
  if (b === 0 && d === 0) return 'utf-16le';
  return a === 0 && c === 0 ? 'utf-16be' : undefined;
}
