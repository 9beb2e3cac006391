import { formatInstant } from '../base/instants.ts';
import type { LiveEvents } from '../contract/services/live-events.ts';
import { openSequencer } from '../features/activity/sequencer.ts';
import { adoptSegments } from '../features/media/adopt-segments.ts';
import { markMasterKeyInUse } from '../features/platform/master-keys.ts';
import { failureLog } from '../http/outage-log.ts';
import type { Role } from '../settings/roles.ts';
import { watchExternalChanges } from '../storage/core/external-changes.ts';
import { expiryJobKinds } from './catalog.ts';
import type { Dependencies } from './dependencies.ts';
import type { SharedServer } from './shared-server.ts';

/** Background work that has been started. */
export interface Background {
  /**
   * Pauses background work while `work` replaces the contents of the database: ends streams, stops jobs and webhooks, and
   * drops cached data of the former contents. The caller must hold back requests. Only for the single server of a SQLite
   * database.
   * @source decision 878
   */
  standstill<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Starts the background work of these roles: jobs, the sequencer and webhooks for workers, the event feed for workers and
 * streams, heartbeats and the watch for external changes for all. Defers the stop of each to `cleanup`, so that a start
 * that fails halfway is undone.
 */
export async function startBackground(
  deps: Dependencies,
  { roles, sharedServer }: { readonly roles: ReadonlySet<Role>; readonly sharedServer: SharedServer | undefined },
  cleanup: AsyncDisposableStack,
): Promise<Background> {
  const { store, clock, box, services, log, jobs, node, webhooks, ids } = deps;
  const isWorker = roles.has('worker');
  await node.start(sharedServer?.id);
  // Deferred first, so that it runs after everything that the node may hold has ended.
  cleanup.defer(() => node.stop());
  await Promise.all([markMasterKeyInUse(store, box), services.media.received.sweep()]);
  await adoptSegments(services);
  const planExpiry = (): Promise<void> =>
    store.write(async (tx) => {
      const now = formatInstant(clock.now());
      for (const kind of expiryJobKinds) await tx.jobs.planNoLaterThan(kind.plannedAt(now));
    });
  if (isWorker) await planExpiry();
  // Before the caches are filled: the first look cannot tell what has changed.
  cleanup.defer(await watchExternalChanges(store));
  services.keywords.refresh();
  const { feed } = services.activity;
  let live: LiveEvents | undefined;
  const sequencer = openSequencer({
    store,
    onEvents(events) {
      feed.offer(events);
      live?.publish(events);
    },
    onOthersTurn: () => live?.noteAppended(),
    onError: failureLog(log, 'could not put events into the log'),
  });
  cleanup.defer(() => sequencer.stop());
  if (isWorker) await sequencer.start();
  // They hold connections, threads or files even before they are started.
  cleanup.defer(() => webhooks.stop());
  cleanup.defer(() => feed.stop());
  cleanup.defer(() => jobs.stop());
  cleanup.defer(() => webhooks.stopReplays());
  cleanup.defer(() => services.serving.stop());
  services.serving.start();
  if (isWorker) jobs.start();
  const follows = isWorker || roles.has('stream');
  if (follows) await feed.start();
  // Events from before it is opened are in the log.
  live = await sharedServer?.openLiveEvents(
    follows ? { position: feed.position, onEvents: feed.offer, onAppended: sequencer.wake } : undefined,
  );
  cleanup.defer(() => live?.close());
  if (isWorker) await webhooks.start();
  return {
    async standstill(work) {
      await services.serving.stop();
      await services.activity.streams.endAll();
      webhooks.stopReplays();
      await jobs.stop();
      await webhooks.abandon();
      await feed.stop();
      try {
        return await work();
      } finally {
        ids.forget();
        store.clearCaches();
        // The restored contents may record streams, jobs and webhooks that this node or another one held.
        await node.stop();
        await node.start();
        await markMasterKeyInUse(store, box);
        services.serving.start();
        if (follows) await feed.start();
        if (isWorker) {
          await planExpiry();
          await webhooks.start();
          jobs.start();
        }
      }
    },
  };
}
