/** Where a reply that goes on is written to: the connection of one reader. */
export interface ReplyWriter {
  /** Hands over bytes. False when they wait for the reader: no more should come until `Flow.drained` is called. */
  send(bytes: Uint8Array): boolean;
  /** Bytes that the reader has not taken yet, as far as this process keeps them. */
  readonly waiting_bytes: number;
  /** Sends the last bytes, if there are any, and closes; a reader who does not take them is cut off after a while. */
  finish(last?: Uint8Array): void;
}

/** A reply that goes on after its head, for as long as both sides like. Whoever writes replies calls these. */
export interface StreamHandle {
  /** The head was sent. Called once at most. */
  begin(outlet: ReplyWriter): void;
  /** The outlet takes bytes again. */
  drained(): void;
  /** The connection is closed, whoever closed it; also when it broke before the head. */
  disconnected(): void;
}

/** The names of endpoints whose connections stay open. @source activity gaps 21.1 */
export const ENDPOINT_NAMES = ['activity_stream'] as const;
/** The name of an endpoint whose connections stay open. */
export type EndpointName = (typeof ENDPOINT_NAMES)[number];

/**
 * Why a stream ended, and what its reader is told in a last line; nothing when there is nobody to tell, or nothing wrong.
 * @source activity gaps 18; own
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

/** The connection of a stream, as it is kept. Times are UTC texts of milliseconds. */
export interface StreamConnection {
  /** A UUID. */
  readonly id: string;
  readonly application_id: string;
  readonly endpoint_name: EndpointName;
  readonly client_ip: string;
  readonly connected_at: string;
  /** Null while it is open. */
  readonly disconnected_at: string | null;
  readonly disconnect_reason: DisconnectReason | null;
}

/** Which connections are open, and which were. */
export type ConnectionStatus = 'active' | 'inactive' | 'all';

/** A page of the connections of an application, the latest first. */
export interface ConnectionQuery {
  readonly application: string;
  readonly status: ConnectionStatus;
  readonly endpoints: readonly EndpointName[];
  /** Those that ended before this are left out. */
  readonly since: string;
  readonly after: Pick<StreamConnection, 'connected_at' | 'id'> | undefined;
  readonly limit: number;
}

/** A stream that an application asks for. */
export interface StreamRequest {
  readonly application: string;
  /** Id of the application-only token that was presented: the stream ends with it. */
  readonly bearer: string;
  readonly client_ip: string;
  /** The address of the service, for the pages that a last line names. */
  readonly baseUrl: string;
  /** Undefined when only what happens from now on is wanted. */
  readonly backfill: PastRange | undefined;
}

/** Which of the past a reader asks for. Times are UTC texts of seconds. */
export interface PastRange {
  /** Events of this second and later. */
  readonly from: string;
  /** Events before this second, and nothing else; undefined goes on with what happens. */
  readonly until: string | undefined;
}

/** The streams that are open in this process. */
export interface Streams {
  /**
   * Takes a place for a stream; the flow writes it.
   * @throws BEARER_INVALID, APPLICATION_SUSPENDED, STREAM_CONNECTIONS_MAX, UNAVAILABLE
   */
  open(request: StreamRequest): Promise<StreamHandle>;
  /** How many are open. */
  count(): number;
  /** Ends all of them, and opens no more; resolves when that is stored. */
  stop(): Promise<void>;
}

/** Connections of streams, as they are kept: all that are open, and for a while those that were. */
export interface StreamConnections {
  /** The open ones of an application, the oldest first. */
  listOpen(application: string): Promise<StreamConnection[]>;
  /** Those of these ids that there are, in no order. */
  list(ids: readonly string[]): Promise<StreamConnection[]>;
  page(query: ConnectionQuery): Promise<StreamConnection[]>;
  add(connection: StreamConnection): Promise<void>;
  /** Notes that a connection ended, and touches `stream:<id>`; false when it had ended before, which then stands. */
  end(id: string, reason: DisconnectReason, at: string): Promise<boolean>;
  /** Notes that every connection ended that is open: for a server that starts, and that is the only one. */
  endAll(reason: DisconnectReason, at: string): Promise<void>;
  /** Forgets those that ended before a time, at most `limit` of them; the answer is how many that were. */
  removeEnded(before: string, limit: number): Promise<number>;
}
