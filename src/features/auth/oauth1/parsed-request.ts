/**
 * The types that parsing and verifying a signed request share.
 */
import { isUtf8 } from 'node:buffer';

/**
 * The protocol parameters of one request, decoded and checked for grammar. The members after `headerParameters` are for
 * `verify` alone.
 * @source authentication 2.2 to 2.4
 */
export interface ParsedRequest {
  readonly consumerKey: string;
  /** Empty when absent or sent empty. */
  readonly token: string;
  /** Present but unchecked: the caller checks its format and the time window. May be empty. */
  readonly timestamp: string;
  readonly nonce: string;
  /** May be empty or of the wrong length: that is a wrong signature, not a malformed one. */
  readonly signature: string;
  readonly bodyHash: string | undefined;
  readonly callback: string | undefined;
  readonly verifier: string | undefined;
  /** Other parameters of the header, such as the requested access level. */
  readonly headerParameters: readonly Parameter[];
  /** The signature percent-encoded. */
  readonly encodedSignature: string;
  readonly method: string;
  /**
   * The base string after the origin: the path as received, `&` and the normalised parameters with one copy of each
   * protocol parameter, path and parameters percent-encoded.
   */
  readonly baseStringTail: string;
  /** The same with all copies, when protocol parameters were repeated in several sources. */
  readonly baseStringTailWithRepeats: string | undefined;
}

/**
 * Why a credential is unusable: `absent` for no OAuth credential, `malformed` for one that breaks the grammar, with the
 * offending parameter where there is one.
 * @source authentication 1.3, 2.2 to 2.4
 */
export interface ParseError {
  readonly reason: 'absent' | 'malformed';
  readonly parameter?: string;
  readonly detail: string;
}

/**
 * One decoded parameter.
 * @source RFC 5849 3.4.1.3
 */
export interface Parameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Creates the error of a credential that breaks the grammar.
 * @source authentication 1.3
 */
export function malformed(detail: string, parameter?: string): ParseError {
  return parameter === undefined ? { reason: 'malformed', detail } : { reason: 'malformed', parameter, detail };
}

/**
 * Decodes a string of one character per byte as UTF-8. ASCII text, by far the most common case, is returned unchanged.
 * @returns the text, or undefined when the bytes are not UTF-8.
 * @source authentication 2.2
 */
export function decodeUtf8(bytes: string): string | undefined {
  if (!/[\x80-\uffff]/.test(bytes)) return bytes;
  // Characters above one byte cannot come from the HTTP parser, so the text is decoded already.
  if (/[\u0100-\uffff]/.test(bytes)) return bytes;
  const decoded = Buffer.from(bytes, 'latin1');
  return isUtf8(decoded) ? decoded.toString() : undefined;
}
