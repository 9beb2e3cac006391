import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '../../src/base/clock.ts';
import { ensureCertificates } from '../../src/dev/certificates.ts';
import { basic } from '../rig/application.ts';
import type { Place } from '../rig/databases.ts';
import { openReceiver, type Receiver, responseToken, said } from '../rig/receiver.ts';
import { openSite, type Site } from './sites.ts';

/** A receiver that services in production reach under the name of this machine, with https, by way of a proxy. */
export interface Reached {
  readonly receiver: Receiver;
  /** What `barker serve` needs for it. */
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a receiver for an application. Its certificates lie in a folder. */
async function openReached(folder: string, consumer_secret: () => string): Promise<Reached> {
  const { ca, cert, key } = await ensureCertificates(folder, [], systemClock);
  const receiver = await openReceiver('', { cert: readFileSync(cert), key: readFileSync(key) });
  receiver.answerChallenge = (arrived, response) =>
    said(JSON.stringify({ response_token: responseToken(consumer_secret(), arrived) }))(arrived, response);
  const proxy = createServer().on('connect', (_, socket) => {
    const there = connect(receiver.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      there.pipe(socket).pipe(there);
    });
    for (const [one, other] of [
      [there, socket],
      [socket, there],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    receiver,
    flags: ['--webhook-private-ranges', '127.0.0.0/8,::1/128'],
    env: { NODE_EXTRA_CA_CERTS: ca, BARKER_WEBHOOK_EGRESS_PROXY: `http://127.0.0.1:${port}` },
    async close() {
      proxy.close();
      proxy.closeAllConnections();
      await receiver.close();
    },
  };
}

/** A site whose services reach a receiver; whoever opens it closes the receiver. */
export async function openReachedSite(
  place: Place,
  flags: readonly string[],
): Promise<{ readonly site: Site; readonly reached: Reached }> {
  let site: Site | undefined;
  const reached = await openReached(place.folder, () => site!.keys.consumer_secret);
  const opened = await openSite(place, [...flags, ...reached.flags]);
  site = { ...opened, env: { ...opened.env, ...reached.env } };
  return { site, reached };
}

/** Registers the receiver for what the user of a site says of themselves. */
export async function subscribe({ sandbox, keys, user_id }: Site): Promise<void> {
  const post = async (path: string, authorization: string, body: string, type: string) => {
    const headers = { authorization, 'content-type': type };
    const reply = await fetch(sandbox + path, { method: 'POST', headers, body });
    const text = await reply.text();
    if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  const form = 'application/x-www-form-urlencoded';
  const { access_token } = await post('/oauth2/token', basic(keys), 'grant_type=client_credentials', form);
  const json = (path: string, body: object) =>
    post(path, `Bearer ${access_token}`, JSON.stringify(body), 'application/json');
  const webhook_id = (await json('/2/webhooks', { url: 'https://localhost/in' })).data.id;
  await json('/2/activity/subscriptions', { event_type: 'profile.update.bio', filter: { user_id }, webhook_id });
}

/** The descriptions that a receiver was told of. */
export function toldTo({ receiver }: Reached): Set<string> {
  return new Set(receiver.messages.map(({ body }) => JSON.parse(body).data.payload.after));
}
