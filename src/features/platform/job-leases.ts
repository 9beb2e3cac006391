import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { Job } from '../../contract/store/jobs.ts';
import type { Store } from '../../contract/store/store.ts';

/** The lease of a running job. */
export interface HeldLease {
  /** Aborted when the lease is lost: the job was taken over or planned anew, or the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Ends the renewals. */
  end(): void;
}

/** The leases of the running jobs of a process. */
export interface JobLeases {
  /** How long a lease lasts unless it is renewed. */
  readonly lease_s: number;
  /** Renews the lease of a job until the job ends. `sentAt_ms` is when the lease was asked for, in `elapsed_ms`. */
  hold(job: Job, sentAt_ms: number): HeldLease;
}

/** The reason of an aborted signal: the worker no longer holds the lease of the job, or gives it up. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface Held {
  readonly controller: AbortController;
  callOffEnd: () => void;
}

/**
 * Renews the leases of all running jobs together, three times in the time that a lease lasts.
 * @source decision 182, 753
 */
export function jobLeases(store: Pick<Store, 'writeUrgent'>, lease_s: number): JobLeases {
  const leases = new Map<Job, Held>();
  let stopRenewing: (() => void) | undefined;
  let isRenewing = false;

  const lose = ({ controller, callOffEnd }: Held, message: string): void => {
    callOffEnd();
    controller.abort(new LeaseLost(message));
  };
  /** Measured from before the database knew: here the lease never lasts longer than there. */
  const setEnd = (held: Held, sentAt_ms: number): void => {
    held.callOffEnd();
    const left_ms = sentAt_ms + lease_s * 1000 - elapsed_ms();
    held.callOffEnd = after(Math.max(0, left_ms), () =>
      lose(held, `the lease of the job could not be renewed for ${lease_s} s`),
    );
  };
  const renew = async (): Promise<void> => {
    const jobs = [...leases.keys()];
    const sentAt_ms = elapsed_ms();
    const { renewed, changing } = await store.writeUrgent((tx) => tx.jobs.renew(jobs, lease_s));
    const [isRenewed, isChanging] = [new Set(renewed), new Set(changing)];
    for (const job of jobs) {
      const held = leases.get(job);
      if (!held) continue;
      // What is being changed may be lost, or is just ending: the next renewal tells.
      if (isChanging.has(job)) continue;
      if (!isRenewed.has(job)) lose(held, 'the job was taken over or planned anew');
      else if (!held.controller.signal.aborted) setEnd(held, sentAt_ms);
    }
  };
  const tick = (): void => {
    if (isRenewing) return;
    isRenewing = true;
    // A failed renewal is tried again; there are more before the lease ends.
    renew()
      .catch(() => undefined)
      .finally(() => {
        isRenewing = false;
      });
  };

  return {
    lease_s,
    hold(job, sentAt_ms) {
      const held: Held = { controller: new AbortController(), callOffEnd: () => {} };
      setEnd(held, sentAt_ms);
      leases.set(job, held);
      stopRenewing ??= every((lease_s * 1000) / 3, tick);
      return {
        signal: held.controller.signal,
        end() {
          held.callOffEnd();
          leases.delete(job);
          if (leases.size > 0) return;
          stopRenewing?.();
          stopRenewing = undefined;
        },
      };
    },
  };
}
