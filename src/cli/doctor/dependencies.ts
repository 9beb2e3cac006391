import { buffer } from 'node:stream/consumers';
import { openObjects } from '../../app/objects.ts';
import { secureRandom } from '../../base/random.ts';
import { elapsed_ms } from '../../base/timers.ts';
import { contentOfBytes, ObjectMissing } from '../../contract/services/objects.ts';
import type { DevFile } from '../../dev/dev-folder.ts';
import { storeIdKey } from '../../features/platform/object-store-check.ts';
import { bucketOf } from '../../settings/objects.ts';
import type { Settings } from '../../settings.ts';
import { errorMessage } from '../failure.ts';
import { queryReadiness } from '../health.ts';
import { error, type Finding, ok, warning } from './finding.ts';

const CONTENT = Buffer.from('Stored by barker doctor, which removes it again.\n');

/** Stores, reads, lists and removes an object in the store of the settings, unless it is the data folder. */
export async function examineObjects(settings: Settings): Promise<Finding[]> {
  const { object_store: place, object_store_endpoint: endpoint } = settings;
  if (place === '') return [];
  const { store, close } = await openObjects(settings, { lost: () => {}, back: () => {} });
  const prefix = `doctor/${secureRandom.bytes(8).toString('hex')}/`;
  const key = `${prefix}object`;
  try {
    const before_ms = elapsed_ms();
    await store.put(key, contentOfBytes(CONTENT));
    const took_ms = elapsed_ms() - before_ms;
    if (!(await buffer((await store.get(key)).content)).equals(CONTENT)) {
      return [error(`${place} returns other bytes than it stored`, 'use another object store')];
    }
    const listed: string[] = [];
    for await (const each of store.list(prefix)) listed.push(each.key);
    if (listed[0] !== key) {
      return [error(`${place} does not list an object right after it was stored`, 'use another object store')];
    }
    await store.remove([key]);
    if ((await store.head(key)) !== undefined) {
      return [error(`${place} keeps objects that are removed`, 'let the key delete objects')];
    }
    const findings = [ok(`${place} stores, lists and removes objects (${took_ms.toFixed(1)} ms to store one)`)];
    if (bucketOf(place) && endpoint.startsWith('http:')) {
      const advice = 'give object_store_endpoint an https address, unless the network between is your own';
      findings.push(warning('the object store is called without TLS', advice));
    }
    return findings;
  } catch (failure) {
    const because = failure instanceof ObjectMissing ? 'it loses what it stores' : causeOf(failure);
    const advice = 'see that it runs, that the bucket exists, and that the key may get, put, delete and list objects';
    return [error(`${place} cannot be used: ${because}`, advice)];
  } finally {
    close();
  }
}

/** Checks that the store of the settings is the one of the database; nothing if it does not answer. @source decision 849 */
export async function examineStoreId(settings: Settings, id: string): Promise<Finding[]> {
  const { store, close } = await openObjects(settings, { lost: () => {}, back: () => {} });
  try {
    if ((await store.head(storeIdKey(id))) !== undefined) return [];
    const advice = 'give all servers the same object_store; if the objects were moved, copy that one too';
    return [error(`object_store is not the one of this database: it has no object ${storeIdKey(id)}`, advice)];
  } catch {
    return [];
  } finally {
    close();
  }
}

/** Errors of a store that is away are addressed to callers of the API; their cause has the reason. */
function causeOf(failure: unknown): string {
  return errorMessage((failure as Error).cause ?? failure);
}

/** Checks the Redis of the settings, if any: whether it answers in time, and keeps its keys. */
export async function examineRedis({
  redis_url: url,
  redis_timeout_ms: timeout_ms,
}: Pick<Settings, 'redis_url' | 'redis_timeout_ms'>): Promise<Finding[]> {
  if (url === '') return [];
  const { connectRedis } = await import('../../storage/redis/connection.ts');
  const reasons: string[] = [];
  const redis = await connectRedis(
    { url, timeout_ms },
    { lost: (reason) => void reasons.push(reason), back: () => {} },
  );
  try {
    const before_ms = elapsed_ms();
    const memory = await redis.run(['rates'], (it) => it.info('memory'));
    const findings = [ok(`Redis answers in ${(elapsed_ms() - before_ms).toFixed(1)} ms`)];
    const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? 'noeviction';
    if (policy !== 'noeviction') {
      const advice = 'set maxmemory-policy to noeviction: without their keys, windows begin anew';
      findings.push(warning(`Redis removes keys when its memory is full (${policy})`, advice));
    }
    return findings;
  } catch (failure) {
    const because = reasons[0] ?? (failure as Error).message;
    return [warning(`Redis does not answer: ${because}`, 'start it, or correct redis_url; requests do without it')];
  } finally {
    redis.close();
  }
}

/** Queries the readiness of the service, if one runs with these settings. */
export async function examineService(settings: Settings, dev?: DevFile | undefined): Promise<Finding[]> {
  if (settings.operations_port === 0 && !dev) {
    return [ok('the operations port is any free one, so a running service was not looked for')];
  }
  const { url, status, failed } = await queryReadiness(settings, dev);
  if (status === undefined) return [ok(`no service answers at ${url}`)];
  if (status === 200) return [ok(`a service runs and is ready (${url})`)];
  return [error(`a service runs and is not ready: ${failed.join(', ') || status}`, 'its log says why')];
}
