import { browserPages } from '../../src/app/browser-pages.ts';
import { openRuntime } from '../../src/app/database.ts';
import type { Dependencies } from '../../src/app/dependencies.ts';
import { systemClock } from '../../src/base/clock.ts';
import { secureRandom } from '../../src/base/random.ts';
import { findMasterKey } from '../../src/dev/dev-folder.ts';
import { grants } from '../../src/features/auth/oauth1/grants.ts';
import { blockIds } from '../../src/features/platform/ids.ts';
import { hashPassword } from '../../src/features/platform/password-hashing.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { type Client, clientOf, type Keys } from '../rig/client.ts';
import type { Place } from '../rig/databases.ts';
import type { Running } from '../rig/process.ts';
import type { World } from '../rig/world.ts';

/** A service of another process, for whatever the rig does in a world: its database is open here too, as for commands. */
export async function worldBeside({ file }: Running, place: Place): Promise<World> {
  const settings = loadSettings({
    mode: 'dev',
    environment: {},
    readFile: () => '',
    flags: {
      data_folder: place.folder,
      database_url: place.databaseUrl || undefined,
      master_key: findMasterKey(place.folder),
      // Ids are taken at random, so that they do not depend on what the service has taken.
      log_level: 'silent',
    },
  });
  const ground = await openRuntime('dev', settings, { random: secureRandom });
  const { store, box, clock } = ground;
  const parts = {
    ...{ store, box, clock, settings },
    services: { store, clock, ids: blockIds(store, secureRandom, { isShared: false }), media: {} },
    grants: grants({ store, box, clock, random: secureRandom, rules: settings }),
    hashPassword: (password: string) => hashPassword(password, secureRandom),
  };
  const service = {
    ...parts,
    url: file.base_url!,
    sandboxUrl: file.sandbox_url!,
    // For their paths: they are served by the other process.
    pages: browserPages('dev', parts as unknown as Dependencies, {} as Parameters<typeof browserPages>[2]).list,
  };
  const otherKeys = {
    ...file,
    access_token: file.other_access_token!,
    access_token_secret: file.other_access_token_secret!,
  };
  return {
    service: service as unknown as World['service'],
    nodes: [],
    origins: [],
    clock: { now: systemClock.now, advance: () => {} },
    place,
    keys: file,
    tlsCa: undefined,
    production: presentClient(file.base_url!, file),
    sandbox: presentClient(file.sandbox_url!, file),
    other: presentClient(file.sandbox_url!, otherKeys),
    stop: () => store.close(),
    close: () => store.close(),
  };
}

function presentClient(origin: string, keys: Keys): Client {
  const client = clientOf(origin, keys, systemClock);
  return {
    call: (method, path, sent = {}) =>
      client.call(method, path, sent.params ? { ...sent, params: atPresent(sent.params) } : sent),
  };
}

/** The time at which the clock of the tests stands, in which samples are good. */
const TESTS_AT = Date.parse('2026-03-02T00:00:00Z');
const DAY_MS = 86_400_000;

/** The times among the samples of tests, moved by whole days to where they stand to the present as they do in tests. */
export function atPresent<T>(params: Readonly<Record<string, T>>): Record<string, T | string> {
  const days = Math.floor((systemClock.now() - TESTS_AT) / DAY_MS);
  const moved = (value: T): T | string =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/.test(value)
      ? new Date(Date.parse(value) + days * DAY_MS).toISOString().replace('.000', '')
      : value;
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, moved(value)]));
}

/** The port of an address. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}
