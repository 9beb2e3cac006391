import type { Keys } from '../rig/client.ts';

/** What a foreign client is asked to send. Values are decoded; the client encodes and signs them in its own way. */
export interface Sent {
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A client that signs with code of other people. */
export interface ForeignClient {
  send(method: string, url: string, sent: Sent): Promise<Answered>;
  close(): Promise<void>;
}

/** Starts a foreign client with the keys of a user. */
export type StartClient = (keys: Keys) => Promise<ForeignClient>;

/** A query or form in strict percent-encoding, which every client reads alike: a blank is `%20`, never `+`. */
export function strictly(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map((pair) => pair.map(percentEncoded).join('='))
    .join('&');
}

function percentEncoded(text: string): string {
  const escaped = (found: string): string => `%${found.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

/** A URL with its query. */
export function withQuery(url: string, query: Sent['query']): string {
  const text = strictly(query ?? {});
  return text === '' ? url : `${url}?${text}`;
}
