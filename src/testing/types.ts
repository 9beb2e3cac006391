import type { Events } from './events.ts';
import type { Clock, Faults, Requests } from './tools.ts';

/** How a server is started. */
export interface StartOptions {
  /** The same seed makes the same ids and keys; 1 by default. */
  readonly seed?: number;
  /** Port of the production listener; any free one by default. */
  readonly port?: number;
  /** Port of the sandbox listener; any free one by default. */
  readonly sandboxPort?: number;
  /** Starts the clock at this UTC time, such as `2026-03-02T09:00:00Z`. */
  readonly clock?: string;
  /** Lets the clock stand still until it is moved. */
  readonly frozen?: boolean;
  /** Begins with the snapshot of an archive instead of the demo world. */
  readonly restore?: string;
  /** Begins with the world of this YAML or JSON file instead of the demo world. */
  readonly world?: string;
  /** Serves https with a certificate of its own: `barker.ca`. */
  readonly tls?: boolean;
  /** Any settings by their names, such as `{ rate_limits: 'off' }`; see `docs/generated/settings.md`. */
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** Keeps all data in this folder; by default in a temporary one, which is removed at the end. */
  readonly dataFolder?: string;
  /** How long the start may take, in milliseconds; 30,000 by default. */
  readonly timeout_ms?: number;
}

/** The value of a setting. */
export type SettingValue = string | number | boolean | readonly string[];

/** A running server. */
export interface Barker extends AsyncDisposable {
  /** The production listener, such as `http://127.0.0.1:40001`. */
  readonly url: string;
  readonly sandboxUrl: string;
  /** The keys of the demo world, with the names that they have in `dev.json`. */
  readonly keys: DemoKeys;
  /** The certificate that clients must trust, as PEM text; undefined without `tls`. */
  readonly ca: string | undefined;
  readonly dataFolder: string;
  /** The process id of the server, or of the program that starts it. */
  readonly pid: number;
  /** What the server has logged: the last 64 KiB. */
  readonly log: string;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly events: Events;
  /** Sends a signed request. A reply with an error status is a result too, not an exception. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes, and tests look into them
  call<Body = any>(method: string, path: string, options?: CallOptions): Promise<Reply<Body>>;
  /**
   * Makes a call below `/_dev`, such as `dev('POST', '/_dev/auth/explain', { curl })`, and resolves with the body of its
   * reply. `GET /_dev` lists all calls.
   * @throws Refused
   */
  // biome-ignore lint/suspicious/noExplicitAny: bodies have many shapes, and tests look into them
  dev<Body = any>(method: DevMethod, path: `/_dev${string}`, body?: unknown): Promise<Body>;
  /**
   * Takes a snapshot of everything; one of the same name is replaced.
   * @throws Refused
   */
  snapshot(name: string): Promise<Snapshot>;
  /**
   * Goes back to how the world began; with `empty` to its users, applications and keys, and nothing else.
   * @throws Refused
   */
  reset(to?: 'seed' | 'empty'): Promise<void>;
  /** Stops the server and removes its temporary folder; does nothing the second time. */
  close(): Promise<void>;
}

/** A copy of everything that the server has. */
export interface Snapshot {
  readonly name: string;
  /** When it was taken, as UTC text. */
  readonly at: string;
  /** What the clock of the service showed. */
  readonly clock: string;
  readonly bytes: number;
  /** Goes back to it. */
  restore(): Promise<void>;
  remove(): Promise<void>;
}

/** The methods of calls below `/_dev`. */
export type DevMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The keys of the demo world. Worlds of your own have others. */
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

/** What signs a request. */
export interface SigningKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token?: string;
  readonly access_token_secret?: string;
}

/** Names and values of a query or a form. Lists are joined by commas; what is undefined is left out. */
export type Parameters = Readonly<Record<string, ParameterValue | undefined>>;
/** A value of a parameter. */
export type ParameterValue = string | number | boolean | readonly (string | number)[];

/** A request, beside its method and path. */
export interface CallOptions {
  /** Sends it to the sandbox instead of production. */
  readonly sandbox?: boolean;
  readonly query?: Parameters;
  /** A form, which is signed. */
  readonly form?: Parameters;
  /** A JSON body. */
  readonly json?: unknown;
  /** Any other body, such as one that is meant to be refused; say its type in `headers`. */
  readonly body?: string | Uint8Array;
  /** With `authorization`, the request is sent with that instead of a signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The user: the first one by default, the second one as `other`; of the world of a file, any by name. */
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
  /** The JSON of the text; undefined when it is none. */
  readonly body: Body;
}
