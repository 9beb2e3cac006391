import type { RequestListener } from 'node:http';
import { createServer, hostIn, listen } from '../base/node-http.ts';

/** Starts the server for probes and metrics, separate from the API. Rejects if the address is in use. @source decision 6 */
export async function startProbeServer(answer: RequestListener, at: { readonly host: string; readonly port: number }) {
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
