import { OPERATIONS, type Operations } from './generated/operations.ts';
import { Listing, type Page } from './listing.ts';
import { Login } from './login.ts';
import { follow } from './stream.ts';
import {
  type Bytes,
  type Call,
  type CallOptions,
  type ClientOptions,
  type Credential,
  type Params,
  Transport,
} from './transport.ts';
import { type UploadedMedia, type UploadOptions, upload } from './uploads.ts';

class Client {
  readonly options: ClientOptions;
  /** Lets users authorize the application. */
  readonly login: Login;

  constructor(options: ClientOptions) {
    this.options = { ...options, url: options.url.replace(/\/+$/, '') };
    this.login = new Login(this.options);
    const transport = new Transport(this.options);
    for (const [group, lines] of Object.entries(OPERATIONS)) {
      const calls = Object.entries(lines).map(([name, line]) => [name, callable(transport, callOf(group, name, line))]);
      Object.assign(this, { [group]: Object.fromEntries(calls) });
    }
  }

  /** A client with other options, such as the token of another user. */
  with(changes: Partial<ClientOptions>): BarkerClient {
    return new BarkerClient({ ...this.options, ...changes });
  }

  /** Uploads a file in parts, and waits until it has been processed. @throws MediaFailed if the server cannot use it */
  upload(file: Bytes, options?: UploadOptions): Promise<UploadedMedia> {
    return upload((this as unknown as BarkerClient).mediaV2, file, options);
  }
}

/**
 * A client of a Barker server: each operation of the reference is a method, `line_items.create` is `lineItems.create`. It
 * takes the parameters of the path, the query and the body in one object, and returns the reply as the reference shows it.
 */
export type BarkerClient = Client & Operations;
export const BarkerClient = Client as new (options: ClientOptions) => BarkerClient;

const KINDS = ['list', 'stream'] as const;
const CREDENTIALS: readonly Credential[] = ['user-or-bearer', 'bearer', 'basic', 'user-or-basic', 'publisher'];

interface KindOfCall extends Call {
  readonly kind: (typeof KINDS)[number] | 'reply';
}

/** A row of the table, such as `GET /12/accounts list`. */
function callOf(group: string, name: string, line: string): KindOfCall {
  const [method = '', path = '', ...words] = line.split(' ');
  const operation = `${group}.${name}`.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const kind = KINDS.find((each) => words.includes(each)) ?? 'reply';
  const credential = CREDENTIALS.find((each) => words.includes(each)) ?? 'user';
  const isRead = method === 'GET' || method === 'DELETE';
  const place = words.includes('form') ? 'form' : isRead && !words.includes('json') ? 'query' : 'json';
  return { operation, method, path, kind, credential, place };
}

function callable(transport: Transport, call: KindOfCall) {
  return (params?: Params, options: CallOptions = {}) => {
    if (call.kind === 'stream') return follow(transport, call, params ?? {}, options);
    if (call.kind === 'reply') return transport.call(call, params, options);
    return new Listing((cursor) => {
      // A count of all rows is asked for with the first page only.
      const further = cursor === undefined ? params : { ...params, cursor, with_total_count: undefined };
      return transport.call(call, further, options) as Promise<Page<unknown>>;
    });
  };
}
