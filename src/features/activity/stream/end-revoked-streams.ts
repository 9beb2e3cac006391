import { pause } from '../../../base/timers.ts';
import type { DisconnectReason } from '../../../contract/services/streams.ts';
import type { ReadTransaction, Store } from '../../../storage/unit-of-work.ts';
import type { OpenStream } from './streams.ts';

/** Dependencies of the revocation check. */
export interface RevocationDependencies {
  readonly store: Store;
  readonly open: ReadonlyMap<string, OpenStream>;
  readonly end: (stream: OpenStream, reason: DisconnectReason, options: { readonly isStored: boolean }) => void;
  /** Delay before a failed check is repeated. */
  readonly retry_ms: number;
}

/**
 * Ends open streams when their row was ended, their token was revoked or their application was suspended, by any
 * process or command.
 */
export function endRevokedStreams({ store, open, end, retry_ms }: RevocationDependencies): void {
  let toCheck = new Set<OpenStream>();
  let isChecking = false;

  const check = async (): Promise<void> => {
    while (toCheck.size > 0) {
      const streams = [...toCheck].filter(({ id }) => open.has(id));
      toCheck = new Set();
      if (streams.length === 0) return;
      try {
        const found = await store.read((tx) => findEnds(tx, streams));
        for (const [stream, { reason, isStored }] of found) end(stream, reason, { isStored });
      } catch {
        // An unavailable database is reported by requests, and nothing can change in it meanwhile.
        for (const stream of streams) toCheck.add(stream);
        await pause(retry_ms);
      }
    }
  };

  store.onInvalidate(['stream', 'bearer', 'application'], (tags) => {
    if (open.size === 0) return;
    for (const stream of open.values()) if (tags === 'everything' || isAffected(tags, stream)) toCheck.add(stream);
    if (toCheck.size === 0 || isChecking) return;
    isChecking = true;
    void check().finally(() => {
      isChecking = false;
    });
  });
}

function isAffected(tags: ReadonlySet<string>, { id, request }: OpenStream): boolean {
  return (
    tags.has(`stream:${id}`) || tags.has(`bearer:${request.bearer}`) || tags.has(`application:${request.application}`)
  );
}

interface StreamEnd {
  readonly reason: DisconnectReason;
  readonly isStored: boolean;
}

/** The streams that have to end, and why. @source decision 371 */
async function findEnds(tx: ReadTransaction, streams: readonly OpenStream[]): Promise<Map<OpenStream, StreamEnd>> {
  const found = new Map<OpenStream, StreamEnd>();
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
