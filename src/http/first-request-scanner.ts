/** How much of the first request of a connection has arrived, as far as waiting for the rest is worthwhile. */
export type ScanResult = 'some of the head' | 'some of the form' | 'enough';

/** The maximum head size of the parser. */
const HEAD_BYTES_MAX = 16_384;
const HEAD_END = '\r\n\r\n';
/** The head of a chunk is shorter, except with extensions, which nobody sends. */
const CHUNK_HEAD_BYTES = 16;

/** Scans the first bytes of a connection. */
export interface FirstRequestScanner {
  /** Receives all bytes so far, at least those of the previous call. */
  scan(bytes: Buffer): ScanResult;
}

/**
 * Detects whether a head and the form behind it have arrived. It only decides how long to buffer the bytes: they reach
 * the parser unchanged, so anything unusual or malformed is `enough` at once and left to the parser.
 * @param form_bytes_max larger forms are not waited for.
 * @source decision 620
 */
export function firstRequestScanner(form_bytes_max: number): FirstRequestScanner {
  let looked = 0;
  /** Where the form, or its current chunk, ends; undefined before the head is complete. */
  let end: number | undefined;
  let isChunked = false;
  let bodyAt = 0;
  return {
    scan(bytes) {
      if (end === undefined) {
        const at = bytes.indexOf(HEAD_END, Math.max(0, looked - HEAD_END.length));
        if (at < 0) {
          const isOdd =
            !isUpperCase(bytes[0]!) || bytes.length > HEAD_BYTES_MAX || bytes.includes('\n\n', Math.max(0, looked - 1));
          looked = bytes.length;
          return isOdd ? 'enough' : 'some of the head';
        }
        bodyAt = at + HEAD_END.length;
        const form = formOf(bytes.toString('latin1', 0, bodyAt));
        isChunked = form === 'chunks';
        end = form === 'chunks' || form > form_bytes_max ? bodyAt : bodyAt + form;
      }
      if (bytes.length - bodyAt > form_bytes_max) return 'enough';
      while (isChunked && bytes.length >= end) {
        const next = nextChunk(bytes, end);
        if (next === 'incomplete') return 'some of the form';
        if (next === 'last or odd') return 'enough';
        end = next;
      }
      return bytes.length >= end ? 'enough' : 'some of the form';
    },
  };
}

function isUpperCase(byte: number): boolean {
  return byte >= 65 && byte <= 90;
}

/** The length of the form behind a head; 0 where it is not waited for. */
function formOf(head: string): number | 'chunks' {
  if (!/\r\ncontent-type:[ \t]*application\/x-www-form-urlencoded[ \t]*[;\r]/i.test(head)) return 0;
  // A client that sent `expect` waits for an answer before it sends the body.
  if (/\r\nexpect:/i.test(head)) return 0;
  const lengths = [...head.matchAll(/\r\ncontent-length:[ \t]*(\d*)[ \t]*(?=\r)/gi)];
  if (/\r\ntransfer-encoding:/i.test(head)) {
    return lengths.length === 0 && /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r/i.test(head) ? 'chunks' : 0;
  }
  return lengths.length === 1 ? Number(lengths[0]![1]) : 0;
}

/** Where the chunk that begins at `at` ends. */
function nextChunk(bytes: Buffer, at: number): number | 'incomplete' | 'last or odd' {
  const head = bytes.toString('latin1', at, at + CHUNK_HEAD_BYTES);
  const [whole, size] = /^([0-9a-f]{1,8})\r\n/i.exec(head) ?? [];
  if (whole === undefined) return /^[0-9a-f]{0,8}\r?$/i.test(head) ? 'incomplete' : 'last or odd';
  const length = Number.parseInt(size!, 16);
  if (length === 0) return 'last or odd';
  const end = at + whole.length + length;
  // The line break after the chunk.
  if (bytes.length > end && bytes[end] !== 13) return 'last or odd';
  return end + 2;
}
