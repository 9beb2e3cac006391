import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { Job } from '../../contract/store/jobs.ts';
import type { Store } from '../../storage/unit-of-work.ts';

/** The lease of a running job. */
export interface HeldLease {
  /** Aborted when the lease is lost: the job was taken over or planned anew, or the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Ends the renewals. */
  end(): void;
}

/** The reason of an aborted signal: the worker no longer holds the lease of the job, or gives it up. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface Held {
  readonly controller: AbortController;
  cancelEnd: () => void;
}

/**
 * Renews the leases of all running jobs of a process together, three times in the time that a lease lasts.
 * @source decision 182, 753
 */
export class JobLeases {
  /** How long a lease lasts unless it is renewed. */
  readonly lease_s: number;
  readonly #store: Pick<Store, 'writeUrgent'>;
  readonly #held = new Map<Job, Held>();
  #stopRenewing: (() => void) | undefined;
  #isRenewing = false;

  constructor(store: Pick<Store, 'writeUrgent'>, lease_s: number) {
    this.#store = store;
    this.lease_s = lease_s;
  }

  /** Renews the lease of a job until the job ends. `sentAt_ms` is when the lease was requested, in `elapsed_ms`. */
  hold(job: Job, sentAt_ms: number): HeldLease {
    const held: Held = { controller: new AbortController(), cancelEnd: () => {} };
    this.#setEnd(held, sentAt_ms);
    this.#held.set(job, held);
    this.#stopRenewing ??= every((this.lease_s * 1000) / 3, () => this.#tick());
    return {
      signal: held.controller.signal,
      end: () => {
        held.cancelEnd();
        this.#held.delete(job);
        if (this.#held.size > 0) return;
        this.#stopRenewing?.();
        this.#stopRenewing = undefined;
      },
    };
  }

  #tick(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    // A failed renewal is tried again; there are more before the lease ends.
    this.#renew()
      .catch(() => undefined)
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  async #renew(): Promise<void> {
    const jobs = [...this.#held.keys()];
    const sentAt_ms = elapsed_ms();
    const { renewed, changing } = await this.#store.writeUrgent((tx) => tx.jobs.renew(jobs, this.lease_s));
    const [isRenewed, isChanging] = [new Set(renewed), new Set(changing)];
    for (const job of jobs) {
      const held = this.#held.get(job);
      // A job that is being changed may be lost, or just ending: the next renewal decides.
      if (!held || isChanging.has(job)) continue;
      if (!isRenewed.has(job)) lose(held, 'the job was taken over or planned anew');
      else if (!held.controller.signal.aborted) this.#setEnd(held, sentAt_ms);
    }
  }

  /** Measured from before the database knew: here the lease never lasts longer than there. */
  #setEnd(held: Held, sentAt_ms: number): void {
    held.cancelEnd();
    const left_ms = sentAt_ms + this.lease_s * 1000 - elapsed_ms();
    held.cancelEnd = after(Math.max(0, left_ms), () =>
      lose(held, `the lease of the job could not be renewed for ${this.lease_s} s`),
    );
  }
}

function lose({ controller, cancelEnd }: Held, message: string): void {
  cancelEnd();
  controller.abort(new LeaseLost(message));
}
