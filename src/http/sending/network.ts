import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

/** What lies between this process and other people's servers. Tests put another one in its place. */
export interface Network {
  /** Every address of a name. Rejects when it has none. */
  resolve(host: string): Promise<readonly string[]>;
  /** Where a connection to an address and port really goes. */
  dial(address: string, port: number): { readonly address: string; readonly port: number };
  /** How long it takes at least until whoever waits is told that a host cannot be reached. */
  readonly unreachable_ms: number;
}

/** The network of the machine. */
export const systemNetwork: Network = {
  async resolve(host) {
    if (isIP(host) !== 0) return [host];
    return (await lookup(host, { all: true })).map(({ address }) => address);
  },
  dial: (address, port) => ({ address, port }),
  // As long as looking a name up and connecting in vain may take.
  unreachable_ms: 6000,
};
