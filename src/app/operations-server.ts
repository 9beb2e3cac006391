import type { RequestListener } from 'node:http';
import { createServer, hostIn, listen } from '../base/node-http.ts';

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
  const address = await listen(server, at);
  return {
    url: `http://${hostIn(address)}:${address.port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
