import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Ports of this machine that nobody listened on a moment ago, for programs that cannot be asked which they took. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}
