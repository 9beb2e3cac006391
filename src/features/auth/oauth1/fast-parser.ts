/**
 * The fast parser, for the shape of nearly every request: header parameters only, nothing escaped but the signature.
 * It returns the same as `fullParse`, or undefined; a randomized test compares the two.
 */
import { ESCAPES, UNRESERVED } from '../../../base/percent.ts';
import type { SignedParts } from '../../../contract/declare/callers.ts';
import type { Parameter, ParsedRequest } from './parsed-request.ts';

/** Bytes in a word. */
const WORD = 4;

/** A fixed text that is copied or compared in words of four bytes. */
interface Fixed {
  readonly length: number;
  readonly words: DataView;
}

function fixed(text: string): Fixed {
  return { length: text.length, words: viewOf(Buffer.from(text.padEnd(text.length + WORD))) };
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
}

/** The openings of the parameters. Needless spaces, other parameters and other spellings are left to the full parser. */
const KEY = fixed('oauth_consumer_key="');
const NONCE = fixed('oauth_nonce="');
const SIGNATURE = fixed('oauth_signature="');
const METHOD = fixed('oauth_signature_method="HMAC-SHA1');
const TIMESTAMP = fixed('oauth_timestamp="');
const TOKEN = fixed('oauth_token="');
const VERSION = fixed('oauth_version="1.0');

/** The common prefix of these names; the next character distinguishes most of them. */
const PREFIX_LENGTH = 'oauth_'.length;
const AFTER_SIGNATURE = 'oauth_signature'.length;

/** The text around the values in the base string, in sorted order, `=` and `&` escaped. */
const BEFORE_KEY = fixed('&oauth_consumer_key%3D');
const BEFORE_NONCE = fixed('%26oauth_nonce%3D');
const BEFORE_TIMESTAMP = fixed('%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D');
const BEFORE_TOKEN = fixed('%26oauth_token%3D');
const AFTER_VERSION = fixed('%26oauth_version%3D1.0');

const QUOTE = 0x22;
const HASH = 0x23;
const QUESTION = 0x3f;
const COMMA = 0x2c;
const BLANK = 0x20;

/** Texts of this length or more are left to the full parser. */
const LONGEST = 4096;
/** Room after the text, so that comparing near its end stays inside the buffer; no opening is longer. */
const SLACK = 64;
/**
 * The text being read, as bytes with a terminating zero: bytes are read several times faster than the characters of a
 * string. Reused, since parsing is synchronous and keeps no reference to it.
 */
const bytes = Buffer.alloc(LONGEST + SLACK);
/** The base string being written, also reused: every byte of a path may become three, and the parameters follow. */
const written = Buffer.alloc(5 * LONGEST);
const words = viewOf(bytes);
const writtenWords = viewOf(written);

/** The position of a value in the header; both members are 0 for an absent one. Reused like `bytes`. */
interface Span {
  begin: number;
  end: number;
}
const key: Span = { begin: 0, end: 0 };
const nonce: Span = { begin: 0, end: 0 };
const signature: Span = { begin: 0, end: 0 };
const method: Span = { begin: 0, end: 0 };
const timestamp: Span = { begin: 0, end: 0 };
const token: Span = { begin: 0, end: 0 };
const version: Span = { begin: 0, end: 0 };

/**
 * Parses a request of the common shape: scheme written `OAuth`, each protocol parameter at most once in any order,
 * values of unreserved characters, a signature escaped in upper case, no query, no form, ASCII path.
 * @returns the parsed request; undefined, for valid and invalid requests alike, when `fullParse` must read it.
 * @source authentication 2.2, 2.3
 */
export function fastParse(parts: SignedParts): ParsedRequest | undefined {
  const header = parts.authorization;
  if (header === undefined || parts.form || !header.startsWith('OAuth ')) return undefined;
  const pathEnd = writePath(parts.target);
  if (pathEnd === 0 || !findParameters(header) || !isComplete()) return undefined;
  const encodedSignature = header.slice(signature.begin, signature.end);
  return {
    consumerKey: header.slice(key.begin, key.end),
    token: header.slice(token.begin, token.end),
    timestamp: header.slice(timestamp.begin, timestamp.end),
    nonce: header.slice(nonce.begin, nonce.end),
    signature: decodeSignature(encodedSignature),
    bodyHash: undefined,
    callback: undefined,
    verifier: undefined,
    headerParameters: NONE,
    encodedSignature,
    method: parts.method === 'GET' ? 'GET' : parts.method.toUpperCase(),
    baseStringTail: written.toString('latin1', 0, writeParameters(pathEnd)),
    baseStringTailWithRepeats: undefined,
  };
}

const NONE: readonly Parameter[] = [];

/** Writes the encoded path; returns its end, or 0 when the target is more than a plain ASCII path. */
function writePath(target: string): number {
  if (target.charCodeAt(0) !== 0x2f || !fill(target)) return 0;
  let to = 0;
  for (let at = 0; at < target.length; at += 1) {
    const code = bytes[at]!;
    if (UNRESERVED[code] === 1) {
      written[to] = code;
      to += 1;
    } else if (code === QUESTION || code === HASH) return 0;
    else {
      const escaped = ESCAPES[code]!;
      written[to] = 0x25;
      written[to + 1] = escaped.charCodeAt(1);
      written[to + 2] = escaped.charCodeAt(2);
      to += 3;
    }
  }
  return to;
}

/** Writes the normalised parameters after the path; the values have nothing to escape. */
function writeParameters(pathEnd: number): number {
  let to = writeFixed(BEFORE_KEY, pathEnd);
  to = write(words, key.begin, key.end, to);
  to = writeFixed(BEFORE_NONCE, to);
  to = write(words, nonce.begin, nonce.end, to);
  to = writeFixed(BEFORE_TIMESTAMP, to);
  to = write(words, timestamp.begin, timestamp.end, to);
  if (token.end !== 0) to = writeFixed(BEFORE_TOKEN, to);
  to = write(words, token.begin, token.end, to);
  return version.end === 0 ? to : writeFixed(AFTER_VERSION, to);
}

/**
 * Copies bytes to `written` in words. It may copy a few bytes too many, which the next copy overwrites. Returns the
 * end.
 */
function write(source: DataView, begin: number, end: number, to: number): number {
  const shift = to - begin;
  for (let index = begin; index < end; index += WORD) {
    writtenWords.setInt32(index + shift, source.getInt32(index, true), true);
  }
  return end + shift;
}

/** Writes a fixed text. */
function writeFixed(text: Fixed, to: number): number {
  return write(text.words, 0, text.length, to);
}

/** Copies an ASCII text into `bytes`; false when it is not ASCII or too long. */
function fill(text: string): boolean {
  const length = text.length;
  if (length >= LONGEST || bytes.write(text, 0) !== length) return false;
  bytes[length] = 0;
  return true;
}

/** Finds every value; false when the header does not have the common shape. */
function findParameters(header: string): boolean {
  if (!fill(header)) return false;
  key.end = nonce.end = signature.end = method.end = timestamp.end = version.end = 0;
  token.begin = token.end = 0;
  let at = 'OAuth '.length;
  for (;;) {
    const end = findParameter(at);
    if (end === 0 || bytes[end] !== QUOTE) return false;
    if (end + 1 === header.length) return true;
    if (bytes[end + 1] !== COMMA) return false;
    at = bytes[end + 2] === BLANK ? end + 3 : end + 2;
  }
}

/** Finds the value of the parameter at `at`; returns its end, or 0 when it is unexpected or repeated. */
function findParameter(at: number): number {
  switch (bytes[at + PREFIX_LENGTH]) {
    case 0x63: // c
      return findValue(KEY, key, at);
    case 0x6e: // n
      return findValue(NONCE, nonce, at);
    case 0x73: // s
      return bytes[at + AFTER_SIGNATURE] === 0x5f ? findFixed(METHOD, method, at) : findSignature(at);
    case 0x74: // t
      return bytes[at + PREFIX_LENGTH + 1] === 0x6f ? findValue(TOKEN, token, at) : findValue(TIMESTAMP, timestamp, at);
    case 0x76: // v
      return findFixed(VERSION, version, at);
    default:
      return 0;
  }
}

function findValue(opening: Fixed, span: Span, at: number): number {
  if (!begins(opening, at) || span.end !== 0) return 0;
  span.begin = at + opening.length;
  span.end = plainEnd(span.begin);
  return span.end;
}

function findSignature(at: number): number {
  let end = findValue(SIGNATURE, signature, at);
  while (isBase64Escape(end)) end = plainEnd(end + 3);
  signature.end = end;
  return end;
}

function findFixed(opening: Fixed, span: Span, at: number): number {
  if (!begins(opening, at) || span.end !== 0) return 0;
  span.end = at + opening.length;
  return span.end;
}

/** Whether all mandatory parameters were found, and are not empty where they must not be. */
function isComplete(): boolean {
  if (key.end === 0 || nonce.end === 0 || signature.end === 0 || method.end === 0 || timestamp.end === 0) return false;
  return key.end > key.begin && nonce.end > nonce.begin && nonce.end - nonce.begin <= 255;
}

/** Whether the header has this opening at `at`. */
function begins(opening: Fixed, at: number): boolean {
  const last = opening.length - WORD;
  for (let index = 0; index < last; index += WORD) {
    if (opening.words.getInt32(index, true) !== words.getInt32(at + index, true)) return false;
  }
  return opening.words.getInt32(last, true) === words.getInt32(at + last, true);
}

/** The end of the run of unreserved characters; the terminating zero ends every run. */
function plainEnd(from: number): number {
  let end = from;
  while (UNRESERVED[bytes[end]!] === 1) end += 1;
  return end;
}

/** Whether the header has `%2B`, `%2F` or `%3D` at `at`. */
function isBase64Escape(at: number): boolean {
  if (bytes[at] !== 0x25) return false;
  const low = bytes[at + 2];
  return bytes[at + 1] === 0x32 ? low === 0x42 || low === 0x46 : bytes[at + 1] === 0x33 && low === 0x44;
}

/** Decodes the three escapes that `isBase64Escape` accepts. */
function decodeSignature(encoded: string): string {
  let stop = encoded.indexOf('%');
  if (stop < 0) return encoded;
  let decoded = '';
  let start = 0;
  while (stop >= 0) {
    const code = encoded.charCodeAt(stop + 2);
    decoded += encoded.slice(start, stop) + (code === 0x44 ? '=' : code === 0x42 ? '+' : '/');
    start = stop + 3;
    stop = encoded.indexOf('%', start);
  }
  return start === encoded.length ? decoded : decoded + encoded.slice(start);
}
