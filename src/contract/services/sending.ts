/** A request to a third-party server, at a URL that a customer supplied. */
export interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Resolve the host again and open a new connection, ignoring caches. */
  readonly bypassesCaches?: boolean;
  /** Whether to read the body of the response, up to the limit. */
  readonly wantsBody?: boolean;
}

/**
 * Why there was no response: no address for the name, or only refused ones; connection timed out or refused; untrusted
 * certificate; response timed out; connection closed early; response is not HTTP.
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

/** The result of a request. */
export type SendResult =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      /** Names in lower case, with the first value of each. */
      readonly headers: Readonly<Record<string, string>>;
      /** Empty unless requested; truncated at the limit. */
      readonly body: Uint8Array;
      /** The body was truncated, or did not end in time. */
      readonly isCut: boolean;
      readonly duration_ms: number;
      readonly addresses: readonly string[];
    }
  | {
      readonly outcome: 'failed';
      readonly reason: SendFailure;
      /** The system's error message: for operators, never for callers. */
      readonly detail: string;
      readonly duration_ms: number;
      /** The remote addresses; empty when no connection was attempted. */
      readonly addresses: readonly string[];
    };

/** Why requests to a URL are always refused. */
export interface UrlError {
  /** May be shown to the user who supplied the URL. */
  readonly message: string;
}

/** Sends requests to third-party servers, safely. @source activity 21.4 */
export interface Sender {
  /** The error of a URL by itself; undefined if it is valid. */
  urlError(url: string): UrlError | undefined;
  /** Never rejects. Connects only to addresses that passed the check, and follows no redirects. */
  send(request: OutgoingRequest): Promise<SendResult>;
  /** Closes all connections; requests in progress fail. */
  close(): Promise<void>;
}
