import { readFileSync } from 'node:fs';

/** The members of the file of keys. docs/protocol/README.md describes them; `dev.json` has most. */
export type ConformanceKeys = Readonly<Record<string, string | undefined>>;

/** What a signature needs: the keys of an application, and a token if there is one. */
export interface SigningKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token?: string;
  readonly access_token_secret?: string;
}

/** Reads a file of keys. @throws Error without the keys of an application and a token */
export function readKeys(path: string): ConformanceKeys {
  const keys = JSON.parse(readFileSync(path, 'utf8')) as ConformanceKeys;
  for (const name of ['consumer_key', 'consumer_secret', 'access_token', 'access_token_secret']) {
    if (typeof keys[name] !== 'string') throw new Error(`${path} has no ${name}`);
  }
  return keys;
}
