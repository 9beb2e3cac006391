import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { readDevFile } from '../../src/dev/dev-folder.ts';
import { issueToken } from '../../src/features/platform/registration.ts';
import { registerForMessages } from '../rig/activity.ts';
import { bearerOf } from '../rig/application.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import { rawCall } from '../rig/raw.ts';
import { recordSecret } from '../rig/secrets.ts';
import type { World } from '../rig/world.ts';

/**
 * Who makes a call of a program. Ada and Ben have tokens that do not reach messages; Cleo has an application whose tokens
 * do, and Ben gave it one: `friend`. `application` is that application by itself, `operator` who runs the service.
 */
export type Who = 'ada' | 'ben' | 'production' | 'cleo' | 'friend' | 'application' | 'operator';

/** The clients of a world. */
export type Callers = Readonly<Record<Who, Client>>;

/** The consumer secret of Cleo's application: one receiver answers the challenges of both worlds. */
export const SECRET_OF_CLEO = 'a secret that both worlds know, so that one receiver serves them';

/** Makes Cleo, and the clients of everybody. Ids are the same in every world where this is done first. */
export async function callersOf(world: World): Promise<Callers> {
  const { service, clock } = world;
  const keys = await registerForMessages(world, { consumerSecret: SECRET_OF_CLEO });
  const bearer = await bearerOf(world, keys);
  const operator = readDevFile(world.place.folder)!.operator_token!;
  recordSecret('operator token', operator);
  return {
    ada: world.sandbox,
    ben: world.other,
    production: world.production,
    cleo: clientOf(service.sandboxUrl, keys, clock),
    friend: clientOf(service.sandboxUrl, await tokenFor(world, keys, world.keys.other_user_id!), clock),
    application: bearing(world, service.sandboxUrl, bearer),
    operator: bearing(world, service.url, operator),
  };
}

/** Keys of the same application with a token of another user, which reaches messages. */
async function tokenFor({ service, clock }: World, keys: Keys, user: string): Promise<Keys> {
  const { store, box } = service;
  const made = await store.write(async (tx) => {
    const { id: application } = (await tx.credentials.findApplicationByKey(keys.consumer_key))!;
    const registrar = { tx, box, random: secureRandom, now: formatInstant(clock.now()) };
    return issueToken(registrar, { application, user, level: 'read-write-directmessages' });
  });
  recordSecret('token', made.token);
  recordSecret('token secret', made.tokenSecret);
  return { ...keys, access_token: made.token, access_token_secret: made.tokenSecret };
}

/** A client that shows a token; parameters stand in the query. */
function bearing({ clock }: World, origin: string, token: string): Client {
  return {
    call(method, path, { params = {}, json } = {}) {
      const pairs = Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]);
      const query = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
      const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
      return rawCall(origin, clock, {
        method,
        target: path + query,
        headers: { authorization: `Bearer ${token}`, ...type },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
    },
  };
}
