import type { AddressInfo, Server } from 'node:net';

// Importing `node:http` as an ES module also loads the HTTP client of Node.js, for some of its exports: 30 ms and 13 MB at
// each start.
// @source decision 906
export const { createServer, maxHeaderSize, request, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Opens a server; resolves with the address that it listens on. Rejects when the address is in use. */
export async function listen(
  server: Server,
  at: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });
  return server.address() as AddressInfo;
}

/** The host of an address as it stands in a URL. */
export function hostIn({ address, family }: AddressInfo): string {
  return family === 'IPv6' ? `[${address}]` : address;
}
