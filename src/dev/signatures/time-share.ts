/** Limits optional work to a share of the elapsed time. Unused time accumulates, up to a burst. */
export class TimeShare {
  readonly #share: number;
  readonly #burst_ms: number;
  readonly #now_ms: () => number;
  #left_ms: number;
  #at_ms: number;

  /**
   * @param share from 0 to 1.
   * @param now_ms a monotonic clock, in milliseconds.
   */
  constructor(share: number, burst_ms: number, now_ms: () => number) {
    this.#share = share;
    this.#burst_ms = burst_ms;
    this.#now_ms = now_ms;
    this.#left_ms = burst_ms;
    this.#at_ms = now_ms();
  }

  /** Whether time is left. */
  isLeft(): boolean {
    const until_ms = this.#now_ms();
    this.#left_ms = Math.min(this.#burst_ms, this.#left_ms + (until_ms - this.#at_ms) * this.#share);
    this.#at_ms = until_ms;
    return this.#left_ms > 0;
  }

  /** Runs the work and charges its duration, which may exceed what is left. */
  spend<T>(work: () => T): T {
    const begun_ms = this.#now_ms();
    try {
      return work();
    } finally {
      this.#left_ms -= this.#now_ms() - begun_ms;
    }
  }
}
