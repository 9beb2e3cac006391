import { after } from '../../../base/timers.ts';
import type { DisconnectReason } from '../../../contract/services/streams.ts';
import type { ReadTransaction, Store } from '../../../contract/store/store.ts';
import type { OpenStream } from './streams.ts';

/** What is watched, and what is done about it. */
export interface WatchParts {
  readonly store: Store;
  readonly open: ReadonlyMap<string, OpenStream>;
  readonly end: (stream: OpenStream, reason: DisconnectReason, options: { readonly isStored: boolean }) => void;
  /** How soon a look that failed is repeated. */
  readonly retry_ms: number;
}

/**
 * Ends open streams when their row, their token or their application no longer lets them be, by whomever that was
 * changed.
 */
export function endedOutside({ store, open, end, retry_ms }: WatchParts): void {
  let wanted = new Set<OpenStream>();
  let isLooking = false;

  const look = async (): Promise<void> => {
    while (wanted.size > 0) {
      const streams = [...wanted].filter(({ id }) => open.has(id));
      wanted = new Set();
      if (streams.length === 0) return;
      try {
        const found = await store.read((tx) => reasonsToEnd(tx, streams));
        for (const [stream, { reason, isStored }] of found) end(stream, reason, { isStored });
      } catch {
        // A database that is away says so to every request; nothing can have changed in it meanwhile.
        for (const stream of streams) wanted.add(stream);
        await new Promise<void>((resolve) => void after(retry_ms, resolve));
      }
    }
  };

  store.onInvalidate((tags) => {
    if (open.size === 0) return;
    for (const stream of open.values()) if (tags === 'everything' || concerns(tags, stream)) wanted.add(stream);
    if (wanted.size === 0 || isLooking) return;
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  });
}

function concerns(tags: ReadonlySet<string>, { id, request }: OpenStream): boolean {
  return (
    tags.has(`stream:${id}`) || tags.has(`bearer:${request.bearer}`) || tags.has(`application:${request.application}`)
  );
}

interface Ending {
  readonly reason: DisconnectReason;
  readonly isStored: boolean;
}

async function reasonsToEnd(tx: ReadTransaction, streams: readonly OpenStream[]): Promise<Map<OpenStream, Ending>> {
  const found = new Map<OpenStream, Ending>();
  const rows = await tx.streamConnections.list(streams.map(({ id }) => id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const states = new Map<string, { bearer: string | undefined; isSuspended: boolean }>();
  for (const stream of streams) {
    const { application, bearer } = stream.request;
    const row = byId.get(stream.id);
    if (row?.disconnect_reason) {
      found.set(stream, { reason: row.disconnect_reason, isStored: true });
      continue;
    }
    let state = states.get(application);
    if (!state) {
      const isSuspended = (await tx.credentials.findApplication(application))?.suspended === 1;
      state = { bearer: (await tx.bearerTokens.findOutstanding(application))?.id, isSuspended };
      states.set(application, state);
    }
    if (state.isSuspended) found.set(stream, { reason: 'ClientApplicationStateDegraded', isStored: false });
    else if (state.bearer !== bearer) found.set(stream, { reason: 'ForceDisconnect', isStored: false });
  }
  return found;
}
