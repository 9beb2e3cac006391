import type { Events } from './events.ts';
import type { Clock, Faults, Requests } from './tools.ts';

/** Options of a new server. */
export interface StartOptions {
  /** The same seed gives the same ids and keys; 1 by default. */
  readonly seed?: number;
  /** Port of the production listener; any free one by default. */
  readonly port?: number;
  /** Port of the sandbox listener; any free one by default. */
  readonly sandboxPort?: number;
  /** Starts the clock at this UTC time, such as `2026-03-02T09:00:00Z`. */
  readonly clock?: string;
  /** Freezes the clock until it is moved. */
  readonly frozen?: boolean;
  /** Restores the snapshot of an archive instead of creating the demo world. */
  readonly restore?: string;
  /** Creates the world of this YAML or JSON file instead of the demo world. */
  readonly world?: string;
  /** Serves HTTPS with its own certificate: `barker.ca`. */
  readonly tls?: boolean;
  /** Any settings by their names, such as `{ rate_limits: 'off' }`; see `docs/generated/settings.md`. */
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** Data folder; by default a temporary one, which is removed at the end. */
  readonly dataFolder?: string;
  /** Timeout of the start in milliseconds; 30,000 by default. */
  readonly timeout_ms?: number;
}

/** The value of a setting. */
export type SettingValue = string | number | boolean | readonly string[];

/** A running server. */
export interface Barker extends AsyncDisposable {
  /** The production listener, such as `http://127.0.0.1:40001`. */
  readonly url: string;
  readonly sandboxUrl: string;
  /** The keys of the demo world, named as in `dev.json`. */
  readonly keys: DemoKeys;
  /** The certificate that clients must trust, as PEM text; undefined without `tls`. */
  readonly ca: string | undefined;
  readonly dataFolder: string;
  /** The process id of the server, or of the program that starts it. */
  readonly pid: number;
  /** The last 64 KiB of the log of the server. */
  readonly log: string;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly events: Events;
  /** Sends a signed request. Replies with an error status do not throw. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes, and tests look into them
  call<Body = any>(method: string, path: string, options?: CallOptions): Promise<Reply<Body>>;
  /**
   * Calls a path below `/_dev`, such as `dev('POST', '/_dev/auth/explain', { curl })`, and returns the body of the reply.
   * `GET /_dev` lists all calls.
   * @throws Refused
   */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes, and tests look into them
  dev<Body = any>(method: DevMethod, path: `/_dev${string}`, body?: unknown): Promise<Body>;
  /**
   * Takes a snapshot of all data, replacing one of the same name.
   * @throws Refused
   */
  snapshot(name: string): Promise<Snapshot>;
  /**
   * Restores the initial world; with `empty`, only its users, applications and keys.
   * @throws Refused
   */
  reset(to?: 'seed' | 'empty'): Promise<void>;
  /** Stops the server and removes its temporary folder; further calls do nothing. */
  close(): Promise<void>;
}

/** A copy of all data of the server. */
export interface Snapshot {
  readonly name: string;
  /** When it was taken, as UTC text. */
  readonly at: string;
  /** The time by the clock of the service. */
  readonly clock: string;
  readonly bytes: number;
  /** Restores it. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** The methods of calls below `/_dev`. */
export type DevMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The keys of the demo world; the worlds of files have others. */
export interface DemoKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
  readonly user_id: string;
  readonly username: string;
  readonly password: string;
  readonly [name: string]: string;
}

/** The keys that sign a request. */
export interface SigningKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token?: string;
  readonly access_token_secret?: string;
}

/** Names and values of a query or a form. Lists are joined by commas; undefined values are omitted. */
export type Parameters = Readonly<Record<string, ParameterValue | undefined>>;
/** A value of a parameter. */
export type ParameterValue = string | number | boolean | readonly (string | number)[];

/** The options of a request. */
export interface CallOptions {
  /** Sends it to the sandbox instead of production. */
  readonly sandbox?: boolean;
  readonly query?: Parameters;
  /** A form; its values are signed. */
  readonly form?: Parameters;
  /** A JSON body. */
  readonly json?: unknown;
  /** Any other body, such as an invalid one; set its type in `headers`. */
  readonly body?: string | Uint8Array;
  /** `authorization` replaces the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The user: `first` by default, or `other`; any name in the world of a file. */
  readonly as?: string;
  /** The application, as in the names of `keys`: `messages` of the demo world can read direct messages. */
  readonly app?: string;
  /** Signs with these keys instead. */
  readonly keys?: SigningKeys;
  /** Sends it with the bearer token of the application instead of a signature, as calls of version 2 need it. */
  readonly bearer?: boolean;
}

/** A reply. */
export interface Reply<Body> {
  readonly status: number;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The parsed text; undefined if it is not JSON. */
  readonly body: Body;
}
