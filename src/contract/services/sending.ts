/** A request to somebody else's server, at an address that a customer gave. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Look the host up now, and connect anew: nothing that was found out before counts. */
  readonly bypassesCaches?: boolean;
  /** The body of the answer is wanted, as far as it is read at all. */
  readonly wantsBody?: boolean;
}

/**
 * Why no answer came: the name has no address, or one that nothing is sent to; no connection in time, or refused; a
 * certificate that is not trusted; no answer in time; the connection ended before; the answer was not HTTP.
 */
export type SendFailure =
  | 'name unknown'
  | 'address refused'
  | 'connect timeout'
  | 'connection refused'
  | 'tls'
  | 'timeout'
  | 'connection closed'
  | 'not http';

/** What came of a request. */
export type SendResult =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** Names in lower case; the first value of each. */
      readonly headers: Readonly<Record<string, string>>;
      /** Empty unless it was asked for; no longer than is read of any. */
      readonly body: Uint8Array;
      /** There was more of the body, or it did not end in time. */
      readonly isCut: boolean;
      readonly duration_ms: number;
      readonly addresses: readonly string[];
    }
  | {
      readonly outcome: 'failed';
      readonly reason: SendFailure;
      /** What the machine said: for operators, never for callers. */
      readonly detail: string;
      readonly duration_ms: number;
      /** Where it was sent to; empty when it came to no connection. */
      readonly addresses: readonly string[];
    };

/** Why nothing is ever sent to an address. */
export interface UrlError {
  /** May be told to whoever gave the address. */
  readonly message: string;
}

/** Sends to other people's servers, safely. @source activity gaps 21.4 */
export interface Sender {
  /** What is wrong with an address as it is written; undefined when nothing is. */
  urlError(url: string): UrlError | undefined;
  /** Never rejects. Connects to addresses only that were judged, and follows no redirect. */
  send(request: OutgoingRequest): Promise<SendResult>;
  /** Ends every connection; what is under way fails. */
  close(): Promise<void>;
}
