import { after, elapsed_ms, every } from '../../base/timers.ts';
import type { Job } from '../../contract/store/jobs.ts';
import type { Store } from '../../storage/unit-of-work.ts';

/** The lease of a running job. */
export interface HeldLease {
  /** Aborts when the lease is lost: the job was taken over or rescheduled, or the lease could not be renewed in time. */
  readonly signal: AbortSignal;
  /** Ends the renewals. */
  end(): void;
}

/** Abort reason: the worker lost or released the lease of the job. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

interface Entry {
  readonly controller: AbortController;
  cancelEnd: () => void;
}

/**
 * Renews the leases of all running jobs of a process together, three times per lease duration.
 * @source decision 182, 753
 */
export class JobLeases {
  /** Duration of a lease without renewal. */
  readonly lease_s: number;
  readonly #store: Pick<Store, 'writeUrgent'>;
  readonly #entries = new Map<Job, Entry>();
  #stopRenewing: (() => void) | undefined;
  #isRenewing = false;

  constructor(store: Pick<Store, 'writeUrgent'>, lease_s: number) {
    this.#store = store;
    this.lease_s = lease_s;
  }

  /** Renews the lease of a job until the job ends. `sentAt_ms`: when the lease was requested, by `elapsed_ms`. */
  hold(job: Job, sentAt_ms: number): HeldLease {
    const entry: Entry = { controller: new AbortController(), cancelEnd: () => {} };
    this.#setEnd(entry, sentAt_ms);
    this.#entries.set(job, entry);
    this.#stopRenewing ??= every((this.lease_s * 1000) / 3, () => this.#tick());
    return {
      signal: entry.controller.signal,
      end: () => {
        entry.cancelEnd();
        this.#entries.delete(job);
        if (this.#entries.size > 0) return;
        this.#stopRenewing?.();
        this.#stopRenewing = undefined;
      },
    };
  }

  #tick(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    // A failed renewal is retried before the lease ends.
    this.#renew()
      .catch(() => undefined)
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  async #renew(): Promise<void> {
    const jobs = [...this.#entries.keys()];
    const sentAt_ms = elapsed_ms();
    const { renewed, changing } = await this.#store.writeUrgent((tx) => tx.jobs.renew(jobs, this.lease_s));
    const [isRenewed, isChanging] = [new Set(renewed), new Set(changing)];
    for (const job of jobs) {
      const entry = this.#entries.get(job);
      // A job that is being changed may be lost or about to end: the next renewal decides.
      if (!entry || isChanging.has(job)) continue;
      if (!isRenewed.has(job)) lose(entry, 'the job was taken over or planned anew');
      else if (!entry.controller.signal.aborted) this.#setEnd(entry, sentAt_ms);
    }
  }

  /** Counted from the request, so that the lease never ends later here than in the database. */
  #setEnd(entry: Entry, sentAt_ms: number): void {
    entry.cancelEnd();
    const left_ms = sentAt_ms + this.lease_s * 1000 - elapsed_ms();
    entry.cancelEnd = after(Math.max(0, left_ms), () =>
      lose(entry, `the lease of the job could not be renewed for ${this.lease_s} s`),
    );
  }
}

function lose({ controller, cancelEnd }: Entry, message: string): void {
  cancelEnd();
  controller.abort(new LeaseLost(message));
}
