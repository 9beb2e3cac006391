import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** How this process reaches other servers. Tests replace it. */
export interface Network {
  /** All addresses of a name. Rejects when it has none. */
  resolve(host: string): Promise<readonly string[]>;
  /** The address and port to connect to in place of the given ones; tests redirect connections here. */
  dial(address: string, port: number): { readonly address: string; readonly port: number };
  /** The least time until a caller learns that a host cannot be reached. @source decision 480 */
  readonly unreachable_ms: number;
}

/** The network of the machine. */
export const systemNetwork: Network = {
  async resolve(host) {
    if (isIP(host) !== 0) return [host];
    return (await lookup(host, { all: true })).map(({ address }) => address);
  },
  dial: (address, port) => ({ address, port }),
  // The maximum time for resolving a name and failing to connect.
  unreachable_ms: 6000,
};
