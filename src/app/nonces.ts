import { join } from 'node:path';
import { earlierClock } from '../base/clock.ts';
import { inMemoryNonces, type Nonces } from '../features/auth/oauth1/nonces.ts';
import { nonceSweeper, sharedNonces, withStoredNonces } from '../features/auth/oauth1/shared-nonces.ts';
import { failureLog } from '../http/outage-log.ts';
import { NonceFiles } from '../storage/core/nonce-log.ts';
import type { Dependencies } from './dependencies.ts';
import type { SharedServer } from './shared-server.ts';

/**
 * Opens the store of used nonces: files of the data folder or, with Redis, PostgreSQL and Redis. Reads the nonces of the
 * other store first, in case the setting was changed.
 * @source decision 746
 */
export async function openNonces(
  { settings, clock: ofService, wallClock, store, log, node: { isClockWrong } }: Dependencies,
  sharedServer: SharedServer | undefined,
  cleanup: AsyncDisposableStack,
): Promise<Nonces> {
  const { timestamp_window_s: window_s } = settings;
  // A nonce is kept as long as either clock accepts its timestamp.
  const clock = earlierClock(ofService, wallClock);
  const files = new NonceFiles(join(settings.data_folder, 'nonces'), window_s, { clock });
  cleanup.defer(() => files.close());
  const { log: earlier, storedCount } = await withStoredNonces(files, store);
  if (sharedServer || storedCount > 0) {
    const onError = failureLog(log, 'could not remove expired nonces');
    const sweeper = nonceSweeper({ store, clock, window_s, isClockWrong, onError });
    cleanup.defer(() => sweeper.stop());
  }
  if (!sharedServer) return inMemoryNonces(earlier, window_s);
  return inMemoryNonces(sharedNonces({ store, clock, window_s, earlier, firstUses: sharedServer.firstUses }), window_s);
}
