import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const [client_id, client_secret] = process.argv.slice(2) as [string, string];
const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(origin, {
    clients: [{ client_id, client_secret, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    features: { clientCredentials: { enabled: true } },
  });
  server.on('request', provider.callback());
  process.send!(origin);
});
process.on('message', () => process.exit(0));
