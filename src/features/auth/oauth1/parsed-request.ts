/**
 * The shapes that reading and checking a signed request share.
 */

/**
 * The protocol parameters of one request, decoded and checked for grammar. The members after `headerParameters` are what
 * `verify` needs; callers leave them alone.
 * @source authentication gaps 2.2 to 2.4
 */
export interface ParsedRequest {
  readonly consumerKey: string;
  /** Empty when absent or sent empty. */
  readonly token: string;
  /** Present, else unchecked: its form and the time window are the caller's. May be empty. */
  readonly timestamp: string;
  readonly nonce: string;
  /** May be empty or of the wrong length: that is a wrong signature, not a malformed one. */
  readonly signature: string;
  readonly bodyHash: string | undefined;
  readonly callback: string | undefined;
  readonly verifier: string | undefined;
  /** Parameters beside the protocol's that stood in the header, such as a wished access level. */
  readonly headerParameters: readonly Parameter[];
  /** The signature percent-encoded. */
  readonly encodedSignature: string;
  readonly method: string;
  /**
   * The rest of the base string behind the origin: the path as received, `&` and the normalised parameters with one
   * copy of each protocol parameter, path and parameters percent-encoded.
   */
  readonly baseStringTail: string;
  /** The same with all copies, when protocol parameters were repeated between sources. */
  readonly baseStringTailWithRepeats: string | undefined;
}

/**
 * Why a credential is not usable: `absent` no OAuth credential at all, `malformed` one that breaks the grammar, with
 * the offending parameter named where there is one.
 * @source authentication gaps 1.3, 2.2 to 2.4
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
 * Builds the refusal of a credential that breaks the grammar.
 * @source authentication gaps 1.3
 */
export function malformed(detail: string, parameter?: string): ParseError {
  return parameter === undefined ? { reason: 'malformed', detail } : { reason: 'malformed', parameter, detail };
}

/**
 * Reads a string of one character per byte as UTF-8. ASCII text, by far the usual case, is returned as it is.
 * @returns the text, or undefined when the bytes are not UTF-8.
 * @source authentication gaps 2.2
 */
export function decodeUtf8(bytes: string): string | undefined {
  if (!/[\x80-\uffff]/.test(bytes)) return bytes;
  // Characters above one byte cannot come from the HTTP parser, so the text is decoded already.
  if (/[\u0100-\uffff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
