import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { accountAccesses } from './ads/account-access.ts';
import { authenticator } from './auth/oauth1/authenticate.ts';
import { knownCredentials } from './auth/oauth1/known-credentials.ts';
import { nonceMemory } from './auth/oauth1/nonces.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { formatInstant } from './base/instants.ts';
import { type Random, secureRandom, seededRandom } from './base/random.ts';
import { parseKeyEntries, parseMasterKey, type SecretBox, secretBox } from './base/secret-box.ts';
import { catalog } from './catalog.ts';
import type { Operation, Services } from './contract/operation.ts';
import type { AnyResource, Environment } from './contract/resource.ts';
import type { Store } from './contract/store.ts';
import { operationsOf } from './engine/operations.ts';
import { presenterOf } from './engine/present.ts';
import { listener } from './http/listener.ts';
import { observer } from './http/observer.ts';
import { rateWindows } from './http/rates.ts';
import { transactionIds } from './http/reply.ts';
import { originsReader } from './http/request.ts';
import { idsFrom } from './platform/ids.ts';
import { isLoopbackHost } from './settings/addresses.ts';
import type { Mode } from './settings/kinds.ts';
import type { Settings } from './settings.ts';
import { migrate } from './storage/migrate.ts';
import { openNonceLog } from './storage/nonce-log.ts';
import { openPostgres } from './storage/postgres.ts';
import { openSqlite } from './storage/sqlite.ts';
import { type Driver, storeOn } from './storage/store.ts';

/** Every operation of the catalog, in its order. */
export const operations: readonly Operation[] = catalog.flatMap((entry) =>
  'fields' in entry ? operationsOf(entry as AnyResource) : [entry as Operation],
);

/** What tests and benchmarks may replace; production uses what is left out. */
export interface Seams {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly driver?: Driver;
  readonly log?: Logger;
}

/** The parts of a service that commands work with. */
export interface Parts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly driver: Driver;
  readonly store: Store;
  readonly services: Services;
  readonly log: Logger;
}

/** A running service. */
export interface Service extends Parts {
  readonly url: string;
  readonly sandboxUrl: string;
  /** Drains requests, then closes the database. */
  close(): Promise<void>;
}

/** Opens the database of the settings. */
export function openDriver(settings: Settings): Driver {
  if (settings.database_url !== '') {
    return openPostgres({ url: settings.database_url, connectionsMax: settings.postgres_connections_max });
  }
  mkdirSync(settings.data_folder, { recursive: true, mode: 0o700 });
  return openSqlite({ file: join(settings.data_folder, 'barker.db') });
}

/** Puts together what commands and listeners share, on a schema that is up to date. */
export async function openParts(mode: Mode, settings: Settings, seams: Seams = {}): Promise<Parts> {
  const clock = seams.clock ?? systemClock;
  const random = seams.random ?? (mode === 'dev' ? seededRandom(settings.seed, 'ids') : secureRandom);
  const log = seams.log ?? pino({ level: settings.log_level });
  const driver = seams.driver ?? openDriver(settings);
  await migrate(driver, formatInstant(clock.now()));
  const store = storeOn(driver);
  const box = secretBox({
    currentKeyId: settings.master_key_id,
    keys: {
      ...parseKeyEntries(settings.master_keys_old),
      [settings.master_key_id]: parseMasterKey(settings.master_key),
    },
    random: (bytes) => secureRandom.bytes(bytes),
  });
  const services: Services = {
    store,
    clock,
    random,
    ids: idsFrom(store, random),
    limits: { active_campaigns_max: settings.active_campaigns_max },
    show: (resource, rows, context) => presenterOf(resource).rows(rows, context),
  };
  return { settings, clock, random, box, driver, store, services, log };
}

/** Starts both listeners. */
export async function startListeners(mode: Mode, parts: Parts): Promise<Service> {
  const { settings, clock, store, services, log, box } = parts;
  const nonceLog = openNonceLog(join(settings.data_folder, 'nonces'), settings.timestamp_window_s, clock);
  const nonces = nonceMemory(nonceLog, settings.timestamp_window_s, Math.floor(clock.now() / 1000));
  const credentials = knownCredentials(store, box);
  const shared = {
    services,
    authenticator: authenticator({
      credentials,
      nonces,
      clock,
      random: secureRandom,
      window_s: settings.timestamp_window_s,
    }),
    accesses: accountAccesses(store),
    rates: rateWindows({ ...settings, isOn: settings.rate_limits === 'on' }, clock),
    observer: observer({
      log,
      accessLog: settings.access_log,
      gauges: { barker_nonces_remembered: { help: 'Used nonces in memory.', value: () => nonces.size() } },
    }),
    nextTransactionId: transactionIds(secureRandom),
    body_bytes_max: settings.body_bytes_max,
    namesIgnored: mode === 'dev',
  };
  const start = async (
    environment: Environment,
    port: number,
    publicUrl: string,
  ): Promise<[FastifyInstance, string]> => {
    const origins = originsReader({
      trustedProxies: settings.trusted_proxies,
      allowsPlainHttp: settings.allow_insecure_loopback && isLoopbackHost(settings.host),
      publicOrigin: publicUrl === '' ? undefined : publicUrl,
    });
    const app = listener({ ...shared, environment, origins }, operations);
    const url = await app.listen({ host: settings.host, port });
    return [app, publicUrl || url];
  };
  const [main, url] = await start('production', settings.port, settings.public_base_url);
  const [sandbox, sandboxUrl] = await start('sandbox', settings.sandbox_port, settings.public_sandbox_url);
  return {
    ...parts,
    url,
    sandboxUrl,
    async close() {
      await Promise.all([main.close(), sandbox.close()]);
      nonceLog.close();
      await store.close();
    },
  };
}
