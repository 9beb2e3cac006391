import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../base/node-http.ts';

/** The server of probes and metrics, separate from the API. @source decision 6 */
export interface OperationsServer {
  readonly url: string;
  close(): void;
}

/** Opens the server. Rejects when the address is in use. */
export async function openOperationsServer(
  answer: RequestListener,
  at: { readonly host: string; readonly port: number },
): Promise<OperationsServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, resolve);
  });
  return {
    url: urlOf(server),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
