/** Writes a streaming reply to the connection of one reader. */
export interface ReplyWriter {
  /** Sends bytes. Returns false under backpressure: send no more until `StreamHandle.drained` is called. */
  send(bytes: Uint8Array): boolean;
  /** Bytes buffered in this process that the reader has not taken yet. */
  readonly waiting_bytes: number;
  /** Sends the last bytes, if any, and closes; a reader who does not take them is disconnected after a while. */
  finish(last?: Uint8Array): void;
}

/** A streaming reply, which goes on after its head until either side ends it. The HTTP layer calls these methods. */
export interface StreamHandle {
  /** The head was sent. Called at most once. */
  begin(outlet: ReplyWriter): void;
  /** The writer accepts bytes again. */
  drained(): void;
  /** The connection was closed by either side; also when it broke before the head. */
  disconnected(): void;
}

/** The names of streaming endpoints. @source activity 21.1 */
export const ENDPOINT_NAMES = ['activity_stream'] as const;
/** The name of a streaming endpoint. */
export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/**
 * Why a stream ended, and the message of its last line; undefined if the client is gone or there was no error.
 * @source activity 18; own
 */
export const DISCONNECTS = {
  ClientDisconnect: undefined,
  Completed: undefined,
  UpstreamUncleanDisconnect: undefined,
  UpstreamOperationalDisconnect: 'This stream has been disconnected upstream for operational reasons.',
  ForceDisconnect:
    'This stream has been disconnected because its connection was closed or its token is no longer valid.',
  SlowReader: 'This stream has been disconnected because its reader was too slow.',
  InternalError: 'This stream has been disconnected because of an internal error.',
  ClientApplicationStateDegraded: 'This stream has been disconnected because the application is suspended.',
} as const;
/** Why a stream ended. */
export type DisconnectReason = keyof typeof DISCONNECTS;

/** A stored stream connection. Times are UTC texts with milliseconds. */
export interface StreamConnection {
  /** A UUID. */
  readonly id: string;
  readonly application_id: string;
  /** The node that holds it; null in rows of earlier versions. */
  readonly node: string | null;
  readonly endpoint_name: EndpointName;
  readonly client_ip: string;
  readonly connected_at: string;
  /** Null while it is open. */
  readonly disconnected_at: string | null;
  readonly disconnect_reason: DisconnectReason | null;
}

/** Selects open connections, closed ones, or all. */
export type ConnectionStatus = 'active' | 'inactive' | 'all';

/** A request for a stream. */
export interface StreamRequest {
  readonly application: string;
  /** Id of the presented application-only token: the stream ends when it is revoked. */
  readonly bearer: string;
  readonly client_ip: string;
  /** Public origin of the service, for the page linked in the last line. */
  readonly baseUrl: string;
  /** Undefined when only events from now on are requested. */
  readonly backfill: PastRange | undefined;
}

/** A range of past events. Times are UTC texts in seconds. */
export interface PastRange {
  /** Inclusive. */
  readonly from: string;
  /** Exclusive, and the stream ends there; when undefined it continues with live events. */
  readonly until: string | undefined;
}

/** The streams open in this process. */
export interface Streams {
  /**
   * Reserves a stream, subject to the limits; the returned handle writes it.
   * @throws BEARER_INVALID, APPLICATION_SUSPENDED, STREAM_CONNECTIONS_MAX, UNAVAILABLE
   */
  open(request: StreamRequest): Promise<StreamHandle>;
  /** The number of open streams. */
  count(): number;
  /** Ends all streams; resolves once that is stored. */
  endAll(): Promise<void>;
  /** Whether all of them have been sent all events of which this process knows. */
  isIdle(): boolean;
  /** Ends all streams and accepts no more; resolves once that is stored. */
  stop(): Promise<void>;
}
