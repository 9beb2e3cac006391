/** How much of the first request of a connection has arrived, as far as it is worth waiting for the rest. */
export type ScanResult = 'some of the head' | 'some of the form' | 'enough';

/** As long as the parser lets a head be. */
const HEAD_BYTES_MAX = 16_384;
const HEAD_END = '\r\n\r\n';
/** What stands before a chunk is shorter, but for extensions that nobody sends. */
const CHUNK_HEAD_BYTES = 16;

/** The beginning of a connection, as far as it has been looked at. */
export interface FirstRequestScanner {
  /** Is given all bytes so far, at least those of the last time. */
  scan(bytes: Buffer): ScanResult;
}

/**
 * Looks whether a head, and the form behind it, have arrived. It only decides how long the bytes wait: they reach the parser
 * as they came, so whatever is unusual or wrong is `enough` at once, and the parser's to judge.
 * @param form_bytes_max larger forms are not waited for.
 */
export function firstRequestScanner(form_bytes_max: number): FirstRequestScanner {
  let looked = 0;
  /** How far the form reaches, or its chunk; undefined before the head is complete. */
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

/** How long the form behind a head is; 0 where it is not waited for. */
function formOf(head: string): number | 'chunks' {
  if (!/\r\ncontent-type:[ \t]*application\/x-www-form-urlencoded[ \t]*[;\r]/i.test(head)) return 0;
  // Whoever expects an answer sends nothing before it.
  if (/\r\nexpect:/i.test(head)) return 0;
  const lengths = [...head.matchAll(/\r\ncontent-length:[ \t]*(\d*)[ \t]*(?=\r)/gi)];
  if (/\r\ntransfer-encoding:/i.test(head)) {
    return lengths.length === 0 && /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r/i.test(head) ? 'chunks' : 0;
  }
  return lengths.length === 1 ? Number(lengths[0]![1]) : 0;
}

/** Where the chunk ends that begins there. */
function nextChunk(bytes: Buffer, at: number): number | 'incomplete' | 'last or odd' {
  const head = bytes.toString('latin1', at, at + CHUNK_HEAD_BYTES);
  const [whole, size] = /^([0-9a-f]{1,8})\r\n/i.exec(head) ?? [];
  if (whole === undefined) return /^[0-9a-f]{0,8}\r?$/i.test(head) ? 'incomplete' : 'last or odd';
  const length = Number.parseInt(size!, 16);
  if (length === 0) return 'last or odd';
  const end = at + whole.length + length;
  // The line break behind it.
  if (bytes.length > end && bytes[end] !== 13) return 'last or odd';
  return end + 2;
}
